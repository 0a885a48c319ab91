package io.kindling.spark;

import io.kindling.engine.error.OptionException;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.config.SessionSettings;
import io.kindling.spark.config.SparkOptions;
import io.kindling.spark.convert.EncodingConverter;
import io.kindling.spark.metrics.GenerationMetrics;
import io.kindling.spark.runtime.ConsoleProgress;
import io.kindling.spark.runtime.DeterministicFaults;
import io.kindling.spark.runtime.EncodeRows;
import io.kindling.spark.runtime.EncodeRows.Task;
import io.kindling.spark.runtime.ModelDistributor;
import io.kindling.spark.runtime.ModelSource;
import java.time.LocalDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Makes a vector or a class of a text in every row of a table, with an encoder model.
 *
 * <pre>{@code
 * Dataset<Row> vectors = TextEncoding.embed("file:///models/minilm").text("review").into("vector").apply(reviews);
 * Dataset<Row> labels = TextEncoding.classify("file:///models/sentiment").text("review").into("mood").apply(reviews);
 * }</pre>
 *
 * Rows come out as they went in, in their order, with the new columns behind. A row with a NULL text has a NULL result, and so has
 * one that failed, unless {@code onError} is {@code fail}. Texts longer than the model bears lose their end, which the details tell.
 * Options are those of the engine and {@code spark.kindling.*} without the prefix; a bad one is reported by {@link #apply}, together
 * with all others.
 */
public final class TextEncoding {
    private static final String TEXT = "__kindling_text";

    private final Task task;
    private final String model;
    private final Map<String, String> options = new LinkedHashMap<>();
    private Column text;
    private String result;
    private String details;
    private GenerationMetrics metrics;

    private TextEncoding(Task task, String model, String result) {
        this.task = task;
        this.model = Objects.requireNonNull(model);
        this.result = result;
    }

    /**
     * Vectors, {@code ARRAY<FLOAT>}, into a column {@code vector} unless {@link #into} says otherwise.
     *
     * @param model an alias set by {@code spark.kindling.model.<alias>}, or the URI of a folder or .onnx file
     */
    public static TextEncoding embed(String model) {
        return new TextEncoding(Task.EMBED, model, "vector");
    }

    /**
     * The likeliest class of each text, {@code STRING}, into a column {@code label} unless {@link #into} says otherwise.
     *
     * @param model an alias set by {@code spark.kindling.model.<alias>}, or the URI of a folder or .onnx file
     */
    public static TextEncoding classify(String model) {
        return new TextEncoding(Task.CLASSIFY, model, "label");
    }

    public TextEncoding text(String column) {
        return text(functions.col(column));
    }

    public TextEncoding text(Column column) {
        text = column.cast("string");
        return this;
    }

    /** Options such as {@code pooling}, {@code normalize}, {@code maxTokens}. */
    public TextEncoding option(String name, Object value) {
        options.put(name, String.valueOf(value));
        return this;
    }

    public TextEncoding options(Map<String, String> values) {
        options.putAll(values);
        return this;
    }

    /** Column of the results. */
    public TextEncoding into(String column) {
        result = column;
        return this;
    }

    /** Adds a struct column with {@code tokens, truncated, error_code, error}, and for classes {@code scores} of all. */
    public TextEncoding details(String column) {
        details = column;
        return this;
    }

    /** Counts into these instead of counters of its own. */
    public TextEncoding metrics(GenerationMetrics counters) {
        metrics = counters;
        return this;
    }

    /**
     * The input with the results beside it.
     *
     * @throws OptionException with all bad options
     * @throws io.kindling.engine.error.KindlingException NOT_FOUND when there is no such model
     */
    public Dataset<Row> apply(Dataset<Row> input) {
        SparkSession session = input.sparkSession();
        SessionSettings settings = SessionSettings.of(session).forCalls(SparkOptions.OF_ENCODING);
        if (text == null) {
            throw new OptionException("no text: call text(\"column\") or text(column)");
        }
        ResultColumns.refuseTaken(input.schema(), result, details);
        GenerationPlan plan = settings.plan(options, LocalDateTime.now());
        JavaSparkContext context = JavaSparkContext.fromSparkContext(session.sparkContext());
        ModelSource source = ModelDistributor.distribute(
                settings.models().uri(model, plan.distribution()), plan.distribution(), context);
        DeterministicFaults.watch(session.sparkContext());
        GenerationMetrics counters = metrics == null ? GenerationMetrics.register(session.sparkContext()) : metrics;
        ConsoleProgress.watch(session.sparkContext(), counters);
        EncodeRows rows = new EncodeRows(source, plan, task, details != null, counters);
        return input.select(functions.col("*"), text.as(TEXT))
                .mapPartitions(rows, Encoders.row(outputSchema(input.schema())));
    }

    private StructType outputSchema(StructType input) {
        boolean vectors = task == Task.EMBED;
        StructType schema = input.add(result, vectors ? EncodingConverter.VECTOR : DataTypes.StringType);
        StructType more = vectors ? EncodingConverter.EMBEDDING_DETAILS : EncodingConverter.CLASSIFICATION_DETAILS;
        return details == null ? schema : schema.add(details, more);
    }
}
