package io.kindling.spark.functions;

import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.runtime.ModelSource;
import io.kindling.spark.runtime.RowCall;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * The request that {@code format("onnx")} makes for a row, in the batch operator only. Its arguments are the prompt, the options and,
 * where rows have one, the key; its result is a struct of what {@link SourceKind} says.
 *
 * @param modelName alias or URI
 * @param conversations whether prompts are the JSON of conversations
 * @param partitions to split the rows into first; 0 keeps the input's
 */
record SourceCall(SourceKind kind, RowGenerator generator, String modelName, boolean conversations, int partitions)
        implements BoundCall {
    private static final int PROMPT = 0;
    private static final int OPTIONS = 1;
    private static final int KEY = 2;
    private static final DataType OPTIONS_TYPE = DataTypes.createMapType(DataTypes.StringType, DataTypes.StringType);

    @Override
    public String name() {
        return kind.label();
    }

    @Override
    public String canonicalName() {
        return Arguments.canonicalName("source." + name(), inputTypes());
    }

    @Override
    public DataType[] inputTypes() {
        return new DataType[] {DataTypes.StringType, OPTIONS_TYPE, DataTypes.StringType};
    }

    @Override
    public DataType resultType() {
        return new StructType().add("result", kind.result()).add("details", kind.details());
    }

    @Override
    public boolean isDeterministic() {
        return false; // as PromptKind says
    }

    @Override
    public OptionsArgument options() {
        return OptionsArgument.of(OPTIONS, OPTIONS_TYPE);
    }

    @Override
    public Optional<String> model() {
        return Optional.of(modelName);
    }

    @Override
    public boolean isBatched() {
        return true;
    }

    @Override
    public RowCall batched(RowGenerator delivering, GenerationPlan plan) {
        return kind.batched(delivering, this, plan);
    }

    @Override
    public int newTokens(GenerationPlan plan) {
        return kind == SourceKind.GENERATE ? plan.generation().maxNewTokens() : 0;
    }

    ModelSource source(RowGenerator delivering) {
        return delivering.source(modelName);
    }

    /** Empty for a NULL prompt, whose result is NULL. */
    static Optional<String> prompt(InternalRow arguments) {
        return text(arguments, PROMPT);
    }

    static Optional<String> key(InternalRow arguments) {
        return text(arguments, KEY);
    }

    private static Optional<String> text(InternalRow arguments, int index) {
        return index >= arguments.numFields() || arguments.isNullAt(index)
                ? Optional.empty()
                : Optional.of(arguments.getUTF8String(index).toString());
    }
}
