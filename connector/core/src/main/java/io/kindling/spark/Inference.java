package io.kindling.spark;

import io.kindling.engine.error.OptionException;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.config.InferencePlan;
import io.kindling.spark.config.SessionSettings;
import io.kindling.spark.convert.InputTypes;
import io.kindling.spark.convert.OutputTypes;
import io.kindling.spark.convert.RowAxis;
import io.kindling.spark.metrics.GenerationMetrics;
import io.kindling.spark.runtime.ConsoleProgress;
import io.kindling.spark.runtime.DeterministicFaults;
import io.kindling.spark.runtime.GraphPorts;
import io.kindling.spark.runtime.InferRows;
import io.kindling.spark.runtime.ModelDistributor;
import io.kindling.spark.runtime.ModelSource;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Runs any ONNX graph over the columns of a table.
 *
 * <pre>{@code
 * Dataset<Row> scored = Inference.of("file:///models/churn.onnx")
 *         .input("x", "features")
 *         .output("probabilities")
 *         .output("label", "predicted")
 *         .apply(customers);
 * }</pre>
 *
 * Rows come out as they went in, in their order, with the outputs behind. Rows of equal shapes run together where the graph has a
 * batch axis: an open first dimension of all inputs and of the outputs asked for. A row with a NULL input has NULL outputs, and
 * so has one that does not fit the graph, unless {@code onError} is {@code fail}. The driver reads the graph, without weights, of
 * a model on its own disk to learn the types of the outputs; for other models, give them.
 */
public final class Inference {
    private static final String INPUT = "__kindling_input_";
    private static final StructType DETAILS =
            new StructType().add("error_code", DataTypes.StringType).add("error", DataTypes.StringType);

    private final String model;
    private final Map<String, Column> inputs = new LinkedHashMap<>();
    private final List<Output> outputs = new ArrayList<>();
    private final Map<String, String> options = new LinkedHashMap<>();
    private int batchSize;
    private boolean wholeTensors;
    private String details;
    private GenerationMetrics metrics;

    private Inference(String model) {
        this.model = Objects.requireNonNull(model);
    }

    private record Output(String port, String column, Optional<DataType> type) {}

    /** @param model an alias set by {@code spark.kindling.model.<alias>}, or the URI of a folder or .onnx file */
    public static Inference of(String model) {
        return new Inference(model);
    }

    public Inference input(String port, String column) {
        return input(port, functions.col(column));
    }

    /** Feeds an input of the graph; all must be fed. */
    public Inference input(String port, Column column) {
        inputs.put(port, column);
        return this;
    }

    /** Adds an output as a column of its own name. */
    public Inference output(String port) {
        return output(port, port);
    }

    public Inference output(String port, String column) {
        outputs.add(new Output(port, column, Optional.empty()));
        return this;
    }

    /** The same for a graph that only executors can reach, or that does not say what the output is. */
    public Inference output(String port, String column, DataType type) {
        outputs.add(new Output(port, column, Optional.of(type)));
        return this;
    }

    /** Most rows of a run; the engine's {@code max_batch} unless set. */
    public Inference batchSize(int rows) {
        if (rows < 1) {
            throw new OptionException("batchSize is " + rows + ", expected 1 or more");
        }
        batchSize = rows;
        return this;
    }

    /**
     * Takes a row's values as whole tensors, for graphs whose open first dimension is not for rows, where the columns do not show it:
     * BINARY, or a model that only executors can reach.
     */
    public Inference wholeTensors() {
        wholeTensors = true;
        return this;
    }

    public Inference option(String name, Object value) {
        options.put(name, String.valueOf(value));
        return this;
    }

    /** Adds a struct column with {@code error_code, error}. */
    public Inference details(String column) {
        details = column;
        return this;
    }

    /** Counts into these instead of counters of its own. */
    public Inference metrics(GenerationMetrics counters) {
        metrics = counters;
        return this;
    }

