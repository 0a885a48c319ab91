package io.kindling.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kindling.engine.TextModel;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.error.OptionException;
import io.kindling.engine.text.ChatTemplates;
import io.kindling.engine.text.jinja.JinjaChatTemplate;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code template}: renders chat templates. */
@Command(
        name = "template",
        description =
                "Renders lines {\"template\"?, \"messages\", \"tools\"?, \"documents\"?, \"kwargs\"?, \"bos_token\"?,"
                        + " \"eos_token\"?, \"now\"?} to {\"rendered\"} or {\"error\"}. A template may be the name of one of"
                        + " MODEL's; a line without one takes MODEL's own, tool_use before default where tools are given."
                        + " Variables are what the line says and MODEL's special tokens; kwargs go as they are.",
        sortOptions = false)
final class TemplateCommand extends CliCommand {
    @Parameters(index = "0", arity = "0..1", paramLabel = "MODEL", description = "Model package, .onnx or .gguf file.")
    private Path model;

    @Option(names = "--cases", paramLabel = "FILE", required = true, description = "JSON lines.")
    private Path cases;

    TemplateCommand() {
        super(OptionFlags.of());
    }

    @Override
    public Integer call() {
        ChatTemplates templates = templates();
        for (JsonLines.Case line : JsonLines.cases(cases)) {
            out().println(JsonLines.write(
                    line.object() == null
                            ? JsonLines.object().put("error", line.problem())
                            : answer(line.object(), templates)));
        }
        return 0;
    }

    private ChatTemplates templates() {
        if (model == null) {
            return new ChatTemplates("a line without a template", Map.of(), Map.of());
        }
        try (TextModel opened = TextModel.open(model)) {
            return opened.chatTemplates();
        }
    }

    /** A line that cannot be rendered answers {@code {"error"}}; the others go on. */
    private static ObjectNode answer(ObjectNode line, ChatTemplates templates) {
        try {
            return JsonLines.object().put("rendered", render(line, templates));
        } catch (OptionException bad) {
            return JsonLines.object().put("error", bad.getMessage());
        } catch (KindlingException fault) {
            return JsonLines.object().put("error", fault.code() + ": " + fault.getMessage());
        }
    }

    private static String render(ObjectNode line, ChatTemplates templates) {
        JinjaChatTemplate template = JinjaChatTemplate.parse(text(line, templates));
        if (line.hasNonNull("now")) {
            LocalDateTime now = time(LineFields.text(line, "now"));
            template = template.withClock(() -> now);
        }
        Map<String, Object> variables = new LinkedHashMap<>(templates.specialTokens());
        for (String field : new String[] {"messages", "tools", "documents", "bos_token", "eos_token"}) {
            JsonNode value = line.get(field);
            if (value != null) {
                variables.put(field, JsonLines.plain(value));
            }
        }
        variables.putAll(LineFields.object(line.get("kwargs"), "'kwargs'"));
        return template.render(variables);
    }

    private static String text(ObjectNode line, ChatTemplates templates) {
        if (line.hasNonNull("template")) {
            String given = LineFields.text(line, "template");
            return templates.texts().getOrDefault(given, given);
        }
        return templates.choose("", line.hasNonNull("tools"));
    }

    private static LocalDateTime time(String text) {
        try {
            return LocalDateTime.parse(text);
        } catch (DateTimeParseException malformed) {
            throw new OptionException("'now' must be YYYY-MM-DDTHH:MM:SS, not '" + text + "'");
        }
    }
}
