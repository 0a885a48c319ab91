package io.kindling.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import io.kindling.engine.GenerationRequest;
import io.kindling.engine.GenerationRequest.Prompt;
import io.kindling.engine.Option.Scope;
import io.kindling.engine.OptionTable;
import io.kindling.engine.OptionValues;
import io.kindling.engine.PromptOptions;
import io.kindling.engine.error.OptionException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;

/**
 * Reads the prompts of {@code generate}: a line is {@code {"id", "prompt" | "prompt_ids" | "messages", "tools"?,
 * "documents"?, "force_ids"?, "options"?}}. Further fields are the caller's own.
 */
final class PromptFile {
    private final OptionValues defaults;
    private final int topLogits;

    PromptFile(OptionValues defaults, int topLogits) {
        this.defaults = defaults;
        this.topLogits = topLogits;
    }

    /** A request and the identifier to answer with, in the JSON type in which it was given. */
    record Row(JsonNode id, GenerationRequest request) {}

    /** The request of a prompt from the command line. */
    Row row(int index, String prompt) {
        return new Row(
                IntNode.valueOf(index),
                request(Integer.toString(index), defaults.prompt().prompt(prompt), defaults, List.of()));
    }

    /**
     * All rows of a file.
     *
     * @throws OptionException with the bad options and fields of all lines together
     */
    List<Row> read(Path file) {
        List<Row> rows = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        for (JsonLines.Line line : JsonLines.read(file)) {
            try {
                rows.add(row(line, rows.size()));
            } catch (OptionException bad) {
                bad.problems().forEach(problem -> problems.add(file + ": line " + line.number() + ": " + problem));
            }
        }
        if (!problems.isEmpty()) {
            throw new OptionException(problems);
        }
        return rows;
    }

    private Row row(JsonLines.Line line, int index) {
        JsonNode id = line.object().hasNonNull("id") ? line.object().get("id") : IntNode.valueOf(index);
        OptionValues options = OptionTable.standard()
                .parse(
                        LineFields.object(line.object().get("options"), "'options'"),
                        defaults,
                        EnumSet.of(Scope.GENERATION, Scope.PROMPT));
        return new Row(
                id,
                request(
                        id.asText(),
                        prompt(line.object(), options.prompt()),
                        options,
                        LineFields.ids(line.object().get("force_ids"), "force_ids")));
    }

    private GenerationRequest request(String id, Prompt prompt, OptionValues options, List<Integer> forceIds) {
        return new GenerationRequest(id, prompt, options.generation(), OptionalLong.empty(), forceIds, topLogits);
    }

    private static Prompt prompt(JsonNode line, PromptOptions options) {
        long given = List.of("prompt", "prompt_ids", "messages").stream()
                .filter(line::hasNonNull)
                .count();
        if (given != 1) {
            throw new OptionException(
                    "exactly one of 'prompt', 'prompt_ids' and 'messages' must be given, not " + given);
        }
        if (line.hasNonNull("prompt_ids")) {
            return new Prompt.Ids(LineFields.ids(line.get("prompt_ids"), "prompt_ids"));
        }
        if (line.hasNonNull("messages")) {
            return withLists(line, options).conversation(LineFields.messages(line.get("messages")));
        }
        return withLists(line, options).prompt(LineFields.text(line, "prompt"));
    }

    /** A line's own tools and documents go before those of the options. */
    private static PromptOptions withLists(JsonNode line, PromptOptions options) {
        return options.with(
                line.hasNonNull("tools") ? LineFields.objects(line.get("tools"), "tools") : options.tools(),
                line.hasNonNull("documents")
                        ? LineFields.objects(line.get("documents"), "documents")
                        : options.documents());
    }
}
