package io.kindling.engine;

import io.kindling.engine.Option.Scope;
import java.util.List;
import java.util.Locale;

/** The reference page of options, made from their declarations. */
public final class OptionDocs {
    private OptionDocs() {}

    /** A page in Markdown; {@code docs/options.md} is the one of the widest table. */
    public static String markdown(OptionTable table) {
        StringBuilder page = new StringBuilder("""
                # Options

                This page is made from the declarations in the code; a test keeps it equal to them.

                Every option has one name, spelled as is usual in each place: `max_new_tokens` in option maps and JSON,
                `maxNewTokens` in Spark options, `--max-new-tokens` on the command line, `spark.kindling.maxNewTokens` as a
                Spark setting. Every place accepts every spelling. Unknown options and values out of range are errors, all reported
                together before anything is loaded. So is an option that a call does not read, such as `max_tokens` (of `embed` and
                `classify`) given to `generate`. As a Spark setting an option is for all calls, and each call reads those that concern it.
                """);
        for (Scope scope : Scope.values()) {
            page.append("\n## ").append(title(scope)).append("\n\n");
            page.append(introduction(scope)).append("\n\n");
            page.append(rows(table.options().stream()
                    .filter(option -> option.scope() == scope)
                    .toList()));
        }
        return page.toString();
    }

    /** A table in Markdown with a row for each option. */
    public static String rows(List<? extends Option<?>> options) {
        StringBuilder rows = new StringBuilder("| option | allowed | default | meaning |\n| --- | --- | --- | --- |\n");
        options.forEach(option -> row(rows, option));
        return rows.toString();
    }

    private static void row(StringBuilder page, Option<?> option) {
        String also = option.aliases().isEmpty() ? "" : " (also `" + String.join("`, `", option.aliases()) + "`)";
        String defaultText = option.defaultText().isEmpty() ? "none" : "`" + option.defaultText() + "`";
        page.append(String.format(
                Locale.ROOT,
                "| `%s`%s | %s | %s | %s |\n",
                option.name(),
                also,
                cell(option.type().allowed()),
                cell(defaultText),
                cell(option.doc())));
    }

    private static String cell(String text) {
        return text.replace("|", "\\|");
    }

    static String title(Scope scope) {
        return switch (scope) {
            case ENGINE -> "Engine options";
            case GENERATION -> "Generation options";
            case ENCODING -> "Encoding options";
            case PROMPT -> "Prompt options";
            case JOB -> "Job options";
        };
    }

    private static String introduction(Scope scope) {
        return switch (scope) {
            case ENGINE ->
                "How a model is loaded and run. A model is loaded once for each set of values: calls with others load it once more.";
            case GENERATION -> "How one text is generated. They may differ from row to row.";
            case ENCODING -> "How texts become vectors or classes. They may differ from call to call.";
            case PROMPT ->
                "How a prompt becomes the text that a model reads. All but `chat`, `system` and `special_tokens_in_text` concern"
                        + " conversations, which the model's chat template renders. They may differ from row to row. More in"
                        + " [prompts](prompts.md).";
            case JOB -> "How a job over many rows treats errors, models and memory.";
        };
    }
}
