package io.kindling.spark.functions;

import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.convert.Extraction;
import io.kindling.spark.functions.BatchFunction.Typed;
import io.kindling.spark.runtime.RowCall;
import java.util.Optional;
import java.util.function.IntFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;

/**
 * A {@link PromptFunction}, bound to the types of its arguments and the settings of a session. Without the magic method {@code invoke}:
 * Spark calls that one through expressions that GROUP BY and ORDER BY do not recognise as the same.
 */
record BoundPrompt(PromptKind kind, RowGenerator generator, Arguments arguments) implements BoundCall {
    @Override
    public String name() {
        return kind.label();
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
        return kind.result();
    }

    @Override
    public boolean isDeterministic() {
        return kind.isDeterministic();
    }

    @Override
    public OptionsArgument options() {
        return arguments.options();
    }

    @Override
    public Optional<String> model() {
        return Optional.empty();
    }

    @Override
    public boolean isBatched() {
        return !isDeterministic();
    }

    @Override
    public Optional<Typed> typed(IntFunction<Optional<Object>> known) {
        if (kind.prompts() != PromptKind.Prompts.EXTRACTIONS) {
            return Optional.empty();
        }
        Optional<String> fields = known.apply(Arguments.SCHEMA).map(schema -> Extraction.ddl(schema.toString()));
        return kind == PromptKind.EXTRACT
                ? fields.map(ddl ->
                        new Typed(new BoundPrompt(PromptKind.EXTRACT_JSON, generator, arguments), Optional.of(ddl)))
                : Optional.empty();
    }

    @Override
    public RowCall batched(RowGenerator delivering, GenerationPlan plan) {
        return kind.batched(delivering, arguments, plan);
    }

    /** As Spark's errors show it. */
    @Override
    public String toString() {
        return "onnx." + name();
    }

    @Override
    public int newTokens(GenerationPlan plan) {
        return kind.generates() ? plan.generation().maxNewTokens() : 0;
    }

    @Override
    public Object produceResult(InternalRow input) {
        return arguments.isNull(input) ? null : kind.produce(generator, arguments, input);
    }
}
