package io.kindling.cli;

import io.kindling.engine.OnnxGraph;
import io.kindling.engine.Option.Scope;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.onnx.OnnxValueFiles;
import io.kindling.engine.provider.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code run}: one pass over values in files. */
@Command(
        name = "run",
        description =
                "Runs a graph once over TensorProto, SequenceProto or OptionalProto files and writes its outputs.",
        sortOptions = false)
final class RunCommand extends CliCommand {
    @Parameters(index = "0", paramLabel = "MODEL", description = "An .onnx file, or a folder with model.onnx.")
    private Path model;

    @Option(names = "--input", paramLabel = "NAME=FILE", description = "File with the value of a graph input.")
    private Map<String, Path> inputs = new LinkedHashMap<>();

    @Option(
            names = "--out",
            paramLabel = "DIR",
            required = true,
            description = "Folder for output_K.pb, K being the output's position in the graph.")
    private Path out;

    RunCommand() {
        super(OptionFlags.of(Scope.ENGINE));
    }

    @Override
    public Integer call() throws IOException {
        Path file = Files.isDirectory(model) ? model.resolve("model.onnx") : model;
        try (OnnxGraph graph = OnnxGraph.open(file, optionValues().engine())) {
            Map<String, Value> outputs =
                    graph.session().run(read(graph.session().inputs()));
            Files.createDirectories(out);
            int position = 0;
            for (ValueInfo output : graph.session().outputs()) {
                Path target = out.resolve("output_" + position++ + ".pb");
                OnnxValueFiles.write(outputs.get(output.name()), output.name(), target);
                out().println(JsonLines.write(
                        JsonLines.object().put("output", output.name()).put("file", target.toString())));
            }
        }
        return 0;
    }

    private Map<String, Value> read(List<ValueInfo> ports) {
        Map<String, Value> values = new LinkedHashMap<>();
        Map<String, Path> unknown = new LinkedHashMap<>(inputs);
        for (ValueInfo port : ports) {
            Path file = unknown.remove(port.name());
            if (file == null) {
                throw usageError("--input " + port.name() + "=FILE is missing");
            }
            values.put(port.name(), OnnxValueFiles.read(file, port.type()));
        }
        for (String name : unknown.keySet()) {
            throw usageError("the graph has no input '" + name + "'");
        }
        return values;
    }
}
