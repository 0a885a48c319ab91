package io.kindling.engine;

import io.kindling.engine.EncodingOptions.Normalization;
import io.kindling.engine.EncodingOptions.Pooling;
import io.kindling.engine.EngineOptions.ExecutionPath;
import io.kindling.engine.GenerationOptions.OnOverflow;
import io.kindling.engine.Option.Scope;
import io.kindling.engine.PromptOptions.Thinking;
import io.kindling.engine.provider.Precision;
import io.kindling.engine.provider.ProviderOptions.Kernels;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Every option of the engine, of generation and of jobs, each declared here and nowhere else. */
public final class Options {
    public static final Option<Kernels> KERNELS = Option.of(
            "kernels",
            Scope.ENGINE,
            OptionTypes.choice(Kernels.class),
            Kernels.AUTO,
            "Which kernels run on the CPU: native code, portable Java, or (auto) native code where it loads and passes its self-test");

    public static final Option<Precision> PRECISION = Option.of(
            "precision",
            Scope.ENGINE,
            OptionTypes.choice(Precision.class),
            Precision.BALANCED,
            "How precisely matrices are multiplied. exact: in float32; balanced: activations become int8 in blocks of 32 where weights"
                    + " are quantised, and text encoders (embed, classify) round float32 to 16 bits of significand on processors"
                    + " with AMX; fast: as balanced, but every graph rounds so on AMX");

    public static final Option<String> DEVICE = Option.of(
            "device",
            Scope.ENGINE,
            OptionTypes.text(Pattern.compile("auto|cpu|cuda(:\\d{1,4})?"), "auto, cpu, cuda or cuda:N"),
            "auto",
            "Where the model runs; auto takes CUDA where it works and the CPU otherwise, a device that is named never falls back."
                    + " There are no CUDA kernels yet: auto takes the CPU, and cuda is refused");

    public static final Option<ExecutionPath> PATH = Option.of(
            "path",
            Scope.ENGINE,
            OptionTypes.choice(ExecutionPath.class),
            ExecutionPath.AUTO,
            "How decoders run: ragged packs the tokens of many rows, dense runs the exported graph as it is, auto"
                    + " takes ragged where the graph allows it");

    public static final Option<Integer> THREADS = Option.of(
            "threads",
            Scope.ENGINE,
            OptionTypes.integer(0, 1024),
            0,
            "Threads that compute; 0 takes spark.executor.cores where it is set, else the processors that the cgroup"
                    + " grants");

    public static final Option<Boolean> OPTIMIZE = Option.of(
            "optimize",
            Scope.ENGINE,
            OptionTypes.choice(Map.of("all", true, "none", false), List.of("all", "none")),
            true,
            "Whether graph optimisations run");

    public static final Option<List<String>> DISABLED_PASSES = Option.of(
            "disabled_passes", Scope.ENGINE, OptionTypes.names(), List.of(), "Optimiser passes to switch off, by name");

    public static final Option<Long> RANDOM_SEED = Option.of(
            "random_seed",
            Scope.ENGINE,
            OptionTypes.longInteger(),
            0L,
            "Seed of random operators that have none of their own; every run of a graph draws the same numbers");

    public static final Option<Integer> MAX_BATCH = Option.of(
            "max_batch",
            Scope.ENGINE,
            OptionTypes.integer(1, 4096),
            32,
            "Largest number of rows in one pass through the model");

    public static final Option<Integer> MAX_STEP_TOKENS = Option.of(
            "max_step_tokens",
            Scope.ENGINE,
            OptionTypes.integer(1, 65536),
            512,
            "Largest number of tokens in one step of generation, parts of prompts and answers together; at least max_batch");

    public static final Option<Long> KV_BUDGET_BYTES = Option.of(
                    "kv_budget_bytes",
                    Scope.ENGINE,
                    OptionTypes.bytes(),
                    0L,
                    "Memory for the key-value cache; 0 takes a share of the free memory")
            .alsoNamed("memory_kv");

    public static final Option<Boolean> PREFIX_CACHE = Option.of(
            "prefix_cache",
            Scope.ENGINE,
            OptionTypes.bool(),
            true,
            "Whether the part that prompts have in common at their start is computed once and shares cache pages");

    public static final Option<Boolean> DEDUPLICATE = Option.of(
            "deduplicate",
            Scope.ENGINE,
            OptionTypes.bool(),
            true,
            "Whether equal requests at temperature 0 are computed once");

    public static final Option<Boolean> DECODE_INLINE = Option.of(
            "decode_inline",
            Scope.ENGINE,
            OptionTypes.flag(),
            false,
            "Whether a decoder that keeps its state in a Scan over the tokens is planned a second time, without the Scan, for steps of"
                    + " one token");

