package io.kindling.spark.convert;

import io.kindling.engine.Message;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/** Conversations in Spark's own rows: arrays of structs or maps, to any depth. Fields that are NULL are left out. */
public final class MessageRows {
    private MessageRows() {}

    /** Whether templates can read all that a type holds: texts, numbers, booleans, arrays, structs and maps with text keys. */
    public static boolean isReadable(DataType type) {
        if (type instanceof ArrayType array) {
            return isReadable(array.elementType());
        }
        if (type instanceof MapType map) {
            return map.keyType() instanceof StringType && isReadable(map.valueType());
        }
        if (type instanceof StructType struct) {
            for (StructField field : struct.fields()) {
                if (!isReadable(field.dataType())) {
                    return false;
                }
            }
            return true;
        }
        return type instanceof StringType
                || type instanceof BooleanType
                || type instanceof NumericType
                || type instanceof NullType;
    }

    /** @param type an array of structs or maps */
    public static List<Message> messages(ArrayData array, ArrayType type) {
        List<Message> messages = new ArrayList<>();
        for (Object message : list(array, type.elementType())) {
            Map<String, Object> fields = new LinkedHashMap<>();
            if (message instanceof Map<?, ?> map) {
                map.forEach((name, value) -> fields.put((String) name, value));
            }
            messages.add(new Message(fields));
        }
        return messages;
    }

    private static List<Object> list(ArrayData array, DataType elementType) {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < array.numElements(); i++) {
            values.add(value(array.isNullAt(i) ? null : array.get(i, elementType), elementType));
        }
        return values;
    }

    /** A value as Spark holds it, as Java's. */
    private static Object value(Object held, DataType type) {
        if (held == null || held instanceof UTF8String) {
            return held == null ? null : held.toString();
        }
        if (type instanceof ArrayType array) {
            return list((ArrayData) held, array.elementType());
        }
        if (type instanceof StructType struct) {
            return fields((InternalRow) held, struct);
        }
        if (type instanceof MapType map) {
            return entries((MapData) held, map.valueType());
        }
        if (held instanceof Decimal decimal) {
            BigDecimal number = decimal.toJavaBigDecimal();
            return number.scale() == 0 ? number.toBigInteger() : number;
        }
        return held;
    }

    private static Map<String, Object> fields(InternalRow row, StructType struct) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (int i = 0; i < struct.length(); i++) {
            StructField field = struct.fields()[i];
            if (!row.isNullAt(i)) {
                fields.put(field.name(), value(row.get(i, field.dataType()), field.dataType()));
            }
        }
        return fields;
    }

    private static Map<String, Object> entries(MapData map, DataType valueType) {
        Map<String, Object> entries = new LinkedHashMap<>();
        for (int i = 0; i < map.numElements(); i++) {
            if (!map.valueArray().isNullAt(i)) {
                entries.put(
                        map.keyArray().getUTF8String(i).toString(),
                        value(map.valueArray().get(i, valueType), valueType));
            }
        }
        return entries;
    }
}
