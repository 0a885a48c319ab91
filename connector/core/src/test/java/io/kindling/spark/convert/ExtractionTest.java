package io.kindling.spark.convert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.JsonShape;
import io.kindling.engine.ResponseFormat;
import io.kindling.engine.error.OptionException;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class ExtractionTest {
    @Test
    void aRequestShowsTheFormOfTheSchema() {
        assertThat(Extraction.request(
                        "name STRING COMMENT 'of the buyer', amount DOUBLE, n INT, ok BOOLEAN, day DATE, tags ARRAY<STRING>,"
                                + " at STRUCT<city: STRING>, _corrupt_record STRING",
                        "Ada paid."))
                .endsWith("{\"name\": string (of the buyer), \"amount\": number, \"n\": integer, \"ok\": true or false,"
                        + " \"day\": date as \"yyyy-mm-dd\", \"tags\": [string, ...], \"at\": {\"city\": string}}"
                        + "\n\nText:\nAda paid.");
    }

    @Test
    void aJsonSchemaIsShownAsItIs() {
        assertThat(Extraction.request("{\"type\": \"object\", \"properties\": {\"a\": {}}}", "Ada paid."))
                .endsWith("that this JSON Schema describes and nothing else.\n"
                        + "{\"type\": \"object\", \"properties\": {\"a\": {}}}\n\nText:\nAda paid.");
    }

    @Test
    void theSchemaOfAllRowsIsReadOnce() {
        ResponseFormat format = Extraction.format("name STRING, n INT");
        assertThat(Extraction.format("name STRING, n " + "int".toUpperCase(Locale.ROOT)))
                .isSameAs(format);
        assertThatThrownBy(() -> Extraction.format("name STRIN")).isInstanceOf(OptionException.class);
    }

    @Test
    void aTypeThatSparkCannotHaveIsAFaultOfTheSchema() {
        for (String schema : List.of("a DECIMAL(50, 2)", "a DECIMAL(2, 5)", "a STRING(", "a MAP<STRING>", "a INT, ")) {
            assertThatThrownBy(() -> Extraction.format(schema))
                    .as(schema)
                    .isInstanceOf(OptionException.class)
                    .hasMessageStartingWith("the schema '" + schema + "' is not a list of fields");
        }
    }

    @Test
    void typesAreHeldToWhatFromJsonReadsAsThem() {
        JsonShape.Numeric all = JsonShape.Numeric.DOUBLE;
        assertThat(Extraction.format(
                        "a STRING NOT NULL, b TINYINT NOT NULL, c BIGINT, d DECIMAL(7, 2) NOT NULL, e FLOAT NOT NULL,"
                                + " f DOUBLE NOT NULL, g DATE NOT NULL, h TIMESTAMP NOT NULL, i ARRAY<BOOLEAN> NOT NULL,"
                                + " j MAP<STRING, STRUCT<k: SMALLINT NOT NULL>> NOT NULL, _corrupt_record STRING"))
                .isEqualTo(new ResponseFormat.Json(new JsonShape.Fields(List.of(
                        field("a", new JsonShape.Text()),
                        field("b", new JsonShape.Whole(-128, 127)),
                        field("c", new JsonShape.Whole(Long.MIN_VALUE, Long.MAX_VALUE).orNull()),
                        field("d", new JsonShape.Numeric(5, 2, false)),
                        field("e", new JsonShape.Numeric(all.wholeDigits(), all.fractionDigits(), false)),
                        field("f", all),
                        field("g", new JsonShape.Day()),
                        field("h", new JsonShape.Time(false)),
                        field("i", new JsonShape.Items(new JsonShape.Bool().orNull())),
                        field(
                                "j",
                                new JsonShape.Entries(
                                        new JsonShape.Fields(List.of(field("k", new JsonShape.Whole(-32768, 32767))))
                                                .orNull()))))));
    }

    private static JsonShape.Field field(String name, JsonShape shape) {
        return new JsonShape.Field(name, shape, true);
    }

    @Test
    void jsonSchemasHaveTypesOfSpark() {
        String schema = """
                {"type": "object", "properties": {"a": {"enum": ["x", "y"]}, "b": {"type": ["integer", "null"]},
                 "c": {"type": "array", "items": {"type": "number"}}, "d": {"type": "object", "additionalProperties": {"type": "boolean"}},
                 "e": {"type": "object", "properties": {"f": {"type": "string", "format": "date"}}},
                 "g": {"type": ["string", "integer"]}, "h": {"type": "string", "format": "date-time"}}}""";
        String ddl = "a STRING,b BIGINT,c ARRAY<DOUBLE>,d MAP<STRING, BOOLEAN>,e STRUCT<f: DATE>,g STRING,h TIMESTAMP";
        assertThat(Extraction.ddl(schema)).isEqualTo(ddl);
        assertThat(Extraction.ddl("name STRING")).isEqualTo("name STRING");
        assertThatThrownBy(
                        () -> Extraction.ddl("{\"type\": \"object\", \"properties\": {\"a\": {\"pattern\": \"x\"}}}"))
                .isInstanceOf(OptionException.class)
                .hasMessageContaining("$.properties.a has 'pattern', which is not supported here");
        assertThatThrownBy(() -> Extraction.ddl("{\"type\": \"array\"}"))
                .isInstanceOf(OptionException.class)
                .hasMessageContaining("as JSON Schema it is not of an object with properties");
    }

    @Test
    void theFirstObjectOfAnAnswerIsTaken() {
        assertThat(Extraction.object("Here: ```json\n{\"a\": {\"b\": \"}\\\"}\"}} ``` {\"c\": 1}"))
                .isEqualTo("{\"a\": {\"b\": \"}\\\"}\"}}");
        assertThat(Extraction.object("well {\"a\": 1, ")).isEqualTo("{\"a\": 1,");
        assertThat(Extraction.object(" I cannot. ")).isEqualTo("I cannot.");
    }

    @Test
    void schemasThatAreNoneAreRefused() {
        for (String schema : new String[] {"name STRIN", "ARRAY<STRING>", "", "{}"}) {
            assertThatThrownBy(() -> Extraction.fields(schema))
                    .as(schema)
                    .isInstanceOf(OptionException.class)
                    .hasMessageStartingWith("the schema '" + schema + "' is not a list of fields such as");
        }
    }
}
