package io.kindling.cli;

import io.kindling.engine.gguf.GgufConverter;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
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

    @Option(
            names = "--pre-tokenizer",
            paramLabel = "NAME",
            description =
                    "How the model splits texts (llama-bpe, qwen2, gpt-2, ...), for files that name no way or one that is"
                            + " not known; see tokenizer.ggml.pre in docs/gguf-tokenizers.md.")
    private String preTokenizer;

    ConvertCommand() {
        super(OptionFlags.of());
    }

    @Override
    public Integer call() {
        GgufConverter.convert(input, output, Optional.ofNullable(preTokenizer));
        out().println(output);
        return 0;
    }
}
