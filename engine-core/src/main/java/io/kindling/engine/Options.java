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
            "Kernel set of the CPU: native code, portable Java, or native where it loads and passes its self-test");

    public static final Option<Precision> PRECISION = Option.of(
            "precision",
            Scope.ENGINE,
            OptionTypes.choice(Precision.class),
            Precision.BALANCED,
            "Products. exact: float32; balanced: int8 activations in blocks of 32 for quantised weights, and in text encoders"
                    + " (embed, classify) 16 bits of float32 on AMX; fast: as balanced, those 16 bits in every graph");

    public static final Option<String> DEVICE = Option.of(
            "device",
            Scope.ENGINE,
            OptionTypes.text(Pattern.compile("auto|cpu|cuda(:\\d{1,4})?"), "auto, cpu, cuda or cuda:N"),
            "auto",
            "Where the model runs; auto takes CUDA where it works and the CPU otherwise, an explicit device never"
                    + " falls back");

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
            "Kernel threads; 0 takes the processors that the cgroup grants");

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
            "Key of random operators that name no seed themselves; every run of a graph draws the same numbers");

    public static final Option<Integer> MAX_BATCH =
            Option.of("max_batch", Scope.ENGINE, OptionTypes.integer(1, 4096), 32, "Most rows that one step serves");

    public static final Option<Integer> MAX_STEP_TOKENS = Option.of(
            "max_step_tokens",
            Scope.ENGINE,
            OptionTypes.integer(1, 65536),
            512,
            "Token budget of one step, prompt chunks and decoded tokens together");

    public static final Option<Long> KV_BUDGET_BYTES = Option.of(
                    "kv_budget_bytes",
                    Scope.ENGINE,
                    OptionTypes.bytes(),
                    0L,
                    "Memory for the key-value cache; 0 takes a share of what is free")
            .alsoNamed("memory_kv");

    public static final Option<Boolean> PREFIX_CACHE = Option.of(
            "prefix_cache",
            Scope.ENGINE,
            OptionTypes.bool(),
            true,
            "Whether equal beginnings of prompts are computed once and share their cache pages");

    public static final Option<Boolean> DEDUPLICATE = Option.of(
            "deduplicate", Scope.ENGINE, OptionTypes.bool(), true, "Whether equal greedy requests are computed once");

    public static final Option<Boolean> DECODE_INLINE = Option.of(
            "decode_inline",
            Scope.ENGINE,
            OptionTypes.flag(),
            false,
            "Whether decoders that keep a state in a Scan over the tokens get a second plan for steps of one token, without the Scan");

    public static final Option<Integer> MAX_NEW_TOKENS = Option.of(
            "max_new_tokens",
            Scope.GENERATION,
            OptionTypes.integer(1, 1 << 20),
            128,
            "Most tokens to generate, the prompt not counted");

    public static final Option<Double> TEMPERATURE = Option.of(
            "temperature",
            Scope.GENERATION,
            OptionTypes.number(0, 100),
            0.0,
            "Divides the logits before sampling; 0 takes the likeliest token always");

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
            "Key of the sampler's counter-based generator; the same seed, row and options give the same text");

    public static final Option<List<String>> STOP_STRINGS = Option.of(
                    "stop_strings",
                    Scope.GENERATION,
                    OptionTypes.texts(),
                    List.<String>of(),
                    "Texts that end generation and are not part of the answer")
            .alsoNamed("stop");

    public static final Option<Boolean> IGNORE_EOS = Option.of(
            "ignore_eos", Scope.GENERATION, OptionTypes.bool(), false, "Goes on past end tokens, for benchmarks");

    public static final Option<Map<String, Object>> RESPONSE_FORMAT = Option.of(
            "response_format",
            Scope.GENERATION,
            OptionTypes.responseFormat(),
            Map.of(),
            "What decoding holds the answer to: nothing, any JSON object, or JSON of a schema (see [prompts](prompts.md)); an"
                    + " answer that reaches max_new_tokens is cut off all the same. extract has its schema");

    public static final Option<OnOverflow> ON_OVERFLOW = Option.of(
            "on_overflow",
            Scope.GENERATION,
            OptionTypes.choice(OnOverflow.class),
            OnOverflow.ERROR,
            "What happens to a prompt that leaves no room for an answer: a row error, or its start (after"
                    + " a begin token) or its end is cut off");

    public static final Option<Pooling> POOLING = Option.of(
            "pooling",
            Scope.ENCODING,
            OptionTypes.choice(Pooling.class),
            Pooling.AUTO,
            "How the states of a text's tokens become one vector; auto does as the package says, and takes the mean where"
                    + " it says nothing");

    public static final Option<Normalization> NORMALIZE = Option.of(
            "normalize",
            Scope.ENCODING,
            OptionTypes.choice(Normalization.class),
            Normalization.AUTO,
            "Whether vectors get length 1; auto does as the package says, and normalises where it says nothing");

    public static final Option<Integer> MAX_TOKENS = Option.of(
            "max_tokens",
            Scope.ENCODING,
            OptionTypes.integer(0, 1 << 20),
            0,
            "Most tokens of a text to encode, longer ones lose their end; 0 takes the model's own limit");

    public static final Option<Boolean> CHAT = Option.of(
            "chat",
            Scope.PROMPT,
            OptionTypes.bool(),
            false,
            "Makes a plain text a user's message, rendered by the model's chat template");

    public static final Option<String> SYSTEM = Option.of(
            "system",
            Scope.PROMPT,
            OptionTypes.anyText(),
            "",
            "System message before each conversation that does not begin with one of its own; makes plain texts"
                    + " messages as chat does");

    public static final Option<String> CHAT_TEMPLATE = Option.of(
            "chat_template",
            Scope.PROMPT,
            OptionTypes.anyText(),
            "",
            "Name of one of the model's templates, or a template in Jinja; without it tool_use where tools are given and"
                    + " the model has it, else its default");

    public static final Option<Boolean> ADD_GENERATION_PROMPT = Option.of(
            "add_generation_prompt",
            Scope.PROMPT,
            OptionTypes.bool(),
            true,
            "Ends the text where an answer begins; false where continue_final_message is given");

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
                    "Further variables of the template; they win over special tokens and enable_thinking")
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
            "Date and time that templates write; without it those at which the job or the query was made, so that a"
                    + " retried task writes the same");

    public static final Option<JobOptions.OnError> ON_ERROR = Option.of(
            "on_error",
            Scope.JOB,
            OptionTypes.choice(JobOptions.OnError.class),
            JobOptions.OnError.NULL,
            "What becomes of a row that fails: a NULL answer with the error in its details, or the end of the job");

    public static final Option<Double> MAX_ERROR_FRACTION = Option.of(
            "max_error_fraction",
            Scope.JOB,
            OptionTypes.number(0, 1),
            1.0,
            "Share of failed rows above which the job gives up; in Spark of the rows of a task, judged from its 100th on,"
                    + " and generate-table judges the whole at the end too");

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
