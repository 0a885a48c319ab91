package io.kindling.engine.text;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Changes to the text of a {@code tokenizer.json}. */
final class TokenizerJson {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private TokenizerJson() {}

    /** {@code present}, with those of {@code wanted} that it has in another form in their place, and the others behind. */
    static List<AddedToken> merged(List<AddedToken> present, List<AddedToken> wanted) {
        List<AddedToken> all = new ArrayList<>(present);
        for (AddedToken token : wanted) {
            int at = 0;
            while (at < all.size() && !all.get(at).content().equals(token.content())) {
                at++;
            }
            if (at < all.size()) {
                all.set(at, token);
            } else {
                all.add(token);
            }
        }
        return all;
    }

    /** The file with other added tokens. */
    static String withAddedTokens(String json, List<AddedToken> tokens, TokenNames names) throws IOException {
        ObjectNode root = (ObjectNode) MAPPER.readTree(json);
        ArrayNode added = root.putArray("added_tokens");
        tokens.forEach(token -> added.add(token.json(names.addedId(token.content()))));
        return MAPPER.writeValueAsString(root);
    }
}
