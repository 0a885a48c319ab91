package io.kindling.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.kindling.engine.Model;
import io.kindling.engine.Option.Scope;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code inspect}: what the engine makes of a model. */
@Command(
        name = "inspect",
        description = "Shows a model's ports, the roles they got and by which rule, its operators, weights and"
                + " execution path.",
        sortOptions = false)
final class InspectCommand extends CliCommand {
    @Parameters(index = "0", paramLabel = "MODEL", description = "Model package, .onnx or .gguf file.")
    private Path model;

    @Option(names = "--json", description = "One JSON object.")
    private boolean json;

    InspectCommand() {
        super(OptionFlags.of(Scope.ENGINE));
    }

    @Override
    public Integer call() {
        try (Model opened = Model.open(model, optionValues().engine())) {
            ObjectNode report = InspectReport.of(opened);
            if (json) {
                out().println(JsonLines.write(report));
            } else {
                InspectReport.print(report, out());
            }
        }
        return 0;
    }
}
