package io.kindling.engine.gguf;

import java.util.LinkedHashSet;
import java.util.List;
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
        Set<Integer> stops,
        boolean addBegin,
        boolean addEnd) {
    private static final String PREFIX = "tokenizer.ggml.";

    static SpecialTokens of(GgufFile file, int tokens, boolean addsBeginByDefault) {
        Optional<Integer> end = id(file, "eos_token_id", tokens);
        Set<Integer> stops = new LinkedHashSet<>();
        end.ifPresent(stops::add);
        for (String key : List.of("eot_token_id", "eom_token_id")) {
            id(file, key, tokens).ifPresent(stops::add);
        }
        Optional<Integer> begin = id(file, "bos_token_id", tokens);
        return new SpecialTokens(
                begin,
                end,
                id(file, "padding_token_id", tokens),
                id(file, "unknown_token_id", tokens),
                stops,
                begin.isPresent()
                        && file.find(PREFIX + "add_bos_token", Boolean.class).orElse(addsBeginByDefault),
                end.isPresent()
                        && file.find(PREFIX + "add_eos_token", Boolean.class).orElse(false));
    }

    private static Optional<Integer> id(GgufFile file, String key, int tokens) {
        return file.find(PREFIX + key, Long.class).map(id -> {
            if (id < 0 || id >= tokens) {
                throw file.invalid("metadata " + PREFIX + key, "is " + id + ", but there are " + tokens + " tokens");
            }
            return id.intValue();
        });
    }
}
