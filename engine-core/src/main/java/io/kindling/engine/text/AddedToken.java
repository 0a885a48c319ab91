package io.kindling.engine.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A token found in a text before the model splits it; the fields are those of Hugging Face's {@code AddedToken}.
 *
 * @param singleWord only where no letters adjoin it
 * @param lstrip takes the white space before it
 * @param rstrip takes the white space behind it
 * @param normalized found in the normalised text
 * @param special a control token, which decoding may leave out
 */
record AddedToken(
        String content, boolean singleWord, boolean lstrip, boolean rstrip, boolean normalized, boolean special) {

    static AddedToken special(String content) {
        return new AddedToken(content, false, false, false, false, true);
    }

    /** From an object with a text {@code content}. */
    static AddedToken of(JsonNode node, boolean special) {
        return new AddedToken(
                node.get("content").asText(),
                node.path("single_word").asBoolean(),
                node.path("lstrip").asBoolean(),
                node.path("rstrip").asBoolean(),
                node.path("normalized").asBoolean(!special),
                special);
    }

    AddedToken asSpecial() {
        return new AddedToken(content, singleWord, lstrip, rstrip, normalized, true);
    }

    AddedToken withContent(String otherContent) {
        return new AddedToken(otherContent, singleWord, lstrip, rstrip, normalized, special);
    }

    ObjectNode json(int id) {
        return JsonNodeFactory.instance
                .objectNode()
                .put("id", id)
                .put("content", content)
                .put("single_word", singleWord)
                .put("lstrip", lstrip)
                .put("rstrip", rstrip)
                .put("normalized", normalized)
                .put("special", special);
    }
}
