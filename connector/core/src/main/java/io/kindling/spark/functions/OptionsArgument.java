package io.kindling.spark.functions;

import java.io.Serializable;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StringType;

/**
 * Options as the last argument of a call.
 *
 * @param index among the arguments; −1 without options
 * @param valueType of the map's values
 */
record OptionsArgument(int index, DataType valueType) implements Serializable {
    static final OptionsArgument NONE = new OptionsArgument(-1, DataTypes.NullType);

    static OptionsArgument of(int index, DataType type) {
        return new OptionsArgument(index, type instanceof MapType map ? map.valueType() : DataTypes.NullType);
    }

    /** Whether a type can hold options: an array shows in the message of the option that it is wrong for. */
    static boolean accepts(DataType type) {
        return type instanceof NullType
                || type instanceof MapType map && isText(map.keyType()) && isValue(map.valueType());
    }

    private static boolean isText(DataType type) {
        return type instanceof StringType || type instanceof NullType; // the keys of map()
    }

    /** Not such as dates, which are numbers inside of Spark. */
    private static boolean isValue(DataType type) {
        return isText(type) || type instanceof NumericType || type instanceof BooleanType || type instanceof ArrayType;
    }

    /** SQL gives all values of a map one type: beside 0.7, an 8 is the decimal 8.0, which options take for 8. */
    Map<String, String> read(InternalRow input) {
        if (index < 0 || input.isNullAt(index) || valueType.equals(DataTypes.NullType)) {
            return Map.of();
        }
        MapData map = input.getMap(index);
        Map<String, String> options = new LinkedHashMap<>();
        for (int i = 0; i < map.numElements(); i++) {
            String key = map.keyArray().getUTF8String(i).toString();
            if (!map.valueArray().isNullAt(i)) {
                options.put(key, String.valueOf(map.valueArray().get(i, valueType)));
            }
        }
        return options;
    }
}
