package io.kindling.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConvertCommandTest {
    @TempDir
    private Path folder;

    @Test
    void whatIsNoGgufIsRefusedAndNothingIsWritten() throws IOException {
        Path input = Files.writeString(folder.resolve("model.gguf"), "not a model");
        Path output = folder.resolve("out");

        CommandRun run = CommandRun.of("convert", input, output);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("kindling: MODEL_INVALID: " + input).hasLineCount(1);
        assertThat(output).doesNotExist();
    }

    @Test
    void aMissingFileIsNotFound() {
        CommandRun run = CommandRun.of("convert", folder.resolve("none.gguf"), folder.resolve("out"));
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).startsWith("kindling: NOT_FOUND: ");
    }
}
