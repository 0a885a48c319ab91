package io.kindling.engine.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The parts of a {@code tokenizer.json} that the detokeniser needs; merges are skipped, since they can be tens of megabytes.
 *
 * @param decoder the {@code decoder} section; missing or null when there is none
 * @param vocabulary token texts by id of models that list them as an object (BPE, WordPiece, WordLevel), else empty
 */
record TokenizerFile(JsonNode decoder, List<AddedToken> addedTokens, Map<Integer, String> vocabulary) {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** An entry of {@code added_tokens}. */
    record AddedToken(int id, String content, boolean special) {}

    static TokenizerFile parse(String json) throws IOException {
        JsonNode decoder = MissingNode.getInstance();
        List<AddedToken> added = new ArrayList<>();
        Map<Integer, String> vocabulary = new LinkedHashMap<>();
        try (JsonParser parser = new JsonFactory(MAPPER).createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("not a JSON object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken start = parser.nextToken();
                switch (field) {
                    case "decoder" -> decoder = MAPPER.readTree(parser);
                    case "added_tokens" -> {
                        JsonNode tokens = MAPPER.readTree(parser);
                        tokens.forEach(token -> added.add(new AddedToken(
                                token.path("id").asInt(),
                                token.path("content").asText(),
                                token.path("special").asBoolean())));
                    }
                    case "model" -> {
                        if (start == JsonToken.START_OBJECT) {
                            readModel(parser, vocabulary);
                        } else {
                            parser.skipChildren();
                        }
                    }
                    default -> parser.skipChildren();
                }
            }
        }
        return new TokenizerFile(decoder, List.copyOf(added), vocabulary);
    }

    private static void readModel(JsonParser parser, Map<Integer, String> vocabulary) throws IOException {
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            boolean vocab = parser.currentName().equals("vocab");
            JsonToken start = parser.nextToken();
            if (vocab && start == JsonToken.START_OBJECT) {
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    String token = parser.currentName();
                    parser.nextToken();
                    vocabulary.put(parser.getIntValue(), token);
                }
            } else {
                parser.skipChildren();
            }
        }
    }
}
