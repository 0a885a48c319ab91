package io.kindling.engine.gguf;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How byte-level BPE models split a text before merging: {@code tokenizer.ggml.pre} names one of llama.cpp's sets of
 * patterns, which are applied one after the other; here as {@code pre_tokenizer} of {@code tokenizer.json}.
 */
final class PreTokenizers {
    private static final String GPT2 =
            "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
    private static final String TIKTOKEN_HEAD = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|";
    private static final String TIKTOKEN_TAIL = "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

    private static final List<String> PLAIN = List.of(GPT2);
    private static final List<String> DIGITS_FIRST = List.of("\\p{N}", GPT2);
    private static final List<String> THREE_DIGITS = List.of(TIKTOKEN_HEAD + "\\p{N}{1,3}" + TIKTOKEN_TAIL);
    private static final List<String> ONE_DIGIT = List.of(TIKTOKEN_HEAD + "\\p{N}" + TIKTOKEN_TAIL);

    private static final Map<String, List<String>> PATTERNS = Map.ofEntries(
            Map.entry("default", List.of("[\\p{P}\\$\\+<=>\\^~\\|]+", GPT2, "\\p{N}+", "[0-9][0-9][0-9]")),
            Map.entry("gpt-2", PLAIN),
            Map.entry("phi-2", PLAIN),
            Map.entry("mpt", PLAIN),
            Map.entry("olmo", PLAIN),
            Map.entry("jais", PLAIN),
            Map.entry("smollm", DIGITS_FIRST),
            Map.entry("starcoder", DIGITS_FIRST),
            Map.entry("refact", DIGITS_FIRST),
            Map.entry("codeshell", DIGITS_FIRST),
            Map.entry("exaone", DIGITS_FIRST),
            Map.entry("minerva-7b", DIGITS_FIRST),
            Map.entry("llama3", THREE_DIGITS),
            Map.entry("llama-v3", THREE_DIGITS),
            Map.entry("llama-bpe", THREE_DIGITS),
            Map.entry("falcon3", THREE_DIGITS),
            Map.entry("qwen2", ONE_DIGIT),
            Map.entry("deepseek-r1-qwen", ONE_DIGIT));

    private PreTokenizers() {}

    /** The splitting that a name stands for; empty when it is not one of those known here. */
    static Optional<ObjectNode> of(String name) {
        return Optional.ofNullable(PATTERNS.get(name)).map(PreTokenizers::sequence);
    }

    /** Such models start texts with the begin token unless the file says otherwise. */
    static boolean addsBegin(String name) {
        return PATTERNS.get(name) == THREE_DIGITS;
    }

    /** Such models take a whole piece that is a token without looking at merges. */
    static boolean ignoresMerges(String name) {
        return PATTERNS.get(name) == THREE_DIGITS;
    }

    private static ObjectNode sequence(List<String> patterns) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        List<ObjectNode> steps = new ArrayList<>();
        for (String pattern : patterns) {
            ObjectNode split = json.objectNode().put("type", "Split");
            split.putObject("pattern").put("Regex", pattern);
            steps.add(split.put("behavior", "Isolated").put("invert", false));
        }
        steps.add(json.objectNode()
                .put("type", "ByteLevel")
                .put("add_prefix_space", false)
                .put("trim_offsets", true)
                .put("use_regex", false));
        ObjectNode sequence = json.objectNode().put("type", "Sequence");
        sequence.putArray("pretokenizers").addAll(steps);
        return sequence;
    }
}
