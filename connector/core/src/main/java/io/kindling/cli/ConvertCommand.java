package io.kindling.cli;

import io.kindling.engine.gguf.GgufConverter;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code convert}: a GGUF file to a model package. */
@Command(
        name = "convert",
        description = "Converts a GGUF file into an ONNX model package with tokenizer and chat template.",
        sortOptions = false)
final class ConvertCommand extends CliCommand {
    @Parameters(index = "0", paramLabel = "IN.gguf", description = "The file to convert.")
    private Path input;

    @Parameters(
            index = "1",
            paramLabel = "OUT_DIR",
            description = "The folder to write; it must not hold anything yet.")
    private Path output;

    ConvertCommand() {
        super(OptionFlags.of());
    }

    @Override
    public Integer call() {
        GgufConverter.convert(input, output);
        out().println(output);
        return 0;
    }
}
