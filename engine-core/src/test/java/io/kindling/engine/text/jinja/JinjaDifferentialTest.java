package io.kindling.engine.text.jinja;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.testing.PythonOracle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The same templates through transformers' own environment and through ours: equal texts, or both refuse. */
class JinjaDifferentialTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    /** The clock of src/test/python/jinja_reference.py. */
    private static final LocalDateTime NOW = LocalDateTime.of(2024, 2, 9, 15, 4, 5);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"families, 25, 2", "features, 1000, 800", "random_templates, 150, 100"})
    void rendersLikeTransformers(String section, int leastRendered, int leastRefused) throws Exception {
        Path file = folder.resolve("cases.jsonl");
        Path families = Path.of(
                JinjaDifferentialTest.class.getResource("families/turns.jinja").toURI());
        PythonOracle.script(
                "transformers",
                "jinja_cases.py",
                section,
                file.toString(),
                families.getParent().toString());
        List<String> wrong = new ArrayList<>();
        int rendered = 0;
        int refused = 0;
        for (String line : Files.readAllLines(file)) {
            JsonNode expected = MAPPER.readTree(line);
            String outcome = outcome(expected);
            rendered += expected.has("rendered") ? 1 : 0;
            refused += expected.has("error") ? 1 : 0;
            boolean same = expected.has("error")
                    ? outcome.startsWith("error: ")
                    : outcome.equals("text: " + expected.get("rendered").asText());
            if (!same) {
                wrong.add(line + "\n  gives " + outcome + "\n");
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(rendered).isGreaterThan(leastRendered);
        assertThat(refused).isGreaterThan(leastRefused);
    }

    private static String outcome(JsonNode line) {
        Map<String, Object> variables =
                MAPPER.convertValue(line.get("variables"), new TypeReference<Map<String, Object>>() {});
        try {
            return "text: "
                    + JinjaChatTemplate.parse(line.get("template").asText())
                            .withClock(() -> NOW)
                            .render(variables);
        } catch (KindlingException refused) {
            assertThat(refused.code()).isEqualTo(ErrorCode.TEMPLATE);
            return "error: " + refused.getMessage();
        }
    }
}
