package io.kindling.spark.functions;

import io.kindling.engine.ir.ValueInfo;
import io.kindling.spark.config.InferencePlan;
import io.kindling.spark.convert.InputTypes;
import io.kindling.spark.convert.OutputTypes;
import io.kindling.spark.convert.RowAxis;
import io.kindling.spark.runtime.GraphPorts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.functions.BoundFunction;
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Any graph over columns: {@code run(model, inputs [, options])}, whose result is JSON text since Spark asks for the type before the
 * model is known, and {@code <model>.run(…)}, whose result is a struct of the outputs.
 */
public final class RunFunction implements UnboundFunction {
    /** Its name. */
    public static final String NAME = "run";

    private final String model;

    private RunFunction(String model) {
        this.model = model;
    }

    /** {@code run(model, inputs [, options])}. */
    public static RunFunction ofAnyModel() {
        return new RunFunction("");
    }

    /** {@code run(inputs [, options])} and {@code run(input, … [, options])} of one model, given as alias or URI. */
    public static RunFunction of(String model) {
        return new RunFunction(model);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String description() {
        String inputs = "inputs STRUCT<name of a port: number, boolean, string, arrays of them, BINARY, or"
                + " STRUCT<data BINARY, shape ARRAY<BIGINT>>, …> [, options MAP<STRING, …>])";
        return model.isEmpty()
                ? "run(model STRING, " + inputs
                        + " -> STRING: what any graph makes of a row's inputs, as a JSON object;"
                        + " onnx.<model>.run(…) gives a struct. NULL for a NULL input or a row that failed. The model is an"
                        + " alias set by spark.kindling.model.<alias>, or a URI."
                : "run(" + inputs
                        + " -> STRUCT: the graph's outputs; NULL for a NULL input or a row that failed. In place of the"
                        + " struct it takes inputs in the order of the graph.";
    }

    @Override
    public BoundFunction bind(StructType inputType) {
        StructField[] given = inputType.fields();
        DataType[] types = Arrays.stream(given).map(StructField::dataType).toArray(DataType[]::new);
        RowGenerator generator = RowGenerator.ofActiveSession();
        if (model.isEmpty()) {
            return bindAnyModel(generator, types);
        }
        int last = types.length - 1;
        boolean options = last > 0 && types[last] instanceof MapType && OptionsArgument.accepts(types[last]);
        return bind(
                generator,
                types,
                options ? Arrays.copyOf(types, last) : types,
                options ? OptionsArgument.of(last, types[last]) : OptionsArgument.NONE);
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
        types[0] = DataTypes.StringType;
        OptionsArgument options = types.length == 3 ? OptionsArgument.of(2, types[2]) : OptionsArgument.NONE;
        return new BoundRun(
                generator,
                new RunArguments("", types, feedable(inputs), 1, options),
                plan(inputs, List.of(), false),
                DataTypes.StringType);
    }

    private BoundFunction bind(RowGenerator generator, DataType[] types, DataType[] inputs, OptionsArgument options) {
        GraphPorts ports = GraphPorts.of(
                generator.uri(model), SparkSession.active().sparkContext().hadoopConfiguration());
        List<String> names = ports.inputs().stream().map(ValueInfo::name).toList();
        boolean struct = inputs.length == 1
                && inputs[0] instanceof StructType fields
                && names.containsAll(Arrays.asList(fields.fieldNames()));
        if (!struct && inputs.length != names.size()) {
            throw refused("takes a struct of the graph's inputs " + names + ", or each as an argument, not "
                    + inputs.length + (inputs.length == 1 ? " argument" : " arguments"));
        }
        StructType fed = struct ? (StructType) inputs[0] : named(names, inputs);
        ports.requireInputs(Arrays.asList(fed.fieldNames()));
        for (StructField field : feedable(fed).fields()) {
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
        return new BoundRun(
                generator,
                new RunArguments(model, types, fed, struct ? 0 : -1, options),
                plan(fed, outputs, whole),
                result);
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
        String name = model.isEmpty() ? "onnx.run" : "onnx.`" + model + "`.run";
        return new UnsupportedOperationException(name + ' ' + why + "; " + description());
    }
}
