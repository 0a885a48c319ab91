package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A million rows pass through in little memory: what driver and executor take stays flat, and rows leave while others are read. */
@Tag("nightly")
class ManyRowsIT {
    private static final int ROWS = 1_000_000;
    private static final long ALLOWED_MINUTES = 90;

    @TempDir
    Path folder;

    @Test
    void aMillionRowsLeaveMemoryFlat() throws IOException {
        assumeTrue(
                Files.isReadable(Path.of("/proc/self/status")), "needs Linux's /proc to read the memory of processes");
        String model = Repository.python(
                "tools/scripted_model.py", folder.resolve("model").toString());
        Processes.Result result = OneExecutor.run(
                SparkRelease.SPARK_3_5_9,
                folder,
                "",
                List.of(),
                ALLOWED_MINUTES,
                "many_rows.py",
                model,
                folder.resolve("out").toString(),
                String.valueOf(ROWS));
        JsonNode report = Rows.JSON.readTree(result.lastLine());
        assertThat(report.get("n").asInt()).isEqualTo(ROWS);
        assertThat(report.get("ids").asInt()).isEqualTo(ROWS);
        assertThat(report.get("answers").asInt()).isEqualTo(ROWS);
        MemorySamples samples = new MemorySamples(report);
        System.out.println(report.get("seconds") + " s: " + samples);
        samples.checkFlat();
        samples.checkThatRowsLeaveWhileOthersAreRead();
    }
}
