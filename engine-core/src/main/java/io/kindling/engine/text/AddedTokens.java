package io.kindling.engine.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The added tokens of a {@code tokenizer.json}, read without its vocabulary. */
public final class AddedTokens {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private AddedTokens() {}

    /**
     * Ids by text.
     *
     * @throws KindlingException TOKENIZER when the file is no JSON object
     */
    public static Map<String, Integer> read(Path tokenizerFile) {
        Map<String, Integer> ids = new LinkedHashMap<>();
        try (JsonParser parser = new JsonFactory(MAPPER).createParser(tokenizerFile.toFile())) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                boolean added = parser.currentName().equals("added_tokens");
                parser.nextToken();
                if (added) {
                    JsonNode tokens = MAPPER.readTree(parser);
                    tokens.forEach(token -> ids.put(
                            token.path("content").asText(), token.path("id").asInt()));
                    return ids;
                }
                parser.skipChildren();
            }
            return ids;
        } catch (IOException malformed) {
            throw new KindlingException(
                    ErrorCode.TOKENIZER,
                    "the tokenizer file '" + tokenizerFile + "' is malformed: " + malformed.getMessage(),
                    malformed);
        }
    }
}
