package io.kindling.engine.text.jinja;

import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kindling.engine.testing.Untrusted;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.provider.MethodSource;

/** Templates come with models and are not trusted: see docs/fuzzing.md. */
class JinjaFuzzTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final List<JsonNode> EXAMPLES = examples();
    private static final Map<String, Object> VARIABLES =
            MAPPER.convertValue(EXAMPLES.get(0).get("variables"), new TypeReference<Map<String, Object>>() {});

    @MethodSource("seeds")
    @DictionaryFile(resourcePath = "jinja.dict")
    @FuzzTest(maxDuration = Untrusted.BOUNDED, lifecycle = Lifecycle.PER_TEST)
    void anyTemplateRendersOrIsRefused(byte[] input) throws Exception {
        Untrusted.read(() -> JinjaChatTemplate.parse(new String(input, StandardCharsets.UTF_8))
                .render(VARIABLES));
    }

    private static List<byte[]> seeds() {
        return EXAMPLES.stream()
                .skip(1)
                .map(example -> example.get("template").asText().getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    private static List<JsonNode> examples() {
        try (MappingIterator<JsonNode> lines = MAPPER.readerFor(JsonNode.class)
                .readValues(JinjaFuzzTest.class.getResourceAsStream("templates.jsonl"))) {
            return lines.readAll();
        } catch (IOException fault) {
            throw new UncheckedIOException(fault);
        }
    }
}
