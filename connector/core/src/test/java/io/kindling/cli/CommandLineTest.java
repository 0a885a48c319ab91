package io.kindling.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CommandLineTest {
    @TempDir
    private Path folder;

    @Test
    void anUnknownFlagIsAUsageErrorWithASuggestion() {
        CommandRun run = CommandRun.of("conformance", "--optimise", "none", folder);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .isEqualTo("kindling: unknown flag '--optimise', did you mean '--optimize'?\n"
                        + "See 'kindling conformance --help'.\n");
    }

    @Test
    void anUnknownCommandIsAUsageErrorWithASuggestion() {
        CommandRun run = CommandRun.of("conformence");

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).startsWith("kindling: unknown command 'conformence', did you mean 'conformance'?\n");
    }

    @Test
    void aMissingCommandOrArgumentIsAUsageError() {
        assertThat(CommandRun.of().exitCode()).isEqualTo(2);
        assertThat(CommandRun.of("conformance").exitCode()).isEqualTo(2);
    }

    @Test
    void allBadOptionsAreReportedTogetherHoweverTheyAreSpelled() {
        CommandRun run =
                CommandRun.of("conformance", "--maxBatch=0", "--max_step_tokens", "-1", "--kernels", "fast", folder);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .isEqualTo("kindling: option '--kernels' must be one of auto, native, java, not 'fast'\n"
                        + "kindling: option '--max-batch' must be an integer from 1 to 4096, not '0'\n"
                        + "kindling: option '--max-step-tokens' must be an integer from 1 to 65536, not '-1'\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"inspect", "generate --prompt x", "tokenize --cases x", "template --cases x", "bench"})
    void modelsOfOtherFileSystemsAreSparks(String command) {
        for (String model : List.of("hdfs://namenode/m", "s3a://bucket/m.onnx", "file://host")) {
            List<String> line = new ArrayList<>(List.of(command.split(" ")));
            line.add(model);
            CommandRun run = CommandRun.of(line.toArray());

            assertThat(run.exitCode()).isEqualTo(2);
            assertThat(run.err()).contains("MODEL", "'" + model + "' is not on this machine", "generate-table");
        }
    }

    @Test
    void aSwitchTakesAValueOrNone() {
        assertThat(CommandRun.of("conformance", folder, "--prefix-cache", "false")
                        .exitCode())
                .isZero();
        assertThat(CommandRun.of("conformance", "--deduplicate", folder).exitCode())
                .isZero();
        assertThat(CommandRun.of("conformance", "--deduplicate=maybe", folder).exitCode())
                .isEqualTo(2);
    }

    @Test
    void aFaultIsOneMessageAndAStackTraceOnlyWhenAskedFor() {
        Path missing = folder.resolve("missing.onnx");

        CommandRun plain = CommandRun.of("run", missing, "--out", folder);
        CommandRun verbose = CommandRun.of("run", missing, "--out", folder, "--verbose");

        assertThat(plain.exitCode()).isEqualTo(1);
        assertThat(plain.err()).startsWith("kindling: NOT_FOUND: " + missing).hasLineCount(1);
        assertThat(verbose.exitCode()).isEqualTo(1);
        assertThat(verbose.err()).contains("\tat io.kindling.");
    }

    @Test
    void aDeviceThatCannotBeUsedFailsWithTheReason() throws Exception {
        Path model = folder.resolve("model.onnx");
        TinyGraphs.writeBinary(model, "Add", 1);

        CommandRun run = CommandRun.of("run", model, "--device", "cuda", "--out", folder);

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).startsWith("kindling: DEVICE_UNAVAILABLE: ");
    }

    @Test
    void helpAndVersionGoToStandardOutput() {
        assertThat(CommandRun.of("--version")).satisfies(run -> {
            assertThat(run.exitCode()).isZero();
            assertThat(run.out()).startsWith("kindling ");
        });
        assertThat(CommandRun.of("conformance", "--help").out()).contains("--max-batch", "--precision", "--report");
    }
}
