package io.kindling.spark.functions;

import io.kindling.engine.GenerationResult;
import io.kindling.spark.convert.ResultConverter;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * {@code generate_details}, bound. Without the magic method {@code invoke}: Spark calls that one through expressions that GROUP BY and
 * ORDER BY do not recognise as the same.
 */
record BoundGenerateDetails(RowGenerator generator, Arguments arguments) implements ScalarFunction<InternalRow> {
    @Override
    public String name() {
        return "generate_details";
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
        return ResultConverter.DETAILS;
    }

    @Override
    public boolean isDeterministic() {
        return false;
    }

    @Override
    public InternalRow produceResult(InternalRow input) {
        if (arguments.isNull(input)) {
            return null;
        }
        GenerationResult result = generator.generate(arguments, input);
        Object[] values = ResultConverter.details(result);
        for (int i = 0; i < values.length; i++) {
            if (values[i] instanceof String text) {
                values[i] = UTF8String.fromString(text);
            }
        }
        return new GenericInternalRow(values);
    }
}
