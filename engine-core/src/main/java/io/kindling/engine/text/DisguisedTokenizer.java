package io.kindling.engine.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A second copy of a tokenizer whose special tokens go by secret names: a text that has their usual names is plain text to it.
 * Since all else is the same, the ids are those of the tokenizer itself, white space around tokens and beginnings of texts included.
 */
final class DisguisedTokenizer implements AutoCloseable {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Map<String, String> disguises = new HashMap<>();
    private final Map<Integer, Integer> realIds = new HashMap<>();
    private final NativeTokenizer tokenizer;

    /**
     * @param json the tokenizer that is copied
     * @param added its added tokens
     * @throws IOException when it is no JSON
     */
    DisguisedTokenizer(Path file, String json, List<AddedToken> added, TokenNames names) throws IOException {
        byte[] secret = new byte[8];
        new SecureRandom().nextBytes(secret);
        String prefix = "\uFDD0" + HexFormat.of().formatHex(secret) + ":";
        for (AddedToken token : added) {
            if (token.special()) {
                disguises.put(token.content(), prefix + disguises.size() + "\uFDD1");
            }
        }
        ObjectNode root = (ObjectNode) MAPPER.readTree(json);
        rename(root, added, names);
        tokenizer = new NativeTokenizer(file, MAPPER.writeValueAsString(root));
        disguises.forEach((content, disguise) -> {
            int[] ids = tokenizer.encode(disguise, false);
            if (ids.length == 1) {
                realIds.put(ids[0], names.addedId(content));
            }
        });
    }

    private void rename(ObjectNode root, List<AddedToken> added, TokenNames names) {
        ArrayNode tokens = root.putArray("added_tokens");
        for (AddedToken token : added) {
            String name = disguises.getOrDefault(token.content(), token.content());
            tokens.add(token.withContent(name).json(names.addedId(token.content())));
        }
        ObjectNode model = (ObjectNode) root.get("model");
        Set<String> merged = merged(model.path("merges"));
        JsonNode vocabulary = model.get("vocab");
        if (vocabulary instanceof ObjectNode ids) {
            ObjectNode renamed = JsonNodeFactory.instance.objectNode();
            ids.properties().forEach(entry -> renamed.set(nameOf(entry.getKey(), merged), entry.getValue()));
            model.set("vocab", renamed);
        } else if (vocabulary instanceof ArrayNode pieces) {
            pieces.forEach(
                    piece -> ((ArrayNode) piece).set(0, nameOf(piece.get(0).asText(), merged)));
        }
        if (model.path("unk_token").isTextual()) {
            model.put("unk_token", nameOf(model.get("unk_token").asText(), merged));
        }
    }

    /** A token that merges are made of keeps its entry in the vocabulary; its disguise then gets an id of its own. */
    private String nameOf(String token, Set<String> merged) {
        return merged.contains(token) ? token : disguises.getOrDefault(token, token);
    }

    private Set<String> merged(JsonNode merges) {
        Set<String> used = new HashSet<>();
        for (JsonNode merge : merges) {
            String left = merge.isArray() ? merge.path(0).asText() : before(merge.asText());
            String right = merge.isArray() ? merge.path(1).asText() : behind(merge.asText());
            for (String token : List.of(left, right, left + right)) {
                if (disguises.containsKey(token)) {
                    used.add(token);
                }
            }
        }
        return used;
    }

    private static String before(String merge) {
        return merge.substring(0, Math.max(0, merge.indexOf(' ')));
    }

    private static String behind(String merge) {
        return merge.substring(merge.indexOf(' ') + 1);
    }

    /** What stands for a special token in texts for {@link #encode}. */
    String disguise(String token) {
        return disguises.get(token);
    }

    int[] encode(String text, boolean addSpecialTokens) {
        int[] ids = tokenizer.encode(text, addSpecialTokens);
        for (int k = 0; k < ids.length; k++) {
            ids[k] = realIds.getOrDefault(ids[k], ids[k]);
        }
        return ids;
    }

    @Override
    public void close() {
        tokenizer.close();
    }
}
