package io.kindling.spark;

import io.kindling.engine.Options;
import io.kindling.engine.error.OptionException;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.config.RowPlans;
import io.kindling.spark.config.SessionSettings;
import io.kindling.spark.config.SparkOptions;
import io.kindling.spark.convert.MessageColumns;
import io.kindling.spark.convert.PromptTemplate;
import io.kindling.spark.convert.ResultConverter;
import io.kindling.spark.metrics.GenerationMetrics;
import io.kindling.spark.runtime.ConsoleProgress;
import io.kindling.spark.runtime.DeterministicFaults;
import io.kindling.spark.runtime.GenerateRows;
import io.kindling.spark.runtime.ModelDistributor;
import io.kindling.spark.runtime.ModelSource;
import java.time.LocalDateTime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
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
 * Generates a text for every row of a table.
 *
 * <pre>{@code
 * Dataset<Row> answers = Generation.of("file:///models/smollm2")
 *         .prompt("Summarise: {review}")
 *         .chat()
 *         .option("maxNewTokens", 64)
 *         .into("summary")
 *         .apply(reviews);
 * }</pre>
 *
 * Rows come out as they went in, in their order, with the new columns behind. A row with a NULL prompt has a NULL answer,
 * and so has one that failed, unless {@code onError} is {@code fail}. Options are those of the engine and
 * {@code spark.kindling.*} without the prefix; a bad one is reported by {@link #apply}, together with all others.
 * Each application of this object is generated again by each action on its result: cache or write it.
 */
public final class Generation {
    private static final String PROMPT = "__kindling_prompt";
    private static final String KEY = "__kindling_key";
    private static final String OPTIONS = "__kindling_options";

    private final String model;
    private final Map<String, String> options = new LinkedHashMap<>();
    private final Map<String, Column> columns = new LinkedHashMap<>();
    private Column prompt;
    private String key;
    private boolean messages;
    private String answer = "generated";
    private String details;
    private GenerationMetrics metrics;

    private Generation(String model) {
        this.model = model;
    }

    /** @param model an alias set by {@code spark.kindling.model.<alias>}, or the URI of a folder, .onnx or .gguf file */
    public static Generation of(String model) {
        return new Generation(Objects.requireNonNull(model));
    }

    /** @param template text with {@code {column}} for the input's columns; {@code {{} and {@code }}} are braces */
    public Generation prompt(String template) {
        return prompt(PromptTemplate.parse(template).toColumn());
    }

    public Generation prompt(Column column) {
        prompt = column.cast("string");
        messages = false;
        return this;
    }

    /**
     * Takes whole conversations, rendered by the model's chat template.
     *
     * @param column an array of structs or maps ({@code role}, {@code content} and whatever else the template reads; NULL
     *     fields are left out), or the text of a JSON array of objects
     */
    public Generation messages(Column column) {
        prompt = column;
        messages = true;
        return this;
    }

    /** Makes each prompt a user message, rendered by the model's chat template: option {@code chat}. */
    public Generation chat() {
        return option(Options.CHAT.name(), true);
    }

    /** Puts a system message before each conversation that has none; makes prompts user messages: option {@code system}. */
    public Generation system(String message) {
        return option(Options.SYSTEM.name(), message);
    }

    /** Functions that the model may call, for templates that write them: option {@code tools}. */
    public Generation tools(String json) {
        return option(Options.TOOLS.name(), json);
    }

    /** Names rows: in messages, and for the sampler, so that equal prompts of two rows get two answers at temperature > 0. */
    public Generation key(String column) {
        key = column;
        return this;
    }

    public Generation option(String name, Object value) {
        options.put(name, String.valueOf(value));
        return this;
    }

    /**
     * Takes an option of generation or prompts, such as {@code seed} or {@code maxNewTokens}, from a column. A NULL leaves what
     * {@link #option(String, Object)} or the session says; a bad value is the row's error.
     */
    public Generation option(String name, Column values) {
        columns.put(name, values);
        return this;
    }

    public Generation options(Map<String, String> values) {
        options.putAll(values);
        return this;
    }

    /** Column of the answers; {@code generated} unless set. */
    public Generation into(String column) {
        answer = column;
        return this;
    }

    /** Adds a struct column with {@code text, finish_reason, prompt_tokens, generated_tokens, error_code, error}. */
    public Generation details(String column) {
        details = column;
        return this;
    }

    /** Counts into these instead of counters of its own. */
    public Generation metrics(GenerationMetrics counters) {
        metrics = counters;
        return this;
    }

    /**
     * The input with the answers beside it.
     *
     * @throws OptionException with all bad options
     * @throws io.kindling.engine.error.KindlingException NOT_FOUND when there is no such model
     */
    public Dataset<Row> apply(Dataset<Row> input) {
        SparkSession session = input.sparkSession();
        SessionSettings settings = SessionSettings.of(session).forCalls(SparkOptions.OF_GENERATION);
        checkColumns(input.schema());
        LocalDateTime now = LocalDateTime.now();
        GenerationPlan plan = settings.plan(options, now);
        SparkOptions.requireOfRows(columns.keySet());
        JavaSparkContext context = JavaSparkContext.fromSparkContext(session.sparkContext());
        ModelSource source = ModelDistributor.distribute(
                settings.models().uri(model, plan.distribution()), plan.distribution(), context);
        DeterministicFaults.watch(session.sparkContext());
        GenerationMetrics counters = metrics == null ? GenerationMetrics.register(session.sparkContext()) : metrics;
        ConsoleProgress.watch(session.sparkContext(), counters);
        Column keyColumn = key == null
                ? functions.lit(null).cast("string")
                : input.col(key).cast("string");
        Column promptColumn = messages ? MessageColumns.toJson(prompt, input) : prompt;
        Dataset<Row> prompts = input.select(
                functions.col("*"),
                promptColumn.as(PROMPT),
                keyColumn.as(KEY),
                rowOptions().as(OPTIONS));
        GenerateRows rows = new GenerateRows(
                source, plan, new RowPlans(settings, options, now), messages, details != null, counters);
        return prompts.mapPartitions(rows, Encoders.row(outputSchema(input.schema())));
    }

    /** A map, since rows may leave options out. */
    private Column rowOptions() {
        Column[] entries = columns.entrySet().stream()
                .flatMap(entry -> Stream.of(
                        functions.lit(entry.getKey()), entry.getValue().cast("string")))
                .toArray(Column[]::new);
        return entries.length == 0 ? functions.lit(null).cast("map<string,string>") : functions.map(entries);
    }

    private void checkColumns(StructType schema) {
        if (prompt == null) {
            throw new OptionException("no prompt: call prompt(\"… {column} …\"), prompt(column) or messages(column)");
        }
        ResultColumns.refuseTaken(schema, answer, details);
    }

    private StructType outputSchema(StructType input) {
        StructType schema = input.add(answer, DataTypes.StringType);
        return details == null ? schema : schema.add(details, ResultConverter.DETAILS);
    }
}
