package io.kindling.spark.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.cli.CommandRun;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GenerateTableTest {
    @TempDir
    Path folder;

    private CommandRun run(String... more) {
        String[] arguments = {
            "generate-table",
            "--model",
            "m",
            "--input",
            "in.json",
            "--input-format",
            "json",
            "--prompt",
            "{q}",
            "--output",
            folder.resolve("out").toString(),
            "--output-format",
            "json"
        };
        return CommandRun.of((Object[]) concat(arguments, more));
    }

    private static String[] concat(String[] first, String[] second) {
        return java.util.stream.Stream.concat(java.util.Arrays.stream(first), java.util.Arrays.stream(second))
                .toArray(String[]::new);
    }

    @Test
    void missingFlagsAreWrongUsage() {
        CommandRun run = CommandRun.of("generate-table", "--model", "m");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("--input", "--prompt", "--output");
    }

    @Test
    void badOptionsOfEngineAndSparkAreReportedTogether() {
        CommandRun run = run("--temperature", "-1", "--distribution", "pigeon");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains("temperature", "pigeon");
        assertThat(folder.resolve("out")).doesNotExist();
    }

    @Test
    void modesAndPartitionsAreChecked() {
        assertThat(run("--mode", "replace").err()).contains("--mode", "replace");
        assertThat(run("--partitions", "-3").err()).contains("--partitions must be at least 0, not -3");
    }
}
