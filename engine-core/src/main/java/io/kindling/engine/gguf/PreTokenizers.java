package io.kindling.engine.gguf;

import static io.kindling.engine.gguf.TokenizerParts.byteLevel;
import static io.kindling.engine.gguf.TokenizerParts.digits;
import static io.kindling.engine.gguf.TokenizerParts.punctuation;
import static io.kindling.engine.gguf.TokenizerParts.split;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What {@code tokenizer.ggml.pre} stands for: how byte-level BPE models normalize and split a text before merging. The name is
 * all that a file says; the steps are those of the models' own {@code tokenizer.json} files.
 *
 * @param steps pre-tokenizers, the last of which writes bytes as printable characters
 * @param composes whether texts are brought into Unicode's form NFC first
 * @param ignoresMerges whether a piece that is a token as a whole is taken without looking at merges
 * @param addsBegin whether texts start with the begin token unless the file says otherwise
 */
record PreTokenizers(List<ObjectNode> steps, boolean composes, boolean ignoresMerges, boolean addsBegin) {

    /** The splitting that a name stands for; empty when it is not one of those known here. */
    static Optional<PreTokenizers> of(String name) {
        return Optional.ofNullable(
                switch (name) {
                    case "default" ->
                        splits("[\\p{P}\\$\\+<=>\\^~\\|]+", SplitPatterns.GPT2, "\\p{N}+", "[0-9][0-9][0-9]");
                    case "gpt-2",
                            "phi-2",
                            "jais",
                            "trillion",
                            "granite-docling",
                            "exaone4",
                            "gigachat",
                            "a.x-4.0",
                            "mellum",
                            "jina-es",
                            "jina-de",
                            "jina-v1-en",
                            "jina-v2-es",
                            "jina-v2-de",
                            "jina-v2-code",
                            "roberta-bpe" -> of(byteLevel(false, true));
                    case "mpt", "olmo", "modern-bert" ->
                        of(byteLevel(false, true)).composing();
                    case "smollm", "starcoder", "refact", "codeshell", "exaone", "minerva-7b", "mellum2" ->
                        of(digits(true), byteLevel(false, true));
                    case "command-r" -> of(digits(true), byteLevel(false, true)).composing();
                    case "falcon" ->
                        of(punctuation("Contiguous"), byteLevel(false, true), digits(false), split("[0-9][0-9][0-9]"));
                    default -> larger(name);
                });
    }

    private static PreTokenizers larger(String name) {
        return switch (name) {
            case "llama3",
                    "llama-v3",
                    "llama-bpe",
                    "falcon3",
                    "falcon-h1",
                    "pixtral",
                    "midm-2.0",
                    "lfm2",
                    "jina-v5-nano" ->
                splits(SplitPatterns.LLAMA3).takingWholeTokens().beginning();
            case "smaug-bpe", "dbrx", "glm4", "chatglm-bpe" -> splits(SplitPatterns.LLAMA3);
            case "qwen2", "deepseek-r1-qwen", "megrez", "f2llmv2", "stablelm2" ->
                splits(SplitPatterns.QWEN2).composing();
            case "kormo", "hunyuan", "solar-open", "grok-2" -> splits(SplitPatterns.QWEN2);
            case "qwen35" -> splits(SplitPatterns.QWEN35).composing();
            case "jais-2" -> splits(SplitPatterns.JAIS2);
            case "minicpm5" -> splits("\\p{N}{1,3}", SplitPatterns.MINICPM5).takingWholeTokens();
            case "ufakzeka" -> splits(SplitPatterns.UFAKZEKA);
            case "laguna" -> splits("[^\\n]+|[\\n]+", SplitPatterns.QWEN2);
            case "bailingmoe", "bailingmoe2", "llada-moe" -> splits(SplitPatterns.BAILING);
            case "seed-coder" -> splits(SplitPatterns.SEED_CODER);
            case "exaone-moe" -> splits(SplitPatterns.EXAONE_MOE);
            case "tekken" -> splits(SplitPatterns.TEKKEN).takingWholeTokens().beginning();
            case "gpt-4o", "llama4", "kanana2", "talkie", "granite-embed-multi-97m" ->
                splits(SplitPatterns.GPT4O).takingWholeTokens();
            case "minimax-m2" -> splits(SplitPatterns.GPT4O);
            case "tiny_aya", "cohere2moe" -> splits("\\d{1,3}(?=(?:\\d{3})*\\b)", SplitPatterns.GPT4O);
            case "youtu" ->
                splits(SplitPatterns.YOUTU_SCRIPTS, SplitPatterns.YOUTU).takingWholeTokens();
            case "kimi-k2" -> splits(SplitPatterns.KIMI);
            case "deepseek-llm" ->
                splits(
                        SplitPatterns.BREAK,
                        SplitPatterns.DEEPSEEK_LETTERS,
                        SplitPatterns.DEEPSEEK_PUNCTUATION,
                        "\\s+$",
                        SplitPatterns.IDEOGRAPHS,
                        "\\p{N}+");
            case "deepseek-coder" ->
                splits(SplitPatterns.BREAK, "\\s?\\p{L}+", "\\s?\\p{P}+", SplitPatterns.IDEOGRAPHS, "\\p{N}");
            case "deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4" ->
                splits("\\p{N}{1,3}", SplitPatterns.IDEOGRAPHS_AND_KANA, SplitPatterns.DEEPSEEK3);
            case "spark2_5" -> splits("\\p{N}{1,3}", SplitPatterns.IDEOGRAPHS_AND_KANA, SplitPatterns.SPARK, "\\p{N}");
            case "afmoe" ->
                splits(SplitPatterns.DIGITS_FROM_THE_END, SplitPatterns.AFMOE_SCRIPTS, SplitPatterns.DEEPSEEK3);
            case "bloom", "poro-chat", "gpt3-finnish" -> splits(SplitPatterns.BLOOM);
            case "viking" -> splits(SplitPatterns.BLOOM, "\\p{N}");
            case "superbpe" -> splits("\\p{N}+", "(?=(\\d{3})+(?!\\d))");
            case "chameleon" ->
                of(
                                split("<sentinel:[0-9]+>"),
                                split("(IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z"),
                                split("([\\t\\n]|    |  )"),
                                digits(true),
                                punctuation("Isolated"),
                                byteLevel(false, true))
                        .beginning();
            default -> null;
        };
    }

    /** As {@code pre_tokenizer}. A space before the text is for models that split as GPT-2 only. */
    ObjectNode json(boolean prefixSpace) {
        if (steps.size() == 1) {
            return steps.get(0).put("add_prefix_space", prefixSpace);
        }
        return TokenizerParts.preTokenizers(steps);
    }

    private static PreTokenizers of(ObjectNode... steps) {
        return new PreTokenizers(List.of(steps), false, false, false);
    }

    private static PreTokenizers splits(String... patterns) {
        List<ObjectNode> steps = new ArrayList<>();
        for (String pattern : patterns) {
            steps.add(split(pattern));
        }
        steps.add(byteLevel(false, false));
        return new PreTokenizers(List.copyOf(steps), false, false, false);
    }

    private PreTokenizers composing() {
        return new PreTokenizers(steps, true, ignoresMerges, addsBegin);
    }

    private PreTokenizers takingWholeTokens() {
        return new PreTokenizers(steps, composes, true, addsBegin);
    }

    private PreTokenizers beginning() {
        return new PreTokenizers(steps, composes, ignoresMerges, true);
    }
}
