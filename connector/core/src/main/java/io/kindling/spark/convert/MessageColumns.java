package io.kindling.spark.convert;

import io.kindling.engine.error.OptionException;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;

/** Columns that hold conversations. */
public final class MessageColumns {
    private MessageColumns() {}

    /** Whether values of a type are conversations: arrays of messages, which are structs or maps with text keys. */
    public static boolean isConversation(DataType type) {
        return type instanceof ArrayType array && isMessage(array.elementType());
    }

    private static boolean isMessage(DataType type) {
        return type instanceof StructType || type instanceof MapType map && map.keyType() instanceof StringType;
    }

    /**
     * A column of conversations as JSON, NULL fields left out; one of texts as it is.
     *
     * @throws OptionException when the column holds something else
     */
    public static Column toJson(Column column, Dataset<?> input) {
        DataType type = input.select(column).schema().fields()[0].dataType();
        if (type instanceof StringType) {
            return column;
        }
        if (!isConversation(type)) {
            throw new OptionException(
                    "messages must be an array of structs with role and content, or the text of a JSON"
                            + " array of objects, not " + type.sql());
        }
        return functions.to_json(column);
    }
}
