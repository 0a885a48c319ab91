package io.kindling.engine.constrain;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kindling.engine.JsonSchemas;
import io.kindling.engine.JsonShape;
import io.kindling.engine.testing.PythonOracle;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The oracles are Python's json and jsonschema: see src/test/python/json_forms.py. */
class ShapesTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();
    /** Of the schema, but not taken: above 64 bits, 18 digits before a point, exponents of three, times in other ways. */
    private static final Pattern NOT_TAKEN = Pattern.compile("\\d{18}|e[+-]?\\d{3}|date-time");

    private static final List<String> SCHEMAS = List.of(
            "{\"type\": \"string\"}",
            "{\"type\": \"integer\"}",
            "{\"type\": \"integer\", \"minimum\": -128, \"maximum\": 127}",
            "{\"type\": \"integer\", \"minimum\": 150, \"maximum\": 1730}",
            "{\"type\": \"integer\", \"minimum\": -30, \"maximum\": -7}",
            "{\"type\": \"number\"}",
            "{\"type\": \"boolean\"}",
            "{\"type\": \"string\", \"format\": \"date\"}",
            "{\"type\": \"string\", \"format\": \"date-time\"}",
            "{\"enum\": [\"red\", \"reddish\", \"green\", 7, 71, null]}",
            "{\"type\": \"array\", \"items\": {\"type\": [\"integer\", \"null\"]}}",
            "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"array\", \"items\": {\"type\": \"boolean\"}}}",
            """
            {"type": "object", "properties": {"name": {"type": ["string", "null"]}, "amount": {"type": "number"},
             "when": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}}, "required": ["name", "amount", "when"], "additionalProperties": false}""",
            """
            {"type": "object", "properties": {"a": {"type": "integer"}, "ab": {"type": "string"}, "\\"\\\\\\n": {"type": "null"},
             "in": {"type": "object", "properties": {"x": {"type": "array", "items": {"type": "string"}}, "y": {"const": "z"}},
             "required": ["y"], "additionalProperties": false}}, "required": ["ab"], "additionalProperties": false}""",
            """
            {"anyOf": [{"type": "object", "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}, "required": ["kind", "r"],
              "additionalProperties": false},
             {"type": "object", "properties": {"kind": {"const": "cross"}, "n": {"type": "integer"}}, "required": ["kind", "n"],
              "additionalProperties": false}]}""",
            "{\"type\": \"object\"}",
            "{\"type\": \"array\"}");

    @TempDir
    Path folder;

    private record Case(String schema, byte[] text) {
        String line() throws Exception {
            ObjectNode line = MAPPER.createObjectNode();
            line.set("schema", MAPPER.readTree(schema));
            line.put("hex", HexFormat.of().formatHex(text));
            return MAPPER.writeValueAsString(line);
        }
    }

    private static Node start(String schema) throws Exception {
        return Shapes.start(JsonSchemas.shape(MAPPER.readValue(schema, Map.class)));
    }

    private static boolean accepts(Node start, byte[] text) {
        Node state = start;
        for (byte value : text) {
            state = state.next(value & 0xFF);
        }
        return state.mayEnd();
    }

    private String judged(List<Case> cases) throws Exception {
        Path file = folder.resolve("cases.jsonl");
        List<String> lines = new ArrayList<>();
        for (Case each : cases) {
            lines.add(each.line());
        }
        Files.write(file, lines);
        String letters = PythonOracle.script("jsonschema", "json_forms.py", "judge", file.toString());
        assertThat(letters).hasSize(cases.size());
        return letters;
    }

    @Test
    void everyWalkThatEndsIsJsonOfTheSchema() throws Exception {
        Random random = new Random(1);
        List<Case> cases = new ArrayList<>();
        for (String schema : SCHEMAS) {
            Node start = start(schema);
            for (int k = 0; k < 60; k++) {
                cases.add(new Case(schema, walk(start, random)));
            }
        }
        String letters = judged(cases);
        for (int k = 0; k < cases.size(); k++) {
            assertThat(letters.charAt(k))
                    .as(new String(cases.get(k).text, StandardCharsets.UTF_8) + " of " + cases.get(k).schema)
                    .isNotEqualTo('x');
        }
    }

    /** Any way on is as likely, but one that leads to an end is taken more often the longer the text is. Nothing leads nowhere. */
    private static byte[] walk(Node start, Random random) {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        Node state = start;
        while (!state.mustEnd() && !(state.mayEnd() && random.nextInt(4) == 0)) {
            List<Integer> open = new ArrayList<>();
            for (int value = 0; value < 256; value++) {
                if (state.next(value) != Node.DEAD) {
                    open.add(value);
                }
            }
            assertThat(open).as("ways on behind %s", text).isNotEmpty();
            List<Integer> closing =
                    open.stream().filter(value -> "\"]}".indexOf(value) >= 0).toList();
            boolean close = !closing.isEmpty() && random.nextInt(300) < 30 + text.size();
            List<Integer> ways = close ? closing : open;
            int value = ways.get(random.nextInt(ways.size()));
            text.write(value);
            state = state.next(value);
        }
        return text.toByteArray();
    }

    @Test
    void acceptsDocumentsOfTheSchemaAndOfMutantsThoseThatAreStillOnes() throws Exception {
        Path schemas = folder.resolve("schemas");
        Path documents = folder.resolve("documents");
        Files.write(
                schemas,
                SCHEMAS.stream().map(schema -> schema.replace("\n", " ")).toList());
        PythonOracle.script("jsonschema", "json_forms.py", "documents", schemas.toString(), documents.toString());
        Random random = new Random(2);
        List<Case> mutants = new ArrayList<>();
        int whole = 0;
        for (String line : Files.readAllLines(documents)) {
            JsonNode document = MAPPER.readTree(line);
            byte[] text = document.get("text").asText().getBytes(StandardCharsets.UTF_8);
            String schema = document.get("schema").toString();
            assertThat(accepts(start(schema), text))
                    .as(document.get("text").asText() + " of " + schema)
                    .isTrue();
            whole++;
            for (int k = 0; k < 3; k++) {
                mutants.add(new Case(schema, mutant(text, random)));
            }
        }
        String letters = judged(mutants);
        for (int k = 0; k < mutants.size(); k++) {
            Case mutant = mutants.get(k);
            boolean accepted = accepts(start(mutant.schema), mutant.text);
            String what = new String(mutant.text, StandardCharsets.UTF_8) + " of " + mutant.schema;
            if (accepted) {
                assertThat(letters.charAt(k)).as("accepted " + what).isNotEqualTo('x');
            } else if (!NOT_TAKEN.matcher(what).find()) {
                assertThat(letters.charAt(k)).as("refused " + what).isNotEqualTo('c');
            }
        }
        assertThat(whole).isEqualTo(60 * SCHEMAS.size());
        assertThat(letters).contains("x", "v", "c");
    }

    private static byte[] mutant(byte[] text, Random random) {
        int at = random.nextInt(text.length);
        byte[] mutant = text.clone();
        switch (random.nextInt(3)) {
            case 0 -> {
                String likely = "\"\\{}[]:,0129-.e nt";
                mutant[at] = (byte)
                        (random.nextBoolean() ? random.nextInt(256) : likely.charAt(random.nextInt(likely.length())));
            }
            case 1 -> System.arraycopy(text, at + 1, mutant, at, text.length - at - 1);
            default -> {
                mutant = Arrays.copyOf(text, text.length + 1);
                System.arraycopy(text, at, mutant, at + 1, text.length - at);
            }
        }
        return mutant;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            true  | "\\ud83d\\uDE00 \\uD7FF \\uE000"
            false | "\\ud83d"
            false | "\\ud83d\\u0041"
            false | "\\udc00"
            false | "\\uD83D\\n"
            false | "\\x"
            """)
    void surrogatesComeInPairs(boolean sound, String text) {
        assertThat(accepts(Shapes.start(new JsonShape.Text()), text.getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(sound);
    }

    @ParameterizedTest
    @CsvSource({
        "5, 2, false, true, 12345.67", "5, 2, false, false, 123456", "5, 2, false, false, 1.234",
                "5, 2, false, false, 1e5",
        "0, 3, false, true, 0.125", "0, 3, false, false, 1.125", "3, 0, false, true, -120", "3, 0, false, false, 1.0",
        "3, 2, true, true, -1.5E+30", "3, 2, true, false, 1e300", "3, 2, true, false, 01", "3, 2, true, false, 1."
    })
    void numbersHaveTheirDigits(int whole, int fraction, boolean exponent, boolean fits, String text) {
        Node start = Shapes.start(new JsonShape.Numeric(whole, fraction, exponent));
        assertThat(accepts(start, text.getBytes(StandardCharsets.UTF_8))).isEqualTo(fits);
    }

    /** As many states for a number as it has digits and bounds, however many numbers there are: else masks would never be found again. */
    @Test
    void prefixesThatGoOnInTheSameWaysAreOneState() {
        Node start = Shapes.start(new JsonShape.Whole(0, Long.MAX_VALUE));
        assertThat(start.next('1').next('2').next('3'))
                .isSameAs(start.next('4').next('0').next('7'));
        Node day = Shapes.start(new JsonShape.Day());
        assertThat(walk(day, "\"2023-")).isSameAs(walk(day, "\"1999-")).isNotSameAs(walk(day, "\"2024-"));
    }

    private static Node walk(Node start, String text) {
        Node state = start;
        for (byte value : text.getBytes(StandardCharsets.UTF_8)) {
            state = state.next(value & 0xFF);
        }
        return state;
    }
}
