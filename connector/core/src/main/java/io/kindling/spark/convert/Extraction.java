package io.kindling.spark.convert;

import io.kindling.engine.JsonSchemas;
import io.kindling.engine.JsonShape;
import io.kindling.engine.ResponseFormat;
import io.kindling.engine.error.OptionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/** Structs out of texts: what a model is asked, and the JSON object of its answer. */
public final class Extraction {
    private static final int MOST_KEPT = 100;

    /** Schemas are literals as a rule: one is read once in a process, not for each row, and found without a lock. */
    private static final Map<String, Schema> SCHEMAS = new ConcurrentHashMap<>();

    /**
     * @param asked how a model is told of it
     * @param format what its answer is held to
     */
    private record Schema(String asked, ResponseFormat format) {}

    private Extraction() {}

    /**
     * @param schema in DDL, such as {@code name STRING, amount DOUBLE}, or the JSON Schema of an object
     * @throws OptionException when it is neither
     */
    static StructType fields(String schema) {
        return isJson(schema) ? (StructType) ShapeTypes.type(object(schema, shape(schema))) : ofDdl(schema);
    }

    /**
     * A schema as {@code from_json} takes it.
     *
     * @throws OptionException like {@link #fields}
     */
    public static String ddl(String schema) {
        StructType fields = fields(schema);
        return isJson(schema) ? fields.toDDL() : schema;
    }

    private static boolean isJson(String schema) {
        return schema.stripLeading().startsWith("{");
    }

    private static JsonShape shape(String schema) {
        try {
            return JsonSchemas.parse(schema);
        } catch (IllegalArgumentException e) {
            throw new OptionException("the schema '" + schema + "' " + e.getMessage());
        }
    }

    private static JsonShape object(String schema, JsonShape shape) {
        if (shape instanceof JsonShape.Fields object && !object.fields().isEmpty()) {
            return object;
        }
        throw refused(schema, ", and as JSON Schema it is not of an object with properties");
    }

    private static StructType ofDdl(String schema) {
        DataType type;
        try {
            type = DataType.fromDDL(schema);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Exception e) { // Spark's, which Scala does not declare
            throw refused(
                    schema,
                    ": "
                            + e.getMessage()
                                    .lines()
                                    .filter(line -> !line.isBlank())
                                    .findFirst()
                                    .orElse(""));
        }
        if (!(type instanceof StructType fields) || fields.isEmpty()) {
            throw refused(schema, ", but " + type.sql());
        }
        return fields;
    }

    private static OptionException refused(String schema, String why) {
        return new OptionException(
                "the schema '" + schema + "' is not a list of fields such as 'name STRING, amount DOUBLE'" + why);
    }

    /**
     * The message that asks for the fields of a schema.
     *
     * @throws OptionException for a bad schema
     */
    public static String request(String schema, String text) {
        return "Extract data from the text below. Answer with one JSON object " + schema(schema).asked + "\n\nText:\n"
                + text;
    }

    /**
     * What an answer is held to.
     *
     * @throws OptionException for a bad schema
     */
    public static ResponseFormat format(String schema) {
        return schema(schema).format;
    }

    private static Schema schema(String schema) {
        Schema known = SCHEMAS.get(schema);
        if (known != null) {
            return known;
        }
        if (SCHEMAS.size() >= MOST_KEPT) {
            SCHEMAS.clear();
        }
        return SCHEMAS.computeIfAbsent(schema, Extraction::read);
    }

    private static Schema read(String schema) {
        if (isJson(schema)) {
            return new Schema(
                    "that this JSON Schema describes and nothing else.\n" + schema.strip(),
                    new ResponseFormat.Json(object(schema, shape(schema))));
        }
        StructType fields = ofDdl(schema);
        return new Schema(
                "of this form and nothing else; write null for what the text does not say.\n" + form(fields),
                new ResponseFormat.Json(ShapeTypes.shape(fields, false)));
    }

    private static String form(DataType type) {
        if (type instanceof StructType struct) {
            List<String> fields = new ArrayList<>();
            for (StructField field : struct.fields()) {
                if (!field.name().equals(ShapeTypes.CORRUPT)) {
                    String comment = field.getComment().isDefined()
                            ? " (" + field.getComment().get() + ")"
                            : "";
                    fields.add('"' + field.name() + "\": " + form(field.dataType()) + comment);
                }
            }
            return "{" + String.join(", ", fields) + "}";
        }
        if (type instanceof ArrayType array) {
            return "[" + form(array.elementType()) + ", ...]";
        }
        if (type instanceof MapType map) {
            return "{string: " + form(map.valueType()) + ", ...}";
        }
        if (type instanceof ByteType
                || type instanceof ShortType
                || type instanceof IntegerType
                || type instanceof LongType) {
            return "integer";
        }
        if (type instanceof NumericType) {
            return "number";
        }
        if (type instanceof BooleanType) {
            return "true or false";
        }
        if (type instanceof DateType) {
            return "date as \"yyyy-mm-dd\"";
        }
        return type instanceof TimestampType || type instanceof TimestampNTZType
                ? "time as \"yyyy-mm-ddThh:mm:ss\""
                : "string";
    }

    /** The first JSON object of an answer; from its brace on where it does not end, and all of an answer that has none. */
    public static String object(String answer) {
        int start = answer.indexOf('{');
        if (start < 0) {
            return answer.strip();
        }
        int depth = 0;
        boolean quoted = false;
        for (int i = start; i < answer.length(); i++) {
            char c = answer.charAt(i);
            if (quoted && c == '\\') {
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (!quoted && c == '{') {
                depth++;
            } else if (!quoted && c == '}' && --depth == 0) {
                return answer.substring(start, i + 1);
            }
        }
        return answer.substring(start).strip();
    }
}
