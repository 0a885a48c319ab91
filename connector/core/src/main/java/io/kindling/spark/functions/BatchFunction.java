package io.kindling.spark.functions;

import io.kindling.engine.Option;
import io.kindling.engine.OptionValues;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.runtime.ModelDistributor;
import io.kindling.spark.runtime.RowCall;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.catalog.functions.ScalarFunction;
import org.apache.spark.sql.types.DataType;

/** A bound function that the batch operator can run, as Spark's planning sees it. Equal for equal functions. */
public record BatchFunction(ScalarFunction<?> function) implements Serializable {
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
        known.options().ifPresent(options -> call().generator().plan(options));
        known.model().ifPresent(model -> call().generator().uri(model));
    }

    /** A call in plans: its model and the options that are not at their defaults. */
    public String describe(List<Optional<Object>> arguments) {
        Known known = known(arguments);
        List<String> parts = new ArrayList<>();
        parts.add(known.model().map(this::describeModel).orElse("model of each row"));
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

    private String describeModel(String model) {
        String uri = call().generator().uri(model);
        return "model=" + (uri.equals(model) ? uri : model + " (" + uri + ")");
    }

    /**
     * What executors run, with the model delivered to them as the options say where it is known.
     *
     * @throws io.kindling.engine.error.KindlingException NOT_FOUND or IO when the driver should see the model and does not
     */
    public RowCall prepare(List<Optional<Object>> arguments, JavaSparkContext context) {
        Known known = known(arguments);
        RowGenerator generator = call().generator();
        GenerationPlan plan = generator.plan(known.options().orElse(Map.of()));
        RowGenerator delivering = known.model()
                .map(model -> generator.delivering(
                        model, ModelDistributor.distribute(generator.uri(model), plan.distribution(), context)))
                .orElse(generator);
        return call().batched(delivering, plan);
    }
}
