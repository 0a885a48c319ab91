package io.kindling.spark.functions;

import io.kindling.engine.Option;
import io.kindling.engine.OptionValues;
import io.kindling.spark.config.Distribution;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.runtime.ModelDistributor;
import io.kindling.spark.runtime.RowCall;
import io.kindling.spark.runtime.RowSplit;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StructType;

/** A bound function that the batch operator can run, as Spark's planning sees it. Equal for equal functions. */
public record BatchFunction(ScalarFunction<?> function) implements Serializable {
    /** Of a vector of 768 numbers, as encoders make them. */
    private static final long VECTOR_BYTES = 4 * 768;

    public BatchFunction {
        if (!(function instanceof BoundCall)) {
            throw new IllegalArgumentException("not of the catalog: " + function);
        }
    }

    /** What the operator makes of a function; empty for those that it leaves to Spark. */
    public static Optional<BatchFunction> of(ScalarFunction<?> function) {
        return function instanceof BoundCall call && call.isBatched()
                ? Optional.of(new BatchFunction(function))
                : Optional.empty();
    }

    /** Whether a function is one of the catalog's, batched or not. */
    public static boolean isOfCatalog(ScalarFunction<?> function) {
        return function instanceof BoundCall;
    }

    /**
     * The request of {@code format("onnx")}, with the settings of the active session. Its arguments are the prompt, the options as a map
     * of texts and, where rows have one, the key; its result is a struct of the result and its details.
     *
     * @param model alias or URI
     * @param conversations whether prompts are the JSON of conversations
     * @param partitions to split the rows into first; 0 keeps those that they have
     */
    public static BatchFunction ofSource(SourceKind kind, String model, boolean conversations, int partitions) {
        return new BatchFunction(
                new SourceCall(kind, RowGenerator.ofActiveSession(kind.scopes()), model, conversations, partitions));
    }

    private BoundCall call() {
        return (BoundCall) function;
    }

    public String name() {
        return function.name();
    }

    public DataType resultType() {
        return function.resultType();
    }

    /** Whether an argument is the model or the options, which matter before rows are read, and nothing of a row's own. */
    public boolean isSetting(int argument) {
        return isModel(argument) || argument == call().options().index();
    }

    private boolean isModel(int argument) {
        return argument == 0 && call().model().isEmpty();
    }

    /**
     * A call whose result has a type that literals among its arguments say.
     *
     * @param function in the place of the one that was called, of the same arguments
     * @param schema that {@code from_json} is to read its result with, if any
     */
    public record Typed(ScalarFunction<?> function, Optional<String> schema) {}

    /**
     * What a call becomes at analysis; empty where it stays as it is.
     *
     * @param known the value of an argument in Spark's internal form, if it is a literal
     * @throws io.kindling.engine.error.KindlingException where the driver cannot read the model's graph, it does not fit the inputs, or
     *     the schema is none
     */
    public Optional<Typed> typed(IntFunction<Optional<Object>> known) {
        return call().typed(known);
    }

    /**
     * What is known of a call before any row is read.
     *
     * @param model alias or URI
     * @param options of the call; empty when they come from columns
     */
    private record Known(Optional<String> model, Optional<Map<String, String>> options) {}

    /** @param arguments values in Spark's internal form, empty ones for those that differ from row to row */
    private Known known(List<Optional<Object>> arguments) {
        Object[] values = arguments.stream().map(value -> value.orElse(null)).toArray();
        InternalRow row = new GenericInternalRow(values);
        OptionsArgument options = call().options();
        Optional<String> model = isModel(0) ? arguments.get(0).map(String::valueOf) : call().model();
        boolean given = options.index() >= 0;
        return new Known(
                model,
                given && arguments.get(options.index()).isEmpty() ? Optional.empty() : Optional.of(options.read(row)));
    }

    /**
     * Checks what is known of a call.
     *
     * @throws io.kindling.engine.error.OptionException with all bad options
     * @throws io.kindling.engine.error.KindlingException NOT_FOUND for a model name that is no alias
     */
    public void check(List<Optional<Object>> arguments) {
        Known known = known(arguments);
        GenerationPlan plan = plan(known);
        known.model().ifPresent(model -> call().generator().uri(model, plan.distribution()));
    }

    /** A call in plans: its model and the options that are not at their defaults. */
    public String describe(List<Optional<Object>> arguments) {
        Known known = known(arguments);
        List<String> parts = new ArrayList<>();
        parts.add(known.model()
                .map(model -> describeModel(model, plan(known).distribution()))
                .orElse("model of each row"));
        OptionValues values =
                call().generator().settings().values(known.options().orElse(Map.of()));
        values.givenOptions().stream()
                .sorted(Comparator.comparing(Option::name))
                .forEach(option -> parts.add(option.name() + "=" + values.get(option)));
        if (known.options().isEmpty()) {
            parts.add("options of each row");
        }
        return "onnx." + name() + "[" + String.join(", ", parts) + "]";
    }

    private String describeModel(String model, Distribution distribution) {
        String uri = call().generator().uri(model, distribution);
        return "model=" + (uri.equals(model) ? uri : model + " (" + uri + ")");
    }

    /**
     * How rows are to be split into partitions before the model sees them; empty to leave them where they are.
     *
     * @param arguments as for {@link #check}
     */
    public Optional<RowSplit> split(List<Optional<Object>> arguments) {
        return function instanceof SourceCall source && source.partitions() > 0
                ? Optional.of(new RowSplit(source.partitions(), call().newTokens(plan(known(arguments)))))
                : Optional.empty();
    }

    /**
     * About how many bytes a row's result takes, for plans of joins: Spark knows the types alone, and takes a vector for one number.
     *
     * @param arguments as for {@link #check}
     */
    public long resultBytes(List<Optional<Object>> arguments) {
        long text = (long) call().newTokens(plan(known(arguments))) * RowSplit.BYTES_OF_A_TOKEN;
        return text + resultType().defaultSize() + vectors(resultType()) * VECTOR_BYTES;
    }

    private static long vectors(DataType type) {
        if (type instanceof StructType struct) {
            return Arrays.stream(struct.fields())
                    .mapToLong(field -> vectors(field.dataType()))
                    .sum();
        }
        DataType element = type;
        while (element instanceof ArrayType array) {
            element = array.elementType();
        }
        return type instanceof ArrayType && element instanceof NumericType ? 1 : 0;
    }

    private GenerationPlan plan(Known known) {
        return call().generator().plan(known.options().orElse(Map.of()));
    }

    /**
     * What executors run, with the model delivered to them as the options say where it is known.
     *
     * @throws io.kindling.engine.error.KindlingException NOT_FOUND or IO when the driver should see the model and does not
     */
    public RowCall prepare(List<Optional<Object>> arguments, JavaSparkContext context) {
        Known known = known(arguments);
        RowGenerator generator = call().generator();
        GenerationPlan plan = plan(known);
        RowGenerator delivering = known.model()
                .map(model -> generator.delivering(
                        model,
                        ModelDistributor.distribute(
                                generator.uri(model, plan.distribution()), plan.distribution(), context)))
                .orElse(generator);
        return call().batched(delivering, plan);
    }
}
