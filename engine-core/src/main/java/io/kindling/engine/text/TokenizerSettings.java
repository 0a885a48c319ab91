package io.kindling.engine.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The files beside a {@code tokenizer.json}, read as transformers 5 ({@code AutoTokenizer}) reads them:
 * {@code tokenizer_config.json}, and where that has no {@code added_tokens_decoder}, {@code special_tokens_map.json} and
 * {@code added_tokens.json}.
 *
 * <p>Left alone, as there: {@code add_bos_token} and {@code add_eos_token} (the file's post-processor decides),
 * {@code model_max_length}, padding and truncation.
 */
final class TokenizerSettings {
    private static final String CONFIG = "tokenizer_config.json";
    private static final List<String> NAMED =
            List.of("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token");
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final JsonNode config;
    private final Path configFile;
    private final JsonNode specialTokensMap;
    private final JsonNode addedTokens;

    private TokenizerSettings(Path folder) {
        configFile = folder.resolve(CONFIG);
        config = read(configFile);
        boolean complete = config.has("added_tokens_decoder");
        specialTokensMap = complete ? MissingNode.getInstance() : read(folder.resolve("special_tokens_map.json"));
        addedTokens = complete ? MissingNode.getInstance() : read(folder.resolve("added_tokens.json"));
    }

    /** @throws KindlingException TOKENIZER when a file is no JSON object, or a field is not what it must be */
    static TokenizerSettings beside(Path tokenizerFile) {
        return new TokenizerSettings(tokenizerFile.toAbsolutePath().getParent());
    }

    private static JsonNode read(Path file) {
        if (!Files.isRegularFile(file)) {
            return MissingNode.getInstance();
        }
        try {
            JsonNode node = MAPPER.readTree(file.toFile());
            if (!node.isObject()) {
                throw new IOException("not a JSON object");
            }
            return node;
        } catch (IOException malformed) {
            throw new KindlingException(
                    ErrorCode.TOKENIZER, "the file '" + file + "' is malformed: " + malformed.getMessage(), malformed);
        }
    }

    /** Whether control tokens in a text are always ordinary text. */
    boolean splitSpecialTokens() {
        return config.path("split_special_tokens").asBoolean();
    }

    /** Whether decoded texts are cleaned up; for BPE only where the file insists. */
    boolean cleansUp(String modelType) {
        return config.path("clean_up_tokenization_spaces").asBoolean()
                && (!modelType.equals("BPE")
                        || config.path("clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output")
                                .asBoolean());
    }

    /** The added tokens that a tokenizer with {@code present} ones gets, in order: new ones, and those whose fields differ. */
    List<AddedToken> missing(List<AddedToken> present) {
        Map<String, AddedToken> wanted = new LinkedHashMap<>();
        Set<String> named = new LinkedHashSet<>();
        List<AddedToken> namedTokens = namedTokens();
        namedTokens.forEach(token -> named.add(token.content()));
        List<AddedToken> extra = extraTokens(setting("additional_special_tokens"));
        Set<String> specials = new LinkedHashSet<>(named);
        // Not those of special_tokens_map.json, which transformers reads too late for that.
        extraTokens(config.path("additional_special_tokens")).forEach(token -> specials.add(token.content()));

        for (AddedToken token : declared(specials)) {
            if (!present.contains(token)) {
                wanted.put(token.content(), named.contains(token.content()) ? token.asSpecial() : token);
            }
        }
        Set<String> known = new LinkedHashSet<>();
        present.forEach(token -> known.add(token.content()));
        for (List<AddedToken> tokens : List.of(namedTokens, extra)) {
            for (AddedToken token : tokens) {
                if (!known.contains(token.content()) && !token.content().isEmpty()) {
                    wanted.putIfAbsent(token.content(), token);
                }
            }
        }
        return List.copyOf(wanted.values());
    }

    /** {@code added_tokens_decoder} by id; {@code added_tokens.json} where there is none. */
    private List<AddedToken> declared(Set<String> specials) {
        record Numbered(int id, AddedToken token) {}
        List<Numbered> tokens = new ArrayList<>();
        config.path("added_tokens_decoder").properties().forEach(entry -> {
            JsonNode token = entry.getValue();
            if (!token.path("content").isTextual()) {
                throw invalid("added_tokens_decoder." + entry.getKey() + ".content", "must be a string");
            }
            tokens.add(new Numbered(
                    id(entry.getKey()),
                    AddedToken.of(token, token.path("special").asBoolean())));
        });
        addedTokens.properties().forEach(entry -> {
            boolean special = specials.contains(entry.getKey());
            tokens.add(new Numbered(
                    entry.getValue().asInt(), new AddedToken(entry.getKey(), false, false, false, !special, special)));
        });
        return tokens.stream()
                .sorted(Comparator.comparingInt(Numbered::id))
                .map(Numbered::token)
                .toList();
    }

    private int id(String key) {
        try {
            return Integer.parseInt(key);
        } catch (NumberFormatException noNumber) {
            throw invalid("added_tokens_decoder." + key, "must be named by a token id");
        }
    }

    /** {@code bos_token} and the like, and whatever else is named so. */
    private List<AddedToken> namedTokens() {
        List<AddedToken> tokens = new ArrayList<>();
        NAMED.forEach(name -> addSpecial(setting(name), tokens));
        config.properties().forEach(entry -> {
            if (entry.getKey().endsWith("_token") && entry.getValue().isTextual() && !NAMED.contains(entry.getKey())) {
                addSpecial(entry.getValue(), tokens);
            }
        });
        if (setting("extra_special_tokens").isObject()) {
            setting("extra_special_tokens").forEach(token -> addSpecial(token, tokens));
        }
        return tokens;
    }

    private List<AddedToken> extraTokens(JsonNode additional) {
        List<AddedToken> tokens = new ArrayList<>();
        JsonNode extra = setting("extra_special_tokens");
        JsonNode listed = extra.isEmpty() ? additional : extra;
        if (listed.isArray()) {
            listed.forEach(token -> addSpecial(token, tokens));
        }
        return tokens;
    }

    private JsonNode setting(String name) {
        JsonNode mapped = specialTokensMap.path(name);
        return mapped.isMissingNode() ? config.path(name) : mapped;
    }

    private static void addSpecial(JsonNode token, List<AddedToken> tokens) {
        if (token.isTextual()) {
            tokens.add(AddedToken.special(token.asText()));
        } else if (token.path("content").isTextual()) {
            tokens.add(AddedToken.of(token, true));
        }
    }

    private KindlingException invalid(String field, String problem) {
        return new KindlingException(
                ErrorCode.TOKENIZER, "the file '" + configFile + "' is malformed: field '" + field + "' " + problem);
    }
}