    /**
     * The input with the outputs beside it.
     *
     * @throws OptionException with bad options, and for columns that cannot feed their ports
     * @throws io.kindling.engine.error.KindlingException NOT_FOUND when there is no such model
     */
    public Dataset<Row> apply(Dataset<Row> input) {
        SparkSession session = input.sparkSession();
        SessionSettings settings = SessionSettings.of(session).forCalls(Set.of());
        if (inputs.isEmpty() || outputs.isEmpty()) {
            throw new OptionException("no inputs or no outputs: call input(port, column) and output(port)");
        }
        String[] added = outputs.stream().map(Output::column).toArray(String[]::new);
        ResultColumns.refuseTaken(input.schema(), added);
        ResultColumns.refuseTaken(input.schema(), details);
        GenerationPlan plan = settings.plan(options, LocalDateTime.now());
        JavaSparkContext context = JavaSparkContext.fromSparkContext(session.sparkContext());
        String uri = settings.models().uri(model, plan.distribution());
        ModelSource source = ModelDistributor.distribute(uri, plan.distribution(), context);
        List<Column> columns = new ArrayList<>();
        columns.add(functions.col("*"));
        inputs.values().forEach(column -> columns.add(column.as(INPUT + columns.size())));
        Dataset<Row> fed = input.select(columns.toArray(Column[]::new));
        StructType inputTypes = inputTypes(fed.schema());
        Optional<GraphPorts> ports = GraphPorts.find(uri, context.hadoopConfiguration());
        ports.ifPresent(graph -> checkInputs(graph, inputTypes));
        boolean whole = wholeTensors
                || ports.filter(graph -> InputTypes.areWhole(graph.inputs(), inputTypes))
                        .isPresent();
        InferencePlan inference =
                new InferencePlan(List.copyOf(inputs.keySet()), types(ports, whole), batchSize, whole);
        StructType schema = input.schema();
        for (int k = 0; k < added.length; k++) {
            schema = schema.add(added[k], inference.outputs().get(k).type());
        }
        schema = details == null ? schema : schema.add(details, DETAILS);
        DeterministicFaults.watch(session.sparkContext());
        GenerationMetrics counters = metrics == null ? GenerationMetrics.register(session.sparkContext()) : metrics;
        ConsoleProgress.watch(session.sparkContext(), counters);
        return fed.mapPartitions(
                new InferRows(source, plan, inference, details != null, counters), Encoders.row(schema));
    }

    /** The columns behind the input's own, by the ports that they feed. */
    private StructType inputTypes(StructType fed) {
        StructType types = new StructType();
        int column = fed.size() - inputs.size();
        for (String port : inputs.keySet()) {
            types = types.add(port, fed.fields()[column++].dataType());
        }
        return types;
    }

    private static void checkInputs(GraphPorts ports, StructType inputs) {
        ports.requireInputs(List.of(inputs.fieldNames()));
        for (StructField field : inputs.fields()) {
            InputTypes.check(GraphPorts.named(ports.inputs(), field.name()), field.dataType());
        }
    }

    private List<InferencePlan.Output> types(Optional<GraphPorts> ports, boolean whole) {
        List<ValueInfo> wanted = ports.map(graph -> outputs.stream()
                        .map(output -> GraphPorts.named(graph.outputs(), output.port()))
                        .toList())
                .orElse(List.of());
        RowAxis axis =
                whole || ports.isEmpty() ? RowAxis.NONE : RowAxis.of(ports.get().inputs(), wanted);
        List<InferencePlan.Output> typed = new ArrayList<>();
        for (Output output : outputs) {
            if (output.type().isEmpty() && ports.isEmpty()) {
                throw new OptionException("the driver cannot read the graph of '" + model
                        + "', which it cannot reach; give the column's type: output(\"" + output.port() + "\", \""
                        + output.column() + "\", type)");
            }
            typed.add(new InferencePlan.Output(
                    output.port(),
                    output.type().orElseGet(() -> OutputTypes.of(wanted.get(outputs.indexOf(output)), axis))));
        }
        return typed;
    }
}
