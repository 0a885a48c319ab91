package io.kindling.spark.source;

import io.kindling.engine.error.OptionException;
import io.kindling.spark.config.SessionSettings;
import io.kindling.spark.config.SparkOptions;
import io.kindling.spark.convert.InternalValues;
import io.kindling.spark.convert.MessageColumns;
import io.kindling.spark.convert.PromptTemplate;
import io.kindling.spark.functions.BatchFunction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connector.catalog.SupportsRead;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/** An input with the columns that a model makes of it behind its own. */
public final class OnnxTable implements SupportsRead {
    private static final String PROMPT = "__kindling_prompt";
    private static final String KEY = "__kindling_key";

    private final SourceOptions options;
    private final Dataset<Row> input;
    private final Column prompt;

    private OnnxTable(SourceOptions options, Dataset<Row> input, Column prompt) {
        this.options = options;
        this.input = input;
        this.prompt = prompt;
    }

    /**
     * @throws OptionException with what is wrong with the options and the columns, and what to do
     * @throws io.kindling.engine.error.KindlingException NOT_FOUND for a model name that is no alias
     */
    public static OnnxTable of(SparkSession session, Map<String, String> given) {
        SessionSettings settings = SessionSettings.of(session);
        SourceOptions options = SourceOptions.of(given, settings);
        settings.models().uri(options.model(), settings.values(options.call()).get(SparkOptions.DISTRIBUTION));
        Dataset<Row> input = options.input().read(session);
        StructType columns = input.schema();
        for (String added : List.of(options.into(), options.details())) {
            if (isColumn(added, columns)) {
                throw new OptionException("the input has a column '" + added
                        + "' already; name another one for the result with option 'into'");
            }
        }
        if (!options.key().isEmpty() && !isColumn(options.key(), columns)) {
            throw noColumn("key", options.key(), columns, "");
        }
        return new OnnxTable(options, input, prompt(options, input));
    }

    private static boolean isColumn(String name, StructType columns) {
        return Arrays.stream(columns.fieldNames()).anyMatch(name::equalsIgnoreCase);
    }

    /** A prompt without braces would be the same for all rows, so it is a column's name. */
    private static Column prompt(SourceOptions options, Dataset<Row> input) {
        String given = options.prompt();
        boolean template = given.indexOf('{') >= 0 || given.indexOf('}') >= 0;
        if (!template && !isColumn(given, input.schema())) {
            throw noColumn(
                    "prompt",
                    given,
                    input.schema(),
                    "; write {column} in a template, such as 'Summarise: {"
                            + input.schema().fieldNames()[0] + "}'");
        }
        Column prompt = template ? PromptTemplate.parse(given).toColumn() : named(given);
        DataType type;
        try {
            type = input.select(prompt).schema().fields()[0].dataType();
        } catch (Exception unresolved) {
            if (unresolved instanceof AnalysisException refused) { // checked, though Spark does not declare it
                throw new OptionException("option 'prompt' does not fit the input, whose columns are "
                        + String.join(", ", input.schema().fieldNames()) + ": "
                        + refused.message()); // without the plan
            }
            throw unresolved;
        }
        boolean conversations = options.task() == SourceTask.GENERATE && MessageColumns.isConversation(type);
        if (!(type instanceof StringType) && !conversations) {
            throw new OptionException("option 'prompt' names the column '" + given + "' of " + type.sql()
                    + "; it must hold texts" + (options.task() == SourceTask.GENERATE ? " or conversations" : "")
                    + ", or write it as a template: '{" + given + "}'");
        }
        return prompt;
    }

    private static OptionException noColumn(String option, String name, StructType columns, String advice) {
        return new OptionException("option '" + option + "' names a column '" + name
                + "', which the input has not; it has " + String.join(", ", columns.fieldNames()) + advice);
    }

    private static Column named(String column) {
        return functions.col('`' + column.replace("`", "``") + '`');
    }

    /** The input's columns, the result and its details. */
    public StructType tableSchema() {
        return input.schema()
                .add(options.into(), options.task().result())
                .add(options.details(), options.task().details());
    }

    @Override
    @SuppressWarnings("deprecation") // Spark 3.5 has it abstract all the same
    public StructType schema() {
        return tableSchema();
    }

    @Override
    public String name() {
        return "onnx." + options.task().name().toLowerCase(Locale.ROOT) + "[model=" + options.model() + "] of "
                + options.input();
    }

    @Override
    public Set<TableCapability> capabilities() {
        return Set.of(TableCapability.BATCH_READ);
    }

    @Override
    public ScanBuilder newScanBuilder(CaseInsensitiveStringMap ignored) {
        return new OnnxScanBuilder(this);
    }

    /**
     * What the batch operator makes the table of.
     *
     * @param prompts the input's columns, behind them the prompts and, where the rows have some, the keys
     * @param function of prompt, options and key
     * @param options of the function, in Spark's internal form: a map of texts
     */
    public record Asked(Dataset<Row> prompts, BatchFunction function, Object options) {}

    /** The table for sessions that have the batch operator. */
    public Asked asked() {
        boolean conversations = options.task() == SourceTask.GENERATE
                && MessageColumns.isConversation(
                        input.select(prompt).schema().fields()[0].dataType());
        List<Column> columns = new ArrayList<>(List.of(functions.col("*")));
        columns.add((conversations ? MessageColumns.toJson(prompt, input) : prompt).as(PROMPT));
        if (!options.key().isEmpty()) {
            columns.add(named(options.key()).cast("string").as(KEY));
        }
        return new Asked(
                input.select(columns.toArray(Column[]::new)),
                BatchFunction.ofSource(options.task().kind(), options.model(), conversations, options.partitions()),
                InternalValues.toInternal(new TreeMap<>(options.call())));
    }

    StructType inputSchema() {
        return input.schema();
    }

    /** Options of the call, for plans. */
    Map<String, String> callOptions() {
        return options.call();
    }

    /** Whether a query for these columns needs the model. */
    boolean needsModel(StructType columns) {
        return Arrays.stream(columns.fieldNames())
                .anyMatch(column -> column.equals(options.into()) || column.equals(options.details()));
    }

    /**
     * The rows that a query asks for; the model is asked about no others.
     *
     * @param columns wanted, in their order
     * @param conditions on the input's columns
     * @param limit most rows; negative for all
     */
    Dataset<Row> rows(StructType columns, List<Column> conditions, int limit) {
        Dataset<Row> rows = input;
        for (Column condition : conditions) {
            rows = rows.filter(condition);
        }
        rows = limit < 0 ? rows : rows.limit(limit);
        List<Column> wanted =
                Arrays.stream(columns.fieldNames()).map(OnnxTable::named).toList();
        if (needsModel(columns)) {
            rows = withResult(options.partitions() > 0 ? rows.repartition(options.partitions()) : rows, columns);
        }
        return rows.select(wanted.toArray(Column[]::new));
    }

    private Dataset<Row> withResult(Dataset<Row> rows, StructType columns) {
        List<Column> kept = new ArrayList<>();
        for (String column : columns.fieldNames()) {
            if (isColumn(column, input.schema())) {
                kept.add(named(column));
            }
        }
        kept.add(prompt.as(PROMPT));
        if (!options.key().isEmpty()) {
            kept.add(named(options.key()).as(KEY));
        }
        return options.task()
                .apply(
                        rows.select(kept.toArray(Column[]::new)),
                        new SourceTask.Work(
                                options.model(),
                                PROMPT,
                                options.key().isEmpty() ? "" : KEY,
                                options.into(),
                                options.details(),
                                options.call()));
    }
}
