package io.kindling.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.error.OptionException;
import io.kindling.engine.metadata.ModelPackage;
import io.kindling.engine.metadata.PackageFiles;
import io.kindling.engine.metadata.PackageResolver;
import io.kindling.engine.onnx.OnnxLoader;
import io.kindling.engine.text.jinja.JinjaChatTemplate;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code template}: renders chat templates. */
@Command(
        name = "template",
        description =
                "Renders lines {\"template\"?, \"messages\", \"tools\"?, \"kwargs\"?, \"bos_token\"?,"
                        + " \"eos_token\"?, \"now\"?} to {\"rendered\"} or {\"error\"}. A line without a template takes MODEL's.",
        sortOptions = false)
final class TemplateCommand extends CliCommand {
    @Parameters(index = "0", arity = "0..1", paramLabel = "MODEL", description = "Folder of a model package.")
    private Path model;

    @Option(names = "--cases", paramLabel = "FILE", required = true, description = "JSON lines.")
    private Path cases;

    TemplateCommand() {
        super(OptionFlags.of());
    }

    @Override
    public Integer call() {
        Optional<ModelPackage> modelPackage = Optional.ofNullable(model).map(location -> {
            PackageFiles files = PackageFiles.locate(location);
            return PackageResolver.resolve(files, OnnxLoader.load(files.modelFile()));
        });
        for (JsonLines.Line line : JsonLines.read(cases)) {
            out().println(JsonLines.write(answer(line.object(), modelPackage)));
        }
        return 0;
    }

    /** A line that cannot be rendered answers {@code {"error"}}; the others go on. */
    private static ObjectNode answer(ObjectNode line, Optional<ModelPackage> modelPackage) {
        try {
            return JsonLines.object().put("rendered", render(line, modelPackage));
        } catch (OptionException bad) {
            return JsonLines.object().put("error", bad.getMessage());
        } catch (KindlingException fault) {
            return JsonLines.object().put("error", fault.code() + ": " + fault.getMessage());
        }
    }

    private static String render(ObjectNode line, Optional<ModelPackage> modelPackage) {
        String text = line.hasNonNull("template")
                ? LineFields.text(line, "template")
                : modelPackage
                        .flatMap(ModelPackage::chatTemplate)
                        .orElseThrow(() -> new KindlingException(
                                ErrorCode.TEMPLATE, "there is no template: the line has none, nor has a model"));
        JinjaChatTemplate template = JinjaChatTemplate.parse(text);
        if (line.hasNonNull("now")) {
            LocalDateTime now = time(LineFields.text(line, "now"));
            template = template.withClock(() -> now);
        }
        Map<String, Object> variables = new LinkedHashMap<>();
        modelPackage.flatMap(ModelPackage::bosToken).ifPresent(token -> variables.put("bos_token", token));
        modelPackage.flatMap(ModelPackage::eosToken).ifPresent(token -> variables.put("eos_token", token));
        for (String field : new String[] {"messages", "tools", "bos_token", "eos_token"}) {
            JsonNode value = line.get(field);
            if (value != null) {
                variables.put(field, JsonLines.plain(value));
            }
        }
        variables.putAll(LineFields.object(line.get("kwargs"), "'kwargs'"));
        return template.render(variables);
    }

    private static LocalDateTime time(String text) {
        try {
            return LocalDateTime.parse(text);
        } catch (DateTimeParseException malformed) {
            throw new OptionException("'now' must be YYYY-MM-DDTHH:MM:SS, not '" + text + "'");
        }
    }
}
