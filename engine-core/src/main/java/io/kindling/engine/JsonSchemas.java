package io.kindling.engine;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads JSON Schemas (draft 2020-12) as shapes. What a schema can say and a shape cannot is refused by name, so that no answer is
 * taken for valid that is not. An object has its properties in the order of the schema and no others; integers are of 64 bits.
 */
public final class JsonSchemas {
    /** They say nothing about values. */
    private static final Set<String> NOTES =
            Set.of("title", "description", "default", "examples", "$schema", "$id", "$comment", "$defs", "definitions");

    private static final Set<String> BOUNDS = Set.of("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum");

    private static final Set<String> OF_OTHERS =
            Set.of("type", "format", "items", "properties", "required", "additionalProperties");
    /** Those of another type than a value's say nothing about it. */
    private static final Set<String> KEYWORDS = union(OF_OTHERS, BOUNDS);

    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();
    private static final int DEEPEST = 32;
    private static final Pattern REFERENCE = Pattern.compile("#/(\\$defs|definitions)/([^/]+)");

    /** Of schemas in one: a few references can stand for any number. */
    private static final int MOST = 1024;

    private final Map<?, ?> root;
    private int read;

    private JsonSchemas(Map<?, ?> root) {
        this.root = root;
    }

    private static Set<String> union(Set<String> some, Set<String> others) {
        Set<String> all = new HashSet<>(some);
        all.addAll(others);
        return Set.copyOf(all);
    }

    /**
     * The format that a {@code response_format} asks for: {@code {"type": "text"}}, {@code {"type": "json_object"}},
     * {@code {"type": "json_schema", "json_schema": {"schema": {…}}}} as OpenAI's interface has them, or a schema itself. Empty: text.
     *
     * @throws IllegalArgumentException saying what it must be, to be put behind the option's name
     */
    static ResponseFormat format(Map<String, Object> format) {
        if (format.isEmpty() || "text".equals(format.get("type"))) {
            return ResponseFormat.TEXT;
        }
        if ("json_object".equals(format.get("type"))) {
            return new ResponseFormat.Json(new JsonShape.Entries(new JsonShape.Anything(JsonShape.ANY_DEPTH - 1)));
        }
        if (!"json_schema".equals(format.get("type")) && !"json".equals(format.get("type"))) {
            return new ResponseFormat.Json(shape(format));
        }
        Object holder = format.getOrDefault("json_schema", format);
        if (holder instanceof Map<?, ?> named && named.get("schema") instanceof Map<?, ?> schema) {
            return new ResponseFormat.Json(shape(schema));
        }
        throw new IllegalArgumentException("of type json_schema must have the schema in 'json_schema.schema'");
    }

    /**
     * The shape of a schema's text.
     *
     * @throws IllegalArgumentException like {@link #shape}, also for what is no JSON
     */
    public static JsonShape parse(String schema) {
        try {
            return shape(JSON.readValue(schema, Map.class));
        } catch (JsonProcessingException malformed) {
            throw refused("$", "is no JSON object: " + malformed.getOriginalMessage());
        }
    }

    /**
     * The shape of a schema.
     *
     * @param schema as Jackson reads it: maps in the order of the text, lists, texts, numbers, booleans, null
     * @throws IllegalArgumentException naming the place and what is wrong there
     */
    public static JsonShape shape(Map<?, ?> schema) {
        return new JsonSchemas(schema).shape(schema, "$", 0);
    }

    private JsonShape shape(Object schema, String at, int depth) {
        if (depth > DEEPEST) {
            throw refused(at, "is nested deeper than " + DEEPEST + " schemas, or in itself");
        }
        count(1, at);
        if (Boolean.TRUE.equals(schema) || schema instanceof Map<?, ?> open && NOTES.containsAll(open.keySet())) {
            return new JsonShape.Anything(JsonShape.ANY_DEPTH);
        }
        if (!(schema instanceof Map<?, ?> given)) {
            throw refused(at, "must be a schema, not " + schema);
        }
        if (given.containsKey("$ref")) {
            allow(given, at, Set.of("$ref"));
            return shape(definition(String.valueOf(given.get("$ref")), at), at, depth + 1);
        }
        if (given.containsKey("anyOf")) {
            allow(given, at, Set.of("anyOf"));
            return choice(list(given.get("anyOf"), at + ".anyOf"), at + ".anyOf", depth);
        }
        if (given.containsKey("enum")) {
            allow(given, at, Set.of("type", "enum"));
            return constants(given.get("type"), list(given.get("enum"), at + ".enum"), at);
        }
        if (given.containsKey("const")) {
            allow(given, at, Set.of("type", "const"));
            List<Object> one = new ArrayList<>();
            one.add(given.get("const"));
            return constants(given.get("type"), one, at);
        }
        allow(given, at, KEYWORDS);
        if (given.get("type") instanceof List<?> types && !types.isEmpty()) {
            return new JsonShape.OneOf(
                    types.stream().map(type -> typed(given, type, at, depth)).toList());
        }
        return typed(given, given.get("type"), at, depth);
    }

    private void count(int schemas, String at) {
        read += schemas;
        if (read > MOST) {
            throw refused(at, "comes after " + MOST + " schemas, or eight times as many constants: too many");
        }
    }

    private Object definition(String reference, String at) {
        Matcher named = REFERENCE.matcher(reference);
        if (named.matches()
                && root.get(named.group(1)) instanceof Map<?, ?> definitions
                && definitions.containsKey(named.group(2))) {
            return definitions.get(named.group(2));
        }
        throw refused(at, "refers to '" + reference + "', which is none of the schema's own #/$defs/…");
    }

