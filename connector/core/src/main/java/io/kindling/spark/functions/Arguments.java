package io.kindling.spark.functions;

import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.Message;
import io.kindling.engine.PromptOptions;
import io.kindling.spark.convert.MessageRows;
import java.io.Serializable;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.MapData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructType;

/**
 * Reads the arguments (model, prompt, options) of a call.
 *
 * @param types what Spark is to cast them to
 * @param optionType type of the option values; NULL type when there are no options
 * @param user whether a text is a user's message whatever the options say
 */
record Arguments(DataType[] types, DataType optionType, boolean user) implements Serializable {
    static Arguments of(StructType inputType, boolean user) {
        DataType[] types = new DataType[inputType.length()];
        types[0] = DataTypes.StringType;
        types[1] = inputType.fields()[1].dataType() instanceof ArrayType array ? array : DataTypes.StringType;
        DataType optionType = DataTypes.NullType;
        if (types.length == 3) {
            types[2] = inputType.fields()[2].dataType();
            if (types[2] instanceof MapType map) {
                optionType = map.valueType();
            }
        }
        return new Arguments(types, optionType, user);
    }

    /** Whether the answer is NULL without asking a model. */
    boolean isNull(InternalRow input) {
        return input.isNullAt(0) || input.isNullAt(1);
    }

    String model(InternalRow input) {
        return input.getUTF8String(0).toString();
    }

    Prompt prompt(InternalRow input, PromptOptions options) {
        if (types[1] instanceof ArrayType array) {
            return options.conversation(MessageRows.messages(input.getArray(1), array));
        }
        String text = text(input);
        return user ? options.conversation(List.of(Message.of("user", text))) : options.prompt(text);
    }

    /** The second argument of functions that take no conversations. */
    String text(InternalRow input) {
        return input.getUTF8String(1).toString();
    }

    /** Names a function over these types; Spark takes calls of one name for the same function. */
    String canonicalName(String name) {
        return Arrays.stream(types)
                .map(DataType::sql)
                .collect(Collectors.joining(", ", "io.kindling." + name + '(', ")"));
    }

    /** SQL gives all values of a map one type: beside 0.7, an 8 is the decimal 8.0, which options take for 8. */
    Map<String, String> options(InternalRow input) {
        if (types.length < 3 || input.isNullAt(2) || optionType.equals(DataTypes.NullType)) {
            return Map.of();
        }
        MapData map = input.getMap(2);
        Map<String, String> options = new LinkedHashMap<>();
        for (int i = 0; i < map.numElements(); i++) {
            String key = map.keyArray().getUTF8String(i).toString();
            if (!map.valueArray().isNullAt(i)) {
                options.put(key, String.valueOf(map.valueArray().get(i, optionType)));
            }
        }
        return options;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Arguments that && user == that.user && Arrays.equals(types, that.types);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(types);
    }
}
