package io.kindling.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.kindling.engine.JsonShape.Field;
import io.kindling.engine.error.OptionException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Schemas that are held to are checked against jsonschema in {@code ShapesTest}; here, what is read and what is refused. */
class JsonSchemasTest {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static JsonShape shape(String schema) throws Exception {
        return JsonSchemas.shape(MAPPER.readValue(schema, Map.class));
    }

    private static ResponseFormat format(String given) {
        return OptionTable.standard()
                .parse(Map.of("response_format", given))
                .generation()
                .responseFormat();
    }

    @Test
    void propertiesKeepTheirOrderAndDefinitionsAreFollowed() throws Exception {
        String schema = """
                {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Order", "type": "object",
                 "properties": {"z": {"$ref": "#/$defs/Day"}, "a": {"type": "integer", "exclusiveMinimum": 0.5, "maximum": 9},
                 "m": {"anyOf": [{"type": "string", "description": "x"}, {"type": "null"}], "default": null}},
                 "required": ["a", "z"], "additionalProperties": false, "$defs": {"Day": {"type": "string", "format": "date"}}}""";
        assertThat(shape(schema))
                .isEqualTo(new JsonShape.Fields(List.of(
                        new Field("z", new JsonShape.Day(), true),
                        new Field("a", new JsonShape.Whole(1, 9), true),
                        new Field(
                                "m",
                                new JsonShape.OneOf(List.of(new JsonShape.Text(), new JsonShape.Null())),
                                false))));
    }

    @Test
    void formatsAreTheSchemaOrItsUsualWrappings() {
        ResponseFormat days = new ResponseFormat.Json(new JsonShape.Day());
        String schema = "{\"type\": \"string\", \"format\": \"date\"}";
        assertThat(format(schema)).isEqualTo(days);
        assertThat(format(
                        "{\"type\": \"json_schema\", \"json_schema\": {\"name\": \"d\", \"strict\": true, \"schema\": "
                                + schema + "}}"))
                .isEqualTo(days);
        assertThat(format("{\"type\": \"json\", \"schema\": " + schema + "}")).isEqualTo(days);
        assertThat(format("")).isEqualTo(ResponseFormat.TEXT);
        assertThat(format("{\"type\": \"text\"}")).isEqualTo(ResponseFormat.TEXT);
        assertThat(format("{\"type\": \"json_object\"}"))
                .isEqualTo(new ResponseFormat.Json(new JsonShape.Entries(new JsonShape.Anything(15))));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"type": "string", "pattern": "a+"}                  | $ has 'pattern', which is not supported here
            {"type": "number", "minimum": 0}                     | $ has 'minimum', which is not supported here
            {"type": "string", "format": "email"}                | $ has the format 'email'; only date and date-time are supported
            {"oneOf": [{"type": "string"}]}                      | $ has 'oneOf', which is not supported here
            {"type": "array", "items": {"type": "array", "minItems": 1}} | $.items has 'minItems', which is not supported here
            {"type": "object", "properties": {"a": {"type": "text"}}} | $.properties.a has no type that is known, but 'text'
            {"type": "object", "properties": {"a": true}, "required": ["b"]} | $.required names what is no property: [b]
            {"type": "object", "properties": {"a": true}, "additionalProperties": {"type": "string"}} | $ has both properties and
            {"type": "integer", "minimum": 3.5, "exclusiveMaximum": 4} | $ allows no integer
            {"type": "object", "required": ["a"]}                | $ has required names, but no properties
            {"type": "integer", "enum": ["1"]}                   | $ has no value of the type integer
            {"enum": []}                                         | $.enum must be an array with something in it
            {"$ref": "https://example.org/s"}                    | $ refers to 'https://example.org/s', which is none of
            {"type": "array", "items": false}                    | $.items must be a schema, not false
            {"properties": {"a": {"type": "string"}}}            | $ has no type that is known
            {"type": "array", "items": {"minimum": 3}}           | $.items has no type that is known
            {"type": null, "format": "date"}                     | $ has no type that is known
            {"type": ["string", null]}                           | $ has no type that is known
            {"type": "integer", "maximum": 1e400}                | $.maximum must be a number
            """)
    void whatAShapeCannotSayIsRefusedByName(String schema, String why) {
        assertThatThrownBy(() -> shape(schema))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be a JSON Schema that decoding can follow: " + why);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"$ref\": \"#/$defs/L\", \"$defs\": {\"L\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/L\"}}}}",
                "{\"$ref\": \"#/$defs/L\", \"$defs\": {\"L\": {\"$ref\": \"#/$defs/L\"}}}"
            })
    void schemasWithinThemselvesAreRefused(String schema) {
        assertThatThrownBy(() -> shape(schema)).hasMessageContaining("nested deeper than 32 schemas, or in itself");
    }

    /** Ten definitions of four references each stand for a million schemas. */
    @Test
    void schemasThatMultiplyAreRefused() {
        StringBuilder schema = new StringBuilder("{\"$ref\": \"#/$defs/d0\", \"$defs\": {");
        for (int k = 0; k < 10; k++) {
            String next = "{\"$ref\": \"#/$defs/d" + (k + 1) + "\"}";
            schema.append("\"d" + k + "\": {\"anyOf\": [" + String.join(", ", next, next, next, next) + "]}, ");
        }
        assertThatThrownBy(() -> shape(schema + "\"d10\": {\"type\": \"null\"}}}"))
                .hasMessageContaining("comes after 1024 schemas, or eight times as many constants: too many");
    }

    @Test
    void constantsOfOtherTypesAreLeftOut() throws Exception {
        assertThat(shape("{\"type\": [\"string\", \"null\"], \"enum\": [\"a\", 1, null, 2.5]}"))
                .isEqualTo(new JsonShape.Constants(List.of("\"a\"", "null")));
    }

    @Test
    void badFormatsAreProblemsOfTheOption() {
        assertThatThrownBy(() -> format("{\"type\": \"json_schema\", \"schema\": \"x\"}"))
                .isInstanceOf(OptionException.class)
                .hasMessage(
                        "option 'response_format' of type json_schema must have the schema in 'json_schema.schema'");
        assertThatThrownBy(() -> format("name STRING"))
                .isInstanceOf(OptionException.class)
                .hasMessageContaining("option 'response_format' must be a JSON Schema, or a JSON object with the type");
    }
}
