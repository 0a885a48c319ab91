package io.kindling.spark.convert;

import io.kindling.engine.error.OptionException;
import io.kindling.spark.config.LeastRecent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
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
    /** The field of a schema that {@code from_json} fills with what is no such object. */
    private static final String CORRUPT = "_corrupt_record";

    private static final int MOST_KEPT = 100;

    /** Schemas are literals as a rule: one is parsed once, not for each row. */
    private static final Map<String, String> FORMS = Collections.synchronizedMap(new LeastRecent<>(MOST_KEPT));

    private Extraction() {}

    /**
     * @param schema in DDL, such as {@code name STRING, amount DOUBLE}
     * @throws OptionException when it is not that
     */
    public static StructType fields(String schema) {
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
        return "Extract data from the text below. Answer with one JSON object of this form and nothing else; write null for what the"
                + " text does not say.\n" + form(schema) + "\n\nText:\n" + text;
    }

    /** Of a schema that is parsed when it is met first. */
    static String form(String schema) {
        return FORMS.computeIfAbsent(schema, ddl -> form(fields(ddl)));
    }

    private static String form(DataType type) {
        if (type instanceof StructType struct) {
            List<String> fields = new ArrayList<>();
            for (StructField field : struct.fields()) {
                if (!field.name().equals(CORRUPT)) {
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
