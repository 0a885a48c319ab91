package io.kindling.spark.source;

import io.kindling.engine.Option;
import io.kindling.engine.Option.Scope;
import io.kindling.engine.OptionTable;
import io.kindling.engine.OptionTypes;
import io.kindling.engine.OptionValues;
import io.kindling.engine.Options;
import io.kindling.engine.error.OptionException;
import io.kindling.spark.config.SessionSettings;
import io.kindling.spark.config.SparkOptions;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What {@code format("onnx")} is told.
 *
 * @param input what to read
 * @param prompt a template, or the name of a column
 * @param key column that names rows; empty for none
 * @param into column of the result
 * @param partitions to split the rows into before the model sees them; 0 keeps the input's
 * @param call options of the table of all options
 */
record SourceOptions(
        InputTable input,
        String model,
        SourceTask task,
        String prompt,
        String key,
        String into,
        int partitions,
        Map<String, String> call) {
    private static final String INPUT_OPTION = "input.option.";

    private static final Option<String> MODEL =
            text("model", "Alias set by `spark.kindling.model.<alias>`, or URI of a folder, .onnx or .gguf file");
    private static final Option<SourceTask> TASK = Option.of(
            "task",
            Scope.JOB,
            OptionTypes.choice(SourceTask.class),
            SourceTask.GENERATE,
            "What the model makes of each prompt: a text, a vector or a class");
    private static final Option<String> PROMPT = text(
            "prompt",
            "Template with {column} in the places of the input's columns, or the name of a column of texts or conversations");
    private static final Option<String> KEY =
            text("key", "Column that identifies a row, in error messages and for the sampler");
    private static final Option<String> INTO = text(
            "into",
            "Name of the result's column; without it `generated`, `embedding` or `class`. Details are in `<into>_details`");
    private static final Option<Integer> PARTITIONS = Option.of(
            "partitions",
            Scope.JOB,
            OptionTypes.integer(0, 1_000_000),
            0,
            "Number of partitions to split the rows into before the model sees them; 0 keeps the input's partitions");
    private static final Option<String> TABLE = text("table", "Table or view to read");
    private static final Option<String> PATH = text("path", "File or folder to read; load(path) sets it");
    private static final Option<List<String>> PATHS = Option.of(
            "paths",
            Scope.JOB,
            OptionTypes.names(),
            List.of(),
            "Several files or folders; load(path, path, …) sets it");
    private static final Option<String> FORMAT =
            text("input.format", "Format of the files; without it Spark's default format");
    private static final Option<String> SCHEMA =
            text("input.schema", "Columns of the files, such as id INT, question STRING");

    /** What only this source has. */
    static final List<Option<?>> OWN =
            List.of(MODEL, TASK, PROMPT, KEY, INTO, PARTITIONS, TABLE, PATH, PATHS, FORMAT, SCHEMA);

    private static final OptionTable ALL = all();

    private static Option<String> text(String name, String doc) {
        return Option.of(name, Scope.JOB, OptionTypes.anyText(), "", doc);
    }

    /** Spark's {@code path} is the input, so that of decoders is a setting only. */
    private static OptionTable all() {
        List<Option<?>> options = new ArrayList<>(OWN);
        SparkOptions.table().options().stream()
                .filter(option -> !option.equals(Options.PATH))
                .forEach(options::add);
        return OptionTable.of(options);
    }

    /** @throws OptionException with all problems of the options and of the session's settings */
    static SourceOptions of(Map<String, String> given, SessionSettings settings) {
        Map<String, String> inputOptions = new LinkedHashMap<>();
        Map<String, String> rest = new LinkedHashMap<>();
        Map<String, String> call = new LinkedHashMap<>();
        given.forEach((name, value) -> {
            if (name.toLowerCase(Locale.ROOT).startsWith(INPUT_OPTION)) {
                inputOptions.put(name.substring(INPUT_OPTION.length()), value);
            } else {
                rest.put(name, value);
                if (ALL.find(name).filter(OWN::contains).isEmpty()) {
                    call.put(name, value);
                }
            }
        });
        OptionValues values = ALL.parse(rest);
        settings.forCalls(values.get(TASK).kind().scopes()).plan(call, LocalDateTime.now());
        List<String> paths = new ArrayList<>(values.get(PATHS));
        if (!values.get(PATH).isEmpty()) {
            paths.add(values.get(PATH));
        }
        SourceTask task = values.get(TASK);
        InputTable input = new InputTable(
                values.get(TABLE), paths, values.get(FORMAT), values.get(SCHEMA), Map.copyOf(inputOptions));
        requireInput(input, values);
        return new SourceOptions(
                input,
                values.get(MODEL),
                task,
                values.get(PROMPT),
                values.get(KEY),
                values.get(INTO).isEmpty() ? task.column() : values.get(INTO),
                values.get(PARTITIONS),
                Map.copyOf(call));
    }

    private static void requireInput(InputTable input, OptionValues values) {
        List<String> problems = new ArrayList<>();
        if (values.get(MODEL).isEmpty()) {
            problems.add("no model: set option 'model' to an alias or a URI");
        }
        if (values.get(PROMPT).isEmpty()) {
            problems.add("no prompt: set option 'prompt' to a template such as 'Summarise: {review}', or to a column");
        }
        if (input.table().isEmpty() == input.paths().isEmpty()) {
            problems.add(
                    input.paths().isEmpty()
                            ? "no input: set option 'table' to a table or view, or load a path with option 'input.format'"
                            : "two inputs: option 'table' and a path exclude each other");
        }
        if (!input.table().isEmpty()
                && (!input.format().isEmpty() || !input.schema().isEmpty())) {
            problems.add("options 'input.format' and 'input.schema' are for paths, not for a table");
        }
        if (!problems.isEmpty()) {
            throw new OptionException(problems);
        }
    }

    /** Name of the column of the result's details. */
    String details() {
        return into + "_details";
    }
}
