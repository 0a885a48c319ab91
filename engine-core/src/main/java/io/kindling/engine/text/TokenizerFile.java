package io.kindling.engine.text;

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
 * What we read of a {@code tokenizer.json} ourselves; merges are skipped, since they can be tens of megabytes.
 *
 * @param decoder the {@code decoder} section; missing or null when there is none
 * @param normalizer the {@code normalizer} section; missing or null when there is none
 * @param addedTokens in the file's order
 * @param modelType {@code BPE}, {@code Unigram}, {@code WordPiece} or {@code WordLevel}; empty where the file does not say
 * @param vocabulary ids by text
 */
record TokenizerFile(
        JsonNode decoder,
        JsonNode normalizer,
        List<AddedToken> addedTokens,
        String modelType,
        Map<String, Integer> vocabulary) {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    /** Far above any vocabulary; tables are sized by the highest id. */
    private static final int HIGHEST_ID = 1 << 25;

    /** @throws IOException naming the field that is wrong, or the place of what is no JSON */
    static TokenizerFile parse(String json) throws IOException {
        Reader reader = new Reader();
        try (JsonParser parser = MAPPER.getFactory().createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("not a JSON object");
            }
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                parser.nextToken();
                reader.read(field, parser);
            }
        }
        if (!reader.hasModel) {
            throw new IOException("field 'model' is missing");
        }
        return new TokenizerFile(
                reader.decoder, reader.normalizer, List.copyOf(reader.added), reader.modelType, reader.vocabulary);
    }

    private static final class Reader {
        private JsonNode decoder = MissingNode.getInstance();
        private JsonNode normalizer = MissingNode.getInstance();
        private final List<AddedToken> added = new ArrayList<>();
        private final Map<String, Integer> vocabulary = new LinkedHashMap<>();
        private String modelType = "";
        private boolean hasModel;

        private void read(String field, JsonParser parser) throws IOException {
            switch (field) {
                case "decoder" -> decoder = MAPPER.readTree(parser);
                case "normalizer" -> normalizer = MAPPER.readTree(parser);
                case "added_tokens" -> readAdded(MAPPER.readTree(parser));
                case "model" -> {
                    expect(parser, JsonToken.START_OBJECT, "model", "an object");
                    hasModel = true;
                    readModel(parser);
                }
                default -> parser.skipChildren();
            }
        }

        private void readAdded(JsonNode tokens) throws IOException {
            for (int k = 0; k < tokens.size(); k++) {
                JsonNode token = tokens.get(k);
                if (token == null || !token.path("content").isTextual()) {
                    throw new IOException("field 'added_tokens[" + k + "].content' must be a string");
                }
                added.add(AddedToken.of(token, token.path("special").asBoolean()));
            }
        }

        private void readModel(JsonParser parser) throws IOException {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                JsonToken start = parser.nextToken();
                if (field.equals("type") && start == JsonToken.VALUE_STRING) {
                    modelType = parser.getText();
                } else if (field.equals("vocab") && start == JsonToken.START_OBJECT) {
                    readIds(parser);
                } else if (field.equals("vocab") && start == JsonToken.START_ARRAY) {
                    readPieces(parser);
                } else {
                    parser.skipChildren();
                }
            }
        }

        private void readIds(JsonParser parser) throws IOException {
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String token = parser.currentName();
                parser.nextToken();
                expect(parser, JsonToken.VALUE_NUMBER_INT, "model.vocab[\"" + token + "\"]", "an integer");
                int id = parser.getIntValue();
                if (id < 0 || id > HIGHEST_ID) {
                    throw new IOException(
                            "field 'model.vocab[\"" + token + "\"]' must be from 0 to " + HIGHEST_ID + ", it is " + id);
                }
                vocabulary.put(token, id);
            }
        }

        /** Pairs of text and score, in the order of their ids. */
        private void readPieces(JsonParser parser) throws IOException {
            for (int id = 0; parser.nextToken() != JsonToken.END_ARRAY; id++) {
                String field = "model.vocab[" + id + "]";
                expect(parser, JsonToken.START_ARRAY, field, "a pair of text and score");
                parser.nextToken();
                expect(parser, JsonToken.VALUE_STRING, field + "[0]", "a string");
                vocabulary.putIfAbsent(parser.getText(), id);
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    if (parser.currentToken() == null) {
                        throw new IOException("field '" + field + "' ends too soon");
                    }
                    parser.skipChildren();
                }
            }
        }

        private static void expect(JsonParser parser, JsonToken kind, String field, String words) throws IOException {
            if (parser.currentToken() != kind) {
                throw new IOException("field '" + field + "' must be " + words + ", at "
                        + parser.currentLocation().offsetDescription());
            }
        }
    }
}
