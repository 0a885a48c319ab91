package io.kindling.spark.functions;

import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.config.InferencePlan;
import io.kindling.spark.convert.InternalValues;
import io.kindling.spark.convert.OutputJson;
import io.kindling.spark.functions.BatchFunction.Typed;
import io.kindling.spark.runtime.InferRows;
import io.kindling.spark.runtime.RowCall;
import io.kindling.spark.runtime.RowInference.Outcome;
import java.util.Optional;
import java.util.function.IntFunction;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * {@code run}, bound; not deterministic for Spark, as {@link PromptKind} says, and without {@code invoke}, as {@link BoundPrompt} says.
 *
 * @param name in SQL
 * @param resultType a struct of the plan's outputs, or a string for JSON of all
 */
record BoundRun(
        String name, RowGenerator generator, RunArguments arguments, InferencePlan inference, DataType resultType)
        implements BoundCall {
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
    public OptionsArgument options() {
        return arguments.options();
    }

    @Override
    public Optional<String> model() {
        return arguments.model().isEmpty() ? Optional.empty() : Optional.of(arguments.model());
    }

    @Override
    public boolean isBatched() {
        return true;
    }

    @Override
    public RowCall batched(RowGenerator delivering, GenerationPlan plan) {
        return new RunCall(
                new BoundRun(name, delivering, arguments, inference, resultType),
                InferRows.window(plan.engine().maxBatch()));
    }

    @Override
    public Optional<Typed> typed(IntFunction<Optional<Object>> known) {
        return name.equals(RunFunction.NAME) && !(resultType instanceof StructType)
                ? known.apply(0).map(model -> new Typed(RunFunction.typed(this, model.toString()), Optional.empty()))
                : Optional.empty();
    }

    /** As Spark's errors show it. */
    @Override
    public String toString() {
        return "onnx." + name();
    }

    @Override
    public Object produceResult(InternalRow input) {
        Optional<Row> inputs = arguments.inputs(input);
        if (inputs.isEmpty()) {
            return null;
        }
        return result(
                generator.infer(arguments.model(input), arguments.options().read(input), inference, inputs.get()));
    }

    /** In Spark's internal form; null for a row that failed. */
    Object result(Outcome outcome) {
        if (outcome.error().isPresent()) {
            return null;
        }
        return resultType instanceof StructType
                ? InternalValues.toInternalRow(outcome.values())
                : UTF8String.fromString(OutputJson.of(outcome.ports(), outcome.values()));
    }
}
