package io.kindling.engine.gguf;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** The tokenizer's part of a package, from the {@code tokenizer.*} metadata. */
record TokenizerFiles(ObjectNode tokenizer, ObjectNode settings, Optional<String> template, SpecialTokens tokens) {
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
    private static final String PREFIX = "tokenizer.ggml.";
    private static final long NORMAL = 1;

    static TokenizerFiles of(GgufFile file, LlamaConfig config) {
        List<String> tokens = strings(file, PREFIX + "tokens");
        if (tokens.size() > config.vocabulary()) {
            throw file.invalid(
                    "metadata tokenizer.ggml.tokens",
                    "has " + tokens.size() + " entries, the embedding " + config.vocabulary() + " rows");
        }
        List<Long> types = types(file, tokens.size());
        String model = file.require(PREFIX + "model", String.class);
        TokenizerJson json = new TokenizerJson(file, tokens, types);
        ObjectNode tokenizer;
        SpecialTokens special;
        switch (model) {
            case "gpt2" -> {
                String pre = file.find(PREFIX + "pre", String.class).orElse("default");
                special = SpecialTokens.of(file, tokens.size(), PreTokenizers.addsBegin(pre));
                tokenizer = json.byteLevel(pre, special);
            }
            case "llama" -> {
                special = SpecialTokens.of(file, tokens.size(), true);
                boolean prefixSpace =
                        file.find(PREFIX + "add_space_prefix", Boolean.class).orElse(true);
                tokenizer = json.sentencePiece(prefixSpace, special);
            }
            default ->
                throw file.unsupported(
                        "metadata tokenizer.ggml.model",
                        "is '" + model + "'; gpt2 (byte-level BPE) and llama (SentencePiece) are converted");
        }
        return new TokenizerFiles(
                tokenizer,
                settings(tokens, special, config),
                file.find("tokenizer.chat_template", String.class),
                special);
    }

    private static ObjectNode settings(List<String> tokens, SpecialTokens special, LlamaConfig config) {
        ObjectNode settings = JsonNodeFactory.instance.objectNode();
        settings.put("add_bos_token", special.addBegin()).put("add_eos_token", special.addEnd());
        special.begin().ifPresent(id -> settings.put("bos_token", tokens.get(id)));
        special.end().ifPresent(id -> settings.put("eos_token", tokens.get(id)));
        special.padding().ifPresent(id -> settings.put("pad_token", tokens.get(id)));
        special.unknown().ifPresent(id -> settings.put("unk_token", tokens.get(id)));
        return settings.put("clean_up_tokenization_spaces", false)
                .put("model_max_length", config.context())
                .put("tokenizer_class", "PreTrainedTokenizerFast");
    }

    private static List<String> strings(GgufFile file, String key) {
        List<String> strings = new ArrayList<>();
        for (Object entry : file.require(key, List.class)) {
            if (!(entry instanceof String text)) {
                throw file.invalid("metadata " + key, "is no list of strings");
            }
            strings.add(text);
        }
        return strings;
    }

    private static List<Long> types(GgufFile file, int count) {
        Optional<List<Long>> types = file.find(PREFIX + "token_type", List.class)
                .map(list -> {
                    List<Long> numbers = new ArrayList<>();
                    for (Object entry : list) {
                        numbers.add(entry instanceof Long number ? number : -1L);
                    }
                    return numbers;
                });
        List<Long> known = types.orElse(Collections.nCopies(count, NORMAL));
        if (known.size() != count) {
            throw file.invalid(
                    "metadata tokenizer.ggml.token_type", "has " + known.size() + " entries for " + count + " tokens");
        }
        return known;
    }

    void write(Path folder) throws IOException {
        JSON.writeValue(folder.resolve("tokenizer.json").toFile(), tokenizer);
        JSON.writeValue(folder.resolve("tokenizer_config.json").toFile(), settings);
        if (template.isPresent()) {
            Files.writeString(folder.resolve("chat_template.jinja"), template.get());
        }
    }
}
