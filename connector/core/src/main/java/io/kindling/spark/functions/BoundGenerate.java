package io.kindling.spark.functions;

import io.kindling.engine.GenerationResult;
import io.kindling.spark.convert.ResultConverter;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * {@code generate} or {@code chat}, bound. Without the magic method {@code invoke}: Spark calls that one through expressions that GROUP BY and
 * ORDER BY do not recognise as the same.
 */
record BoundGenerate(String name, RowGenerator generator, Arguments arguments) implements ScalarFunction<UTF8String> {
    @Override
    public String canonicalName() {
        return arguments.canonicalName(name);
    }

    @Override
    public DataType[] inputTypes() {
        return arguments.types().clone();
    }

    @Override
    public DataType resultType() {
        return DataTypes.StringType;
    }

    @Override
    public boolean isDeterministic() {
        return false;
    }

    @Override
    public UTF8String produceResult(InternalRow input) {
        if (arguments.isNull(input)) {
            return null;
        }
        GenerationResult result = generator.generate(arguments, input);
        return ResultConverter.text(result).map(UTF8String::fromString).orElse(null);
    }
}
