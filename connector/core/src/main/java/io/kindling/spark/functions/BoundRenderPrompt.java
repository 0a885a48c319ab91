package io.kindling.spark.functions;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/** {@code render_prompt}, bound: deterministic, since the time that templates write is that of binding. */
record BoundRenderPrompt(RowGenerator generator, Arguments arguments) implements ScalarFunction<UTF8String> {
    @Override
    public String name() {
        return "render_prompt";
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
        return DataTypes.StringType;
    }

    @Override
    public UTF8String produceResult(InternalRow input) {
        return generator
                .text(arguments, input, (model, prompt) -> UTF8String.fromString(model.render(prompt)))
                .orElse(null);
    }
}
