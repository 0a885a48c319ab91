package io.kindling.spark.job;

import io.kindling.spark.source.InputTable;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What {@code generate-table} is to do.
 *
 * @param model alias or URI
 * @param input path or table
 * @param inputFormat Spark's name of the format, or {@code table}
 * @param prompt template with {@code {column}}
 * @param partitions 0 leaves them as they are
 * @param output path or table
 * @param outputFormat Spark's name of the format, or {@code table}
 * @param options of engine, generation, prompt and job, by name
 */
record TableJob(
        String model,
        String input,
        String inputFormat,
        Map<String, String> inputOptions,
        String prompt,
        Optional<String> key,
        int partitions,
        String output,
        String outputFormat,
        Map<String, String> outputOptions,
        WriteMode mode,
        Map<String, String> options) {
    /** Column of the answers. */
    static final String ANSWER = "generated";

    /** Column of their details. */
    static final String DETAILS = "generated_details";

    /** What becomes of an output that exists. */
    enum WriteMode {
        ERRORIFEXISTS,
        APPEND,
        OVERWRITE,
        IGNORE
    }

    InputTable inputTable() {
        boolean table = isTable(inputFormat);
        return new InputTable(
                table ? input : "",
                table ? List.of() : List.of(input),
                table ? "" : inputFormat.toLowerCase(Locale.ROOT),
                "",
                inputOptions);
    }

    static boolean isTable(String format) {
        return format.equalsIgnoreCase("table");
    }
}
