package io.kindling.engine.gguf;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Tokens with a role, by id.
 *
 * @param stops what ends a text: end of sequence, of turn and of message
 * @param addBegin whether the begin token is put before every text
 * @param addEnd whether the end token is put behind every text
 */
record SpecialTokens(
        Optional<Integer> begin,
        Optional<Integer> end,
        Optional<Integer> padding,
        Optional<Integer> unknown,
        Optional<Integer> separator,
        Optional<Integer> mask,
        Set<Integer> stops,
        boolean addBegin,
        boolean addEnd) {
    private static final String PREFIX = "tokenizer.ggml.";

    /**
     * Control tokens that end a turn, a message or a text in every model that has them. Files often name one of them only,
     * where the model's generation_config.json lists all.
     */
    private static final List<String> ENDS = List.of(
            "<|eot_id|>",
            "<|eom_id|>",
            "<|im_end|>",
            "<|end|>",
            "<|return|>",
            "<|call|>",
            "<|endoftext|>",
            "<|end_of_text|>",
            "<end_of_turn>",
            "<turn|>",
            "<end_of_utterance>",
            "<EOT>",
            "[EOT]",
            "[EOS]",
            "<\uFF5Cend\u2581of\u2581sentence\uFF5C>");

    static SpecialTokens of(Vocabulary vocabulary, boolean addsBeginByDefault, boolean addsEndByDefault) {
        Optional<Integer> end = id(vocabulary, "eos_token_id");
        Optional<Integer> begin = id(vocabulary, "bos_token_id");
        return new SpecialTokens(
                begin,
                end,
                id(vocabulary, "padding_token_id"),
                id(vocabulary, "unknown_token_id"),
                // llama.cpp's own spelling of the key.
                id(vocabulary, "seperator_token_id"),
                id(vocabulary, "mask_token_id"),
                stops(vocabulary, end),
                begin.isPresent() && flag(vocabulary, "add_bos_token", addsBeginByDefault),
                end.isPresent() && flag(vocabulary, "add_eos_token", addsEndByDefault));
    }

    SpecialTokens withoutBegin() {
        return new SpecialTokens(begin, end, padding, unknown, separator, mask, stops, false, addEnd);
    }

    private static Set<Integer> stops(Vocabulary vocabulary, Optional<Integer> end) {
        Set<Integer> stops = new LinkedHashSet<>();
        end.ifPresent(stops::add);
        for (String key : List.of("eot_token_id", "eom_token_id")) {
            id(vocabulary, key).ifPresent(stops::add);
        }
        Map<String, Integer> ids = vocabulary.ids();
        // Where answers end with <|return|> or <|call|>, <|end|> only ends one of their messages.
        boolean messages = ids.containsKey("<|return|>") && ids.containsKey("<|call|>");
        for (String text : ENDS) {
            Integer id = ids.get(text);
            if (id != null && vocabulary.type(id) == Vocabulary.CONTROL && !(messages && text.equals("<|end|>"))) {
                stops.add(id);
            }
        }
        return stops;
    }

    private static boolean flag(Vocabulary vocabulary, String key, boolean absent) {
        return vocabulary.file().find(PREFIX + key, Boolean.class).orElse(absent);
    }

    private static Optional<Integer> id(Vocabulary vocabulary, String key) {
        return vocabulary.file().find(PREFIX + key, Long.class).map(id -> {
            if (id < 0 || id >= vocabulary.size()) {
                throw vocabulary
                        .file()
                        .invalid(
                                "metadata " + PREFIX + key,
                                "is " + id + ", but there are " + vocabulary.size() + " tokens");
            }
            return id.intValue();
        });
    }
}
