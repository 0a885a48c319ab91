package io.kindling.spark.functions;

import io.kindling.spark.convert.InternalValues;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Optional;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;

/**
 * Reads the arguments of a call of {@code run}: {@code (model, inputs [, options])}, {@code (inputs [, options])} or
 * {@code (input, …[, options])}.
 *
 * @param model that the function is of; empty when the first argument names it
 * @param types of all arguments
 * @param inputs of the graph, by the names of their ports
 * @param struct which argument holds all inputs; −1 when each is an argument
 */
record RunArguments(String model, DataType[] types, StructType inputs, int struct, OptionsArgument options)
        implements Serializable {

    String model(InternalRow input) {
        return model.isEmpty() ? input.getUTF8String(0).toString() : model;
    }

    /** Values of the inputs; empty where the model or one of them is NULL. */
    Optional<Row> inputs(InternalRow input) {
        if (model.isEmpty() && input.isNullAt(0) || struct >= 0 && input.isNullAt(struct)) {
            return Optional.empty();
        }
        Row row = InternalValues.toRow(struct >= 0 ? input.getStruct(struct, inputs.length()) : input, inputs);
        return row.anyNull() ? Optional.empty() : Optional.of(row);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RunArguments that
                && model.equals(that.model)
                && inputs.equals(that.inputs)
                && struct == that.struct
                && Arrays.equals(types, that.types);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(types) * 31 + model.hashCode();
    }
}
