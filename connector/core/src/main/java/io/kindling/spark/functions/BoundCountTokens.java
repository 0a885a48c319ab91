package io.kindling.spark.functions;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** {@code count_tokens}, bound: deterministic, so that it may be summed, filtered and joined by. */
record BoundCountTokens(RowGenerator generator, Arguments arguments) implements ScalarFunction<Integer> {
    @Override
    public String name() {
        return "count_tokens";
    }

    @Override
    public String canonicalName() {
        return arguments.canonicalName(name());
    }

    @Override
    public DataType[] inputTypes() {
        return arguments.types().clone();
    }

    @Override
    public DataType resultType() {
        return DataTypes.IntegerType;
    }

    @Override
    public Integer produceResult(InternalRow input) {
        return generator
                .text(arguments, input, (model, prompt) -> model.encode(prompt).length)
                .orElse(null);
    }
}