    public static final Option<Integer> MAX_NEW_TOKENS = Option.of(
            "max_new_tokens",
            Scope.GENERATION,
            OptionTypes.integer(1, 1 << 20),
            128,
            "Most tokens to generate, not counting the prompt");

    public static final Option<Double> TEMPERATURE = Option.of(
            "temperature",
            Scope.GENERATION,
            OptionTypes.number(0, 100),
            0.0,
            "Divides the logits before sampling; 0 always takes the likeliest token");

    public static final Option<Integer> TOP_K = Option.of(
            "top_k",
            Scope.GENERATION,
            OptionTypes.integer(0, Integer.MAX_VALUE),
            0,
            "Samples from the k likeliest tokens; 0 keeps all");

    public static final Option<Double> TOP_P = Option.of(
            "top_p",
            Scope.GENERATION,
            OptionTypes.numberAbove(0, 1),
            1.0,
            "Samples from the smallest set of tokens whose probabilities reach p; 1 keeps all");

    public static final Option<Double> MIN_P = Option.of(
            "min_p",
            Scope.GENERATION,
            OptionTypes.number(0, 1),
            0.0,
            "Drops tokens less likely than p times the likeliest");

    public static final Option<Double> REPETITION_PENALTY = Option.of(
            "repetition_penalty",
            Scope.GENERATION,
            OptionTypes.numberAbove(0, 100),
            1.0,
            "Above 1 discourages tokens that the prompt or the answer already has");

    public static final Option<Long> SEED = Option.of(
            "seed",
            Scope.GENERATION,
            OptionTypes.longInteger(),
            0L,
            "Seed of the sampler; the same seed, row and options give the same text");

    public static final Option<List<String>> STOP_STRINGS = Option.of(
                    "stop_strings",
                    Scope.GENERATION,
                    OptionTypes.texts(),
                    List.<String>of(),
                    "Texts that end generation and are not part of the answer")
            .alsoNamed("stop");

    public static final Option<Boolean> IGNORE_EOS = Option.of(
            "ignore_eos",
            Scope.GENERATION,
            OptionTypes.bool(),
            false,
            "Whether generation goes on past end tokens, for benchmarks");

    public static final Option<Map<String, Object>> RESPONSE_FORMAT = Option.of(
            "response_format",
            Scope.GENERATION,
            OptionTypes.responseFormat(),
            Map.of(),
            "Form that the answer must have: any, a JSON object, or JSON of a schema (see [prompts](prompts.md)); an answer that"
                    + " reaches max_new_tokens is still cut off. extract uses its own schema");

    public static final Option<OnOverflow> ON_OVERFLOW = Option.of(
            "on_overflow",
            Scope.GENERATION,
            OptionTypes.choice(OnOverflow.class),
            OnOverflow.ERROR,
            "What happens to a prompt that leaves no room for an answer: its row fails, or the prompt loses its start (but not its"
                    + " begin token) or its end");

    public static final Option<Pooling> POOLING = Option.of(
            "pooling",
            Scope.ENCODING,
            OptionTypes.choice(Pooling.class),
            Pooling.AUTO,
            "How the vectors of a text's tokens become one; auto does as the package says, and takes the mean where it says"
                    + " nothing");

    public static final Option<Normalization> NORMALIZE = Option.of(
            "normalize",
            Scope.ENCODING,
            OptionTypes.choice(Normalization.class),
            Normalization.AUTO,
            "Whether vectors are scaled to length 1; auto does as the package says, and normalises where it says nothing");

    public static final Option<Integer> MAX_TOKENS = Option.of(
            "max_tokens",
            Scope.ENCODING,
            OptionTypes.integer(0, 1 << 20),
            0,
            "Largest number of tokens of a text that are encoded; longer texts lose their end. 0 takes the model's own limit");

    public static final Option<Boolean> CHAT = Option.of(
            "chat",
            Scope.PROMPT,
            OptionTypes.bool(),
            false,
            "Turns a plain text into a user's message, rendered by the model's chat template");

    public static final Option<String> SYSTEM = Option.of(
            "system",
            Scope.PROMPT,
            OptionTypes.anyText(),
            "",
            "System message put before each conversation that does not begin with one; turns plain texts into messages,"
                    + " as chat does");

    public static final Option<String> CHAT_TEMPLATE = Option.of(
            "chat_template",
            Scope.PROMPT,
            OptionTypes.anyText(),
            "",
            "Name of one of the model's templates, or the text of a Jinja template; without it, tool_use where tools are given"
                    + " and the model has that template, else the model's default");

