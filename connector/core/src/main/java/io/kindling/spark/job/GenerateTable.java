package io.kindling.spark.job;

import io.kindling.cli.CliCommand;
import io.kindling.cli.OptionFlags;
import io.kindling.engine.Option.Scope;
import io.kindling.engine.OptionValues;
import io.kindling.spark.config.SparkOptions;
import io.kindling.spark.job.TableJob.WriteMode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code generate-table}: the batch job, to be run by spark-submit. */
@Command(
        name = "generate-table",
        description = {
            "Generates a text for every row of a table and writes the table with the answers beside it: 'generated' (text)"
                    + " and 'generated_details' (struct; JSON text in csv).",
            "Run it with spark-submit. Files are written whole or not at all."
        })
public final class GenerateTable extends CliCommand {
    @Option(
            names = "--model",
            required = true,
            description = "Alias set by spark.kindling.model.<alias>, or URI of a folder, .onnx or .gguf file.")
    private String model;

    @Option(names = "--input", required = true, paramLabel = "<path|table>", description = "What to read.")
    private String input;

    @Option(
            names = "--input-format",
            required = true,
            description = "parquet, json, csv (header=true unless set) or another format of Spark's, or table.")
    private String inputFormat;

    @Option(
            names = "--input-option",
            paramLabel = "<k=v>",
            description = "Option of the input format; may be repeated.")
    private final Map<String, String> inputOptions = new LinkedHashMap<>();

    @Option(
            names = "--prompt",
            required = true,
            description = "Template with {column} for the input's columns; {{ and }} are braces.")
    private String prompt;

    @Option(
            names = "--key",
            paramLabel = "<column>",
            description = "Names rows in messages and gives each its own random numbers at temperature > 0.")
    private String key;

    @Option(names = "--partitions", defaultValue = "0", description = "Repartitions the input; 0 leaves it as it is.")
    private int partitions;

    @Option(names = "--output", required = true, paramLabel = "<path|table>", description = "What to write.")
    private String output;

    @Option(names = "--output-format", required = true, description = "As --input-format.")
    private String outputFormat;

    @Option(
            names = "--output-option",
            paramLabel = "<k=v>",
            description = "Option of the output format; may be repeated.")
    private final Map<String, String> outputOptions = new LinkedHashMap<>();

    @Option(
            names = "--mode",
            paramLabel = "<mode>",
            defaultValue = "errorifexists",
            description =
                    "What becomes of an output that exists: errorifexists (the default), append, overwrite or ignore.")
    private WriteMode mode;

    @Option(names = "--json", description = "Prints what was done as one JSON object on standard output.")
    private boolean json;

    public GenerateTable() {
        super(OptionFlags.of(SparkOptions.table(), Scope.ENGINE, Scope.GENERATION, Scope.PROMPT, Scope.JOB));
    }

    @Override
    public Integer call() {
        if (partitions < 0) {
            throw usageError("--partitions must be at least 0, not " + partitions);
        }
        TableJob job = new TableJob(
                model,
                input,
                inputFormat,
                inputOptions,
                prompt,
                Optional.ofNullable(key),
                partitions,
                output,
                outputFormat,
                outputOptions,
                mode,
                given(optionValues()));
        if (!hasSpark()) {
            throw usageError("generate-table needs Spark: spark-submit kindling.jar generate-table …");
        }
        JobSummary summary = SparkRun.run(job, err());
        err().println("kindling: " + summary);
        if (json) {
            out().println(summary.toJson());
        }
        return 0;
    }

    private static boolean hasSpark() {
        try {
            Class.forName("org.apache.spark.sql.SparkSession", false, GenerateTable.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static Map<String, String> given(OptionValues values) {
        Map<String, String> given = new LinkedHashMap<>();
        for (io.kindling.engine.Option<?> option : values.givenOptions()) {
            given.put(option.name(), write(option, values));
        }
        return given;
    }

    private static <T> String write(io.kindling.engine.Option<T> option, OptionValues values) {
        return option.type().write(values.get(option));
    }
}
