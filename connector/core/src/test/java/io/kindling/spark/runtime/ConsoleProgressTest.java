package io.kindling.spark.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.spark.Generation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConsoleProgressTest {
    @TempDir
    Path model;

    @Test
    void rowsAreToldWhileATaskRuns() {
        FakeEngines.install();
        StringWriter said = new StringWriter();
        try (SparkSession session = SparkSession.builder()
                .master("local[1]")
                .config("spark.ui.enabled", false)
                .config("spark.executor.heartbeatInterval", "100ms")
                .getOrCreate()) {
            ConsoleProgress progress = ConsoleProgress.of(session.sparkContext());
            progress.every(Duration.ofMillis(100));
            try (var told = progress.to(new PrintWriter(said))) {
                var slow = session.range(0, 20, 1, 1)
                        .map((MapFunction<Long, String>) ConsoleProgressTest::slowly, Encoders.STRING())
                        .toDF("q");
                Generation.of(model.toUri().toString())
                        .prompt("{q}")
                        .apply(slow)
                        .collectAsList();
            }
        }
        assertThat(said.toString().lines())
                .isNotEmpty()
                .allMatch(
                        line -> line.matches(
                                "kindling: stage \\d+: 0 of 1 tasks done, 1 running; [1-9]\\d* rows \\(0 failed\\), \\d+ tokens generated"));
    }

    private static String slowly(long row) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(50);
        return "q" + row;
    }
}
