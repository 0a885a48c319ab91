package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A million rows pass through in little memory: what driver and executor take stays flat, and rows leave while others are read. */
@Tag("nightly")
class ManyRowsIT {
    private static final int ROWS = 1_000_000;

    @TempDir
    Path folder;

    @Test
    void aMillionRowsLeaveMemoryFlat() throws IOException {
        assumeTrue(
                Files.isReadable(Path.of("/proc/self/status")), "needs Linux's /proc to read the memory of processes");
        String model = Repository.python(
                "tools/scripted_model.py", folder.resolve("model").toString());
        // The heap is taken at once, so that what grows is not hidden in it, nor taken for a leak.
        String heapTaken = "-Xms512m -XX:+AlwaysPreTouch";
        Processes.Result result = SparkRelease.SPARK_3_5_9
                .submit(
                        "--master",
                        "local-cluster[1,2,1024]",
                        "--driver-memory",
                        "512m",
                        "--driver-java-options",
                        heapTaken,
                        "--jars",
                        Repository.JAR.toString(),
                        "--conf",
                        "spark.executor.cores=2",
                        "--conf",
                        "spark.executor.memory=512m",
                        "--conf",
                        "spark.executor.extraJavaOptions=" + heapTaken,
                        "--conf",
                        "spark.kindling.distribution=broadcast",
                        "--conf",
                        "spark.kindling.cacheDir=" + folder.resolve("cache"),
                        Repository.ROOT
                                .resolve("integration-tests/src/test/resources/many_rows.py")
                                .toString(),
                        model,
                        folder.resolve("out").toString(),
                        String.valueOf(ROWS))
                .orFail();
        JsonNode report = Rows.JSON.readTree(result.lastLine());
        assertThat(report.get("n").asInt()).isEqualTo(ROWS);
        assertThat(report.get("ids").asInt()).isEqualTo(ROWS);
        assertThat(report.get("answers").asInt()).isEqualTo(ROWS);
        List<JsonNode> samples = new ArrayList<>();
        report.get("samples").forEach(samples::add);
        List<JsonNode> warm = samples.subList(samples.size() / 4, samples.size());
        for (int process = 0; process < 2; process++) {
            List<Integer> memory = new ArrayList<>();
            for (JsonNode sample : warm) {
                memory.add(sample.get(1).get(process).asInt());
            }
            int least = memory.stream().min(Integer::compare).orElseThrow();
            assertThat(memory).as("anonymous MiB of process " + process).allSatisfy(mib -> assertThat((double) mib)
                    .isLessThanOrEqualTo(least * 1.05));
        }
        long half = samples.get(samples.size() / 2).get(2).asLong();
        assertThat(half).as("bytes written when half of the time was over").isPositive();
    }
}
