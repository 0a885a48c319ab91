package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Fifteen minutes of what a session does in hours: jobs, models that are opened and closed, cancelled jobs, failed tasks and micro-batches.
 * What driver and executor hold stays flat.
 */
@Tag("nightly")
class SoakIT {
    private static final int SECONDS = Integer.getInteger("kindling.soak.seconds", 900);
    private static final int ALLOWED_MINUTES = SECONDS / 60 + 10;

    @TempDir
    Path folder;

    @Test
    void aSessionOfManyJobsHoldsNoMoreInTheEndThanWhenItWasWarm() throws IOException {
        assumeTrue(Files.isReadable(Path.of("/proc/self/status")), "needs Linux's /proc to see what processes hold");
        String one = Repository.python(
                "tools/scripted_model.py", folder.resolve("one").toString(), "1");
        String two = Repository.python(
                "tools/scripted_model.py", folder.resolve("two").toString(), "2");
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        // Spark itself remembers this much of jobs that are over. Its pools for exchanges and results start a thread
        // for each new task and keep it for a minute, up to 1,024: unbounded, their size is that of the test's pace.
        List<String> settings = List.of(
                "spark.ui.retainedJobs=20",
                "spark.ui.retainedStages=20",
                "spark.sql.ui.retainedExecutions=20",
                "spark.sql.shuffleExchange.maxThreadThreshold=8",
                "spark.sql.resultQueryStage.maxThreadThreshold=8",
                "spark.sql.streaming.ui.retainedQueries=5",
                "spark.sql.streaming.numRecentProgressUpdates=5",
                "spark.kindling.memory.idleSeconds=1");
        Processes.Result result = OneExecutor.run(
                SparkRelease.SPARK_4_3_0,
                folder,
                "-Djava.io.tmpdir=" + temporary,
                settings,
                ALLOWED_MINUTES,
                "soak.py",
                one,
                two,
                folder.toString(),
                String.valueOf(SECONDS));
        List<JsonNode> samples = new ArrayList<>();
        for (String line :
                result.out().lines().filter(text -> text.startsWith("{")).toList()) {
            System.out.println(line);
            samples.add(Rows.JSON.readTree(line));
        }
        JsonNode counts = samples.remove(samples.size() - 1);
        int rounds = counts.get("rounds").asInt();
        assertThat(counts.get("cancelled").asInt()).isEqualTo(rounds);
        assertThat(counts.get("failing").asInt()).isEqualTo(rounds);
        assertThat(counts.get("written").asInt()).isEqualTo(rounds * 10);
        assertThat(counts.get("different").asInt()).isEqualTo(rounds * 10);
        assertThat(samples).hasSizeGreaterThan(8);
        for (String process : List.of("driver", "executor")) {
            for (String figure : List.of("anonymous", "heap", "descriptors", "mapped files", "threads")) {
                checkFlat(process + ": " + figure, samples, sample -> sample.get(process)
                        .get(figure));
            }
        }
        checkFlat("temporary files", samples, sample -> sample.get("files"));
        Remains.ofNodeCache(folder.resolve("cache"));
    }

    /** No more in the last third of the time than in the second one, plus 5 %. */
    private static void checkFlat(String name, List<JsonNode> samples, Function<JsonNode, JsonNode> figure) {
        int third = samples.size() / 3;
        int[] values = samples.stream()
                .mapToInt(sample -> figure.apply(sample).asInt())
                .toArray();
        int warm = most(values, third, 2 * third);
        int end = most(values, 2 * third, values.length);
        assertThat((double) end).as(name).isLessThanOrEqualTo(warm * 1.05);
    }

    private static int most(int[] values, int from, int to) {
        return Arrays.stream(values, from, to).max().orElseThrow();
    }
}
