package io.kindling.engine.metadata;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The special tokens that a tokenizer's configuration names, as templates see them: each {@code …_token} and the entries of a
 * map {@code extra_special_tokens} as texts, and {@code additional_special_tokens} as a list. What
 * {@code special_tokens_map.json} says goes before {@code tokenizer_config.json} unless the latter lists its added tokens
 * itself, as transformers has it.
 */
final class SpecialTokens {
    private static final String EXTRA = "extra_special_tokens";
    private static final String ADDITIONAL = "additional_special_tokens";

    private SpecialTokens() {}

    static Map<String, Object> read(Optional<MetadataFile> tokenizerConfig, Optional<MetadataFile> specialTokensMap) {
        Map<String, Object> tokens = new LinkedHashMap<>();
        boolean complete =
                tokenizerConfig.filter(file -> file.has("added_tokens_decoder")).isPresent();
        if (complete) {
            specialTokensMap.ifPresent(file -> add(file, tokens));
        }
        tokenizerConfig.ifPresent(file -> add(file, tokens));
        if (!complete) {
            specialTokensMap.ifPresent(file -> add(file, tokens));
        }
        return tokens;
    }

    private static void add(MetadataFile file, Map<String, Object> tokens) {
        for (String field : file.fields()) {
            JsonNode value = file.at(field);
            if (field.endsWith("_token")) {
                text(value).ifPresent(text -> tokens.put(field, text));
            } else if (field.equals(EXTRA) && value.isObject()) {
                value.properties()
                        .forEach(entry -> text(entry.getValue()).ifPresent(text -> tokens.put(entry.getKey(), text)));
            } else if (field.equals(ADDITIONAL) && value.isArray()) {
                List<String> texts = new ArrayList<>();
                value.forEach(token -> text(token).ifPresent(texts::add));
                tokens.put(ADDITIONAL, texts);
            }
        }
    }

    /** A token is a text, or an object with its text and how it is matched. */
    private static Optional<String> text(JsonNode token) {
        JsonNode text = token.isObject() ? token.path("content") : token;
        return text.isTextual() ? Optional.of(text.textValue()) : Optional.empty();
    }
}
