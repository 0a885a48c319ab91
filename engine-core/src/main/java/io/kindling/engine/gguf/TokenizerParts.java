package io.kindling.engine.gguf;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Pieces of {@code tokenizer.json}, by their names in Hugging Face's tokenizers library. */
final class TokenizerParts {
    /** How SentencePiece writes a space. */
    static final String SPACE = "\u2581";

    private TokenizerParts() {}

    static ObjectNode normalizers(ObjectNode... steps) {
        return sequence("normalizers", List.of(steps));
    }

    static ObjectNode preTokenizers(List<ObjectNode> steps) {
        return sequence("pretokenizers", steps);
    }

    static ObjectNode decoders(List<ObjectNode> steps) {
        return sequence("decoders", steps);
    }

    /** Normalizer or decoder. */
    static ObjectNode replace(String text, String by) {
        ObjectNode replace = node("Replace");
        replace.putObject("pattern").put("String", text);
        return replace.put("content", by);
    }

    static ObjectNode prepend(String text) {
        return node("Prepend").put("prepend", text);
    }

    /** Each match and what lies between matches become pieces. */
    static ObjectNode split(String regex) {
        ObjectNode split = node("Split");
        split.putObject("pattern").put("Regex", regex);
        return split.put("behavior", "Isolated").put("invert", false);
    }

    /** Every numeric character alone, or runs of them together. */
    static ObjectNode digits(boolean individual) {
        return node("Digits").put("individual_digits", individual);
    }

    static ObjectNode punctuation(String behavior) {
        return node("Punctuation").put("behavior", behavior);
    }

    /** Pre-tokenizer: bytes to printable characters, after GPT-2's splitting where asked for. */
    static ObjectNode byteLevel(boolean prefixSpace, boolean splits) {
        return node("ByteLevel")
                .put("add_prefix_space", prefixSpace)
                .put("trim_offsets", true)
                .put("use_regex", splits);
    }

    static ObjectNode metaspace(boolean prefixSpace) {
        return node("Metaspace")
                .put("replacement", SPACE)
                .put("prepend_scheme", prefixSpace ? "always" : "never")
                .put("split", true);
    }

    /** Decoder: removes one space at the start. */
    static ObjectNode strip() {
        return node("Strip").put("content", " ").put("start", 1).put("stop", 0);
    }

    static ObjectNode node(String type) {
        return JsonNodeFactory.instance.objectNode().put("type", type);
    }

    private static ObjectNode sequence(String field, List<ObjectNode> steps) {
        ObjectNode sequence = node("Sequence");
        ArrayNode list = sequence.putArray(field);
        steps.forEach(list::add);
        return sequence;
    }
}