    public static final Option<Boolean> ADD_GENERATION_PROMPT = Option.of(
            "add_generation_prompt",
            Scope.PROMPT,
            OptionTypes.bool(),
            true,
            "Whether the rendered text ends with the beginning of an answer; always false with continue_final_message");

    public static final Option<String> CONTINUE_FINAL_MESSAGE = Option.of(
            "continue_final_message",
            Scope.PROMPT,
            OptionTypes.choice(
                    Map.of(
                            "false", "",
                            "true", "content",
                            "reasoning_content", "reasoning_content",
                            "thinking", "thinking",
                            "reasoning", "reasoning"),
                    List.of("true", "false", "reasoning_content", "thinking", "reasoning")),
            "",
            "Lets the answer go on with the last message, or with its reasoning, instead of beginning a message");

    public static final Option<Thinking> ENABLE_THINKING = Option.of(
            "enable_thinking",
            Scope.PROMPT,
            OptionTypes.choice(Thinking.class),
            Thinking.AUTO,
            "Whether a model that thinks before it answers does; auto leaves it to the template");

    public static final Option<Map<String, Object>> TEMPLATE_KWARGS = Option.of(
                    "template_kwargs",
                    Scope.PROMPT,
                    OptionTypes.jsonObject(Set.of("messages", "tools", "documents", "add_generation_prompt")),
                    Map.of(),
                    "Further variables of the template; they override special tokens and enable_thinking")
            .alsoNamed("chat_template_kwargs");

    public static final Option<List<Map<String, Object>>> TOOLS = Option.of(
            "tools",
            Scope.PROMPT,
            OptionTypes.jsonObjects(),
            List.of(),
            "Functions that the model may call, as JSON specifications");

    public static final Option<List<Map<String, Object>>> DOCUMENTS = Option.of(
            "documents",
            Scope.PROMPT,
            OptionTypes.jsonObjects(),
            List.of(),
            "Documents for templates that cite them, commonly with title and text");

    public static final Option<Boolean> SPECIAL_TOKENS_IN_TEXT = Option.of(
            "special_tokens_in_text",
            Scope.PROMPT,
            OptionTypes.bool(),
            false,
            "Whether special tokens written out in prompts, messages, tools and documents, such as <|im_end|>, take effect;"
                    + " otherwise they are ordinary text");

    public static final Option<String> TEMPLATE_NOW = Option.of(
            "template_now",
            Scope.PROMPT,
            OptionTypes.localTime(),
            "",
            "Date and time that templates see; without it, the time at which the job or query was made, so that a retried"
                    + " task writes the same text");

    public static final Option<JobOptions.OnError> ON_ERROR = Option.of(
            "on_error",
            Scope.JOB,
            OptionTypes.choice(JobOptions.OnError.class),
            JobOptions.OnError.NULL,
            "What happens when a row fails: its answer is NULL and its details hold the error, or the job fails");

    public static final Option<Double> MAX_ERROR_FRACTION = Option.of(
            "max_error_fraction",
            Scope.JOB,
            OptionTypes.number(0, 1),
            1.0,
            "Share of failed rows above which the job fails; in Spark each task counts its own rows, and decides from its 100th on,"
                    + " and generate-table counts all rows once more at the end");

    private Options() {}

    static List<Option<?>> all() {
        return List.of(
                KERNELS,
                PRECISION,
                DEVICE,
                PATH,
                THREADS,
                OPTIMIZE,
                DISABLED_PASSES,
                RANDOM_SEED,
                MAX_BATCH,
                MAX_STEP_TOKENS,
                KV_BUDGET_BYTES,
                PREFIX_CACHE,
                DEDUPLICATE,
                DECODE_INLINE,
                MAX_NEW_TOKENS,
                TEMPERATURE,
                TOP_K,
                TOP_P,
                MIN_P,
                REPETITION_PENALTY,
                SEED,
                STOP_STRINGS,
                IGNORE_EOS,
                RESPONSE_FORMAT,
                ON_OVERFLOW,
                POOLING,
                NORMALIZE,
                MAX_TOKENS,
                CHAT,
                SYSTEM,
                CHAT_TEMPLATE,
                ADD_GENERATION_PROMPT,
                CONTINUE_FINAL_MESSAGE,
                ENABLE_THINKING,
                TEMPLATE_KWARGS,
                TOOLS,
                DOCUMENTS,
                SPECIAL_TOKENS_IN_TEXT,
                TEMPLATE_NOW,
                ON_ERROR,
                MAX_ERROR_FRACTION);
    }
}
