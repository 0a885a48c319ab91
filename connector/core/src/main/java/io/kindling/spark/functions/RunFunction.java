package io.kindling.spark.functions;

import io.kindling.engine.Option.Scope;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.spark.config.InferencePlan;
import io.kindling.spark.config.Refusals;
import io.kindling.spark.convert.InputTypes;
import io.kindling.spark.convert.OutputTypes;
import io.kindling.spark.convert.RowAxis;
import io.kindling.spark.runtime.GraphPorts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Any graph over columns: {@code run(model, inputs [, options])}, {@code run_json(model, inputs [, options])} and
 * {@code <model>.run(…)}. Spark asks for the type of a result before it shows arguments, so that the first one is bound with JSON text, and
 * again by the session extension where the model turns out to be a literal.
 */
public final class RunFunction implements CatalogFunction {
    /** Its name. */
    public static final String NAME = "run";

    private static final String JSON_NAME = "run_json";
    private static final String INPUTS =
            "inputs STRUCT<name of a port: number, boolean, string, arrays of them, BINARY,"
                    + " or STRUCT<data BINARY, shape ARRAY<BIGINT>>, …> [, options MAP<STRING, …>])";
    private static final String NULLS = "NULL for a NULL input or a row that failed.";
    private static final String MODEL = " The model is an alias set by spark.kindling.model.<alias>, or a URI.";

    private final String name;
    private final String model;

    private RunFunction(String name, String model) {
        this.name = name;
        this.model = model;
    }

    /** {@code run(model, inputs [, options])} and {@code run_json(…)}. */
    public static List<RunFunction> ofAnyModel() {
        return List.of(new RunFunction(NAME, ""), new RunFunction(JSON_NAME, ""));
    }