    private JsonShape choice(List<?> schemas, String at, int depth) {
        List<JsonShape> shapes = new ArrayList<>();
        for (int k = 0; k < schemas.size(); k++) {
            shapes.add(shape(schemas.get(k), at + '[' + k + ']', depth + 1));
        }
        return new JsonShape.OneOf(shapes);
    }

    private JsonShape typed(Map<?, ?> schema, Object type, String at, int depth) {
        if (!(type instanceof String name)) {
            throw refused(at, "has no type that is known: say \"type\": \"object\", or what else it is");
        }
        return switch (name) {
            case "string" -> text(schema.get("format"), at);
            case "integer" -> whole(schema, at);
            case "number" -> {
                allow(schema, at, OF_OTHERS);
                yield JsonShape.Numeric.DOUBLE;
            }
            case "boolean" -> new JsonShape.Bool();
            case "null" -> new JsonShape.Null();
            case "array" ->
                new JsonShape.Items(
                        shape(schema.containsKey("items") ? schema.get("items") : true, at + ".items", depth + 1));
            case "object" -> object(schema, at, depth);
            default -> throw refused(at, "has no type that is known, but '" + name + "'");
        };
    }

    private static JsonShape text(Object format, String at) {
        if (format == null) {
            return new JsonShape.Text();
        }
        return switch (String.valueOf(format)) {
            case "date" -> new JsonShape.Day();
            case "date-time" -> new JsonShape.Time(true);
            default -> throw refused(at, "has the format '" + format + "'; only date and date-time are supported");
        };
    }

    private static JsonShape whole(Map<?, ?> schema, String at) {
        BigInteger min = BigInteger.valueOf(Long.MIN_VALUE);
        BigInteger max = BigInteger.valueOf(Long.MAX_VALUE);
        for (String bound : BOUNDS) {
            if (schema.get(bound) instanceof Number number && !(number instanceof Double each && each.isInfinite())) {
                BigDecimal exact = new BigDecimal(number.toString());
                boolean low = bound.endsWith("inimum");
                BigInteger value = exact.setScale(0, low ? RoundingMode.CEILING : RoundingMode.FLOOR)
                        .toBigInteger();
                if (bound.startsWith("exclusive") && exact.compareTo(new BigDecimal(value)) == 0) {
                    value = low ? value.add(BigInteger.ONE) : value.subtract(BigInteger.ONE);
                }
                min = low ? min.max(value) : min;
                max = low ? max : max.min(value);
            } else if (schema.containsKey(bound)) {
                throw refused(at + '.' + bound, "must be a number");
            }
        }
        if (min.compareTo(max) > 0) {
            throw refused(at, "allows no integer");
        }
        return new JsonShape.Whole(min.longValueExact(), max.longValueExact());
    }

    private JsonShape object(Map<?, ?> schema, String at, int depth) {
        Object others = schema.get("additionalProperties");
        if (!schema.containsKey("properties")) {
            if (schema.containsKey("required")) {
                throw refused(at, "has required names, but no properties");
            }
            if (Boolean.FALSE.equals(others)) {
                return new JsonShape.Fields(List.of());
            }
            return new JsonShape.Entries(
                    shape(others == null ? true : others, at + ".additionalProperties", depth + 1));
        }
        if (others instanceof Map) {
            throw refused(at, "has both properties and a schema of additionalProperties");
        }
        if (!(schema.get("properties") instanceof Map<?, ?> properties)) {
            throw refused(at + ".properties", "must be an object");
        }
        List<?> required = schema.containsKey("required") ? list(schema.get("required"), at + ".required") : List.of();
        if (!properties.keySet().containsAll(required)) {
            throw refused(at + ".required", "names what is no property: " + required);
        }
        List<JsonShape.Field> fields = new ArrayList<>();
        properties.forEach((name, property) -> fields.add(new JsonShape.Field(
                String.valueOf(name),
                shape(property, at + ".properties." + name, depth + 1),
                required.contains(name))));
        return new JsonShape.Fields(fields);
    }

    /** Those of the values that are of the type, or of one of the types, that may be beside them. */
    private JsonShape constants(Object type, List<?> values, String at) {
        count(values.size() / 8, at);
        List<?> types = type instanceof List<?> several ? several : type == null ? List.of() : List.of(type);
        List<String> texts = new ArrayList<>();
        for (Object value : values) {
            try {
                if (types.isEmpty() || types.stream().anyMatch(each -> isOf(String.valueOf(each), value))) {
                    texts.add(JSON.writeValueAsString(value));
                }
            } catch (JsonProcessingException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
        if (texts.isEmpty()) {
            throw refused(at, "has no value of the type " + type);
        }
        return new JsonShape.Constants(texts);
    }

    private static boolean isOf(String type, Object value) {
        return switch (type) {
            case "string" -> value instanceof String;
            case "integer" -> value instanceof Integer || value instanceof Long || value instanceof BigInteger;
            case "number" -> value instanceof Number;
            case "boolean" -> value instanceof Boolean;
            case "null" -> value == null;
            case "array" -> value instanceof List;
            default -> type.equals("object") && value instanceof Map;
        };
    }

    private static List<?> list(Object value, String at) {
        if (value instanceof List<?> list && (!list.isEmpty() || at.endsWith(".required"))) {
            return list;
        }
        throw refused(at, "must be an array with something in it");
    }

    private static void allow(Map<?, ?> schema, String at, Set<String> keywords) {
        for (Object keyword : schema.keySet()) {
            if (!keywords.contains(keyword) && !NOTES.contains(keyword)) {
                throw refused(at, "has '" + keyword + "', which is not supported here");
            }
        }
    }

    private static IllegalArgumentException refused(String at, String why) {
        return new IllegalArgumentException("must be a JSON Schema that decoding can follow: " + at + ' ' + why);
    }
}
