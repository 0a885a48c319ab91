package io.kindling.cli;

import io.kindling.engine.EngineOptions;
import io.kindling.engine.OnnxGraph;
import io.kindling.engine.Option.Scope;
import io.kindling.engine.Options;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.provider.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code conformance}: runs cases in the layout of ONNX's backend tests. */
@Command(
        name = "conformance",
        description = "Runs every sub-folder with model.onnx and test_data_set_*, and compares the outputs. Exit code 0"
                + " only if none fails.",
        sortOptions = false)
final class ConformanceCommand extends CliCommand {
    @Parameters(arity = "1..*", paramLabel = "DIR", description = "Folders of cases; a case itself is one, too.")
    private List<Path> folders = new ArrayList<>();

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description = "JSON {name: \"pass\" | \"fail: …\" | \"unsupported: …\"}.")
    private Path report;

    @Option(names = "--json", description = "One JSON object a case, passes included.")
    private boolean json;

    ConformanceCommand() {
        super(OptionFlags.of(Scope.ENGINE).withDefault(Options.PRECISION, Precision.EXACT));
    }

    @Override
    public Integer call() throws IOException {
        EngineOptions options = optionValues().engine();
        Map<String, String> outcomes = new LinkedHashMap<>();
        int skipped;
        try (OnnxGraph.HeldDevice device = OnnxGraph.holdDevice(options)) {
            skipped = run(options, outcomes);
        }
        if (report != null) {
            Files.writeString(report, JsonLines.write(outcomes) + "\n");
        }
        long passed = outcomes.values().stream().filter("pass"::equals).count();
        long failed = outcomes.size() - passed;
        out().println(passed + " passed, " + failed + " failed, " + skipped + " skipped");
        return failed == 0 ? 0 : 1;
    }

    /** Fills in outcomes by name and returns how many folders have nothing to compare with. */
    private int run(EngineOptions options, Map<String, String> outcomes) throws IOException {
        int skipped = 0;
        for (Path folder : folders) {
            for (Path child : cases(folder)) {
                ConformanceCase candidate =
                        new ConformanceCase(child.toAbsolutePath().normalize());
                if (!candidate.hasData()) {
                    skipped++;
                    continue;
                }
                String name = outcomes.containsKey(candidate.name()) ? child.toString() : candidate.name();
                String outcome = candidate.outcome(options);
                outcomes.put(name, outcome);
                print(name, outcome);
            }
        }
        return skipped;
    }

    private static List<Path> cases(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new KindlingException(ErrorCode.NOT_FOUND, folder + ": no such folder");
        }
        if (ConformanceCase.isCase(folder)) {
            return List.of(folder);
        }
        try (Stream<Path> children = Files.list(folder)) {
            return children.filter(ConformanceCase::isCase).sorted().toList();
        }
    }

    private void print(String name, String outcome) {
        if (json) {
            out().println(JsonLines.write(JsonLines.object().put("name", name).put("result", outcome)));
        } else if (!outcome.equals("pass")) {
            out().println(name + ": " + outcome);
        }
    }
}
