package io.kindling.spark.functions;

import io.kindling.spark.config.InferencePlan;
import io.kindling.spark.convert.InternalValues;
import io.kindling.spark.convert.OutputJson;
import io.kindling.spark.runtime.RowInference.Outcome;
import java.util.Optional;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * {@code run}, bound; not deterministic for Spark, as {@link PromptKind} says, and without {@code invoke}, as {@link BoundPrompt} says.
 *
 * @param resultType a struct of the plan's outputs, or a string for JSON of all
 */
record BoundRun(RowGenerator generator, RunArguments arguments, InferencePlan inference, DataType resultType)
        implements ScalarFunction<Object> {
    @Override
    public String name() {
        return RunFunction.NAME;
    }

    @Override
    public String canonicalName() {
        return Arguments.canonicalName(arguments.model() + '.' + name(), arguments.types());
    }

    @Override
    public DataType[] inputTypes() {
        return arguments.types().clone();
    }

    @Override
    public boolean isDeterministic() {
        return false;
    }

    @Override
    public Object produceResult(InternalRow input) {
        Optional<Row> inputs = arguments.inputs(input);
        if (inputs.isEmpty()) {
            return null;
        }
        return generator
                .infer(arguments.model(input), arguments.options().read(input), inference, inputs.get())
                .map(this::result)
                .orElse(null);
    }

    private Object result(Outcome outcome) {
        return resultType instanceof StructType
                ? InternalValues.toInternalRow(outcome.values())
                : UTF8String.fromString(OutputJson.of(outcome.ports(), outcome.values()));
    }
}