    /** {@code run(inputs [, options])} and {@code run(input, … [, options])} of one model, given as alias or URI. */
    public static RunFunction of(String model) {
        return new RunFunction(NAME, model);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String signature() {
        return name
                + (model.isEmpty() ? "(model STRING, " : "(")
                + INPUTS
                + (name.equals(JSON_NAME) ? " -> STRING" : " -> STRUCT");
    }

    @Override
    public String description() {
        if (!model.isEmpty()) {
            return signature() + ": the graph's outputs; " + NULLS
                    + " Instead of the struct it also takes the inputs one by one, in the graph's order.";
        }
        return signature()
                + (name.equals(NAME)
                        ? ": what any graph makes of a row's inputs; " + NULLS
                                + " A JSON object as STRING, as run_json gives, where the model is not a literal or the"
                                + " session extension is off."
                        : ": what any graph makes of a row's inputs, as a JSON object; " + NULLS)
                + MODEL;
    }

    @Override
    public String example() {
        if (!model.isEmpty()) {
            return "SELECT id, onnx.churn.run(features).probabilities FROM customers;";
        }
        return name.equals(NAME)
                ? "SELECT id, onnx.run('churn', named_struct('x', features)).probabilities FROM customers;"
                : "SELECT from_json(onnx.run_json('churn', named_struct('x', features)), 'label BIGINT').label"
                        + " FROM customers;";
    }

    @Override
    public Set<Scope> scopes() {
        return Set.of();
    }

    @Override
    public BoundFunction bind(StructType inputType) {
        return Refusals.whileBinding(called(), () -> bound(inputType));
    }

    private BoundFunction bound(StructType inputType) {
        StructField[] given = inputType.fields();
        DataType[] types = Arrays.stream(given).map(StructField::dataType).toArray(DataType[]::new);
        RowGenerator generator = RowGenerator.ofActiveSession(scopes());
        if (model.isEmpty()) {
            return bindAnyModel(generator, types);
        }
        int last = types.length - 1;
        boolean options = last > 0 && types[last] instanceof MapType && OptionsArgument.accepts(types[last]);
        DataType[] inputs = options ? Arrays.copyOf(types, last) : types;
        GraphPorts ports = ports(generator.uri(model));
        List<String> names = ports.inputs().stream().map(ValueInfo::name).toList();
        boolean struct = inputs.length == 1
                && inputs[0] instanceof StructType fields
                && names.containsAll(Arrays.asList(fields.fieldNames()));
        if (!struct && inputs.length == 1 && inputs[0] instanceof StructType fields && !InputTypes.isFeedable(fields)) {
            throw refused("takes a struct whose fields are named like the graph's inputs " + names + ", not "
                    + Arrays.toString(fields.fieldNames()));
        }
        if (!struct && inputs.length != names.size()) {
            throw refused("takes a struct of the graph's inputs " + names + ", or each as an argument, not "
                    + inputs.length + (inputs.length == 1 ? " argument" : " arguments"));
        }
        StructType fed = feedable(struct ? (StructType) inputs[0] : named(names, inputs));
        return typed(
                generator,
                new RunArguments(
                        model,
                        types,
                        fed,
                        struct ? 0 : -1,
                        options ? OptionsArgument.of(last, types[last]) : OptionsArgument.NONE),
                ports);
    }

    private BoundFunction bindAnyModel(RowGenerator generator, DataType[] types) {
        if (types.length < 2 || types.length > 3) {
            throw refused("takes 2 or 3 arguments, not " + types.length);
        }
        if (!PromptFunction.isText(types[0]) || !(types[1] instanceof StructType inputs)) {
            throw refused("needs a string and a struct of inputs, not " + types[0].sql() + " and " + types[1].sql());
        }
        if (types.length == 3 && !OptionsArgument.accepts(types[2])) {
            throw refused("needs options as a map from strings, not " + types[2].sql());
        }
        types[0] = Arguments.text(types[0]);
        OptionsArgument options = types.length == 3 ? OptionsArgument.of(2, types[2]) : OptionsArgument.NONE;
        return new BoundRun(
                name,
                generator,
                new RunArguments("", types, feedable(inputs), 1, options),
                plan(inputs, List.of(), false),
                DataTypes.StringType);
    }

    /**
     * {@code run} with a struct of a known model's outputs for its result.
     *
     * @param bound to the same arguments, of which the first is the model
     * @throws KindlingException NOT_FOUND or IO where the driver cannot read the graph, SHAPE_OR_TYPE for inputs that are not its own
     * @throws io.kindling.engine.error.OptionException for inputs and outputs whose types do not fit
     */
    static BoundRun typed(BoundRun bound, String model) {
        String uri = bound.generator().uri(model);
        GraphPorts ports;
        try {
            ports = ports(uri);
        } catch (KindlingException fault) {
            if (fault.code() != ErrorCode.NOT_FOUND && fault.code() != ErrorCode.IO) {
                throw fault;
            }
            throw new KindlingException(
                    fault.code(),
                    fault.getMessage() + "; the driver reads the graph for the type of the result: onnx." + JSON_NAME
                            + " runs a model that only executors see",
                    fault);
        }
        return typed(bound.generator(), bound.arguments(), ports);
    }

    private static BoundRun typed(RowGenerator generator, RunArguments arguments, GraphPorts ports) {
        StructType fed = arguments.inputs();
        ports.requireInputs(Arrays.asList(fed.fieldNames()));
        for (StructField field : fed.fields()) {
            if (!field.dataType().equals(DataTypes.NullType)) {
                InputTypes.check(GraphPorts.named(ports.inputs(), field.name()), field.dataType());
            }
        }
        boolean whole = InputTypes.areWhole(ports.inputs(), fed);
        RowAxis axis = whole ? RowAxis.NONE : RowAxis.of(ports.inputs(), ports.outputs());
        List<InferencePlan.Output> outputs = new ArrayList<>();
        StructType result = new StructType();
        for (ValueInfo output : ports.outputs()) {
            DataType type = OutputTypes.of(output, axis);
            outputs.add(new InferencePlan.Output(output.name(), type));
            result = result.add(output.name(), type);
        }
        return new BoundRun(NAME, generator, arguments, plan(fed, outputs, whole), result);
    }

    private static GraphPorts ports(String uri) {
        return GraphPorts.of(uri, SparkSession.active().sparkContext().hadoopConfiguration());
    }

    private static StructType named(List<String> names, DataType[] types) {
        StructType struct = new StructType();
        for (int k = 0; k < types.length; k++) {
            struct = struct.add(names.get(k), types[k]);
        }
        return struct;
    }

    private static InferencePlan plan(StructType fed, List<InferencePlan.Output> outputs, boolean whole) {
        return new InferencePlan(Arrays.asList(fed.fieldNames()), outputs, 0, whole);
    }

    private StructType feedable(StructType inputs) {
        for (StructField field : inputs.fields()) {
            if (!InputTypes.isFeedable(field.dataType())) {
                throw refused("cannot feed a column of " + field.dataType().sql() + " to input '" + field.name()
                        + "'; cast it");
            }
        }
        return inputs;
    }

    private UnsupportedOperationException refused(String why) {
        return new UnsupportedOperationException(called() + ' ' + why + ": write " + owner() + signature());
    }

    private String called() {
        return owner() + name;
    }

    private String owner() {
        return model.isEmpty() ? "onnx." : "onnx.`" + model + "`.";
    }
}
