package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples run as their first lines say. The SQL one runs in {@link SameTextIT}. */
class ExamplesIT {
    @TempDir
    Path folder;

    @Test
    void pySparkReviews() {
        Processes.Result result = SparkRelease.SPARK_4_0_0
                .submit(
                        "--master",
                        "local[2]",
                        "--jars",
                        Repository.JAR.toString(),
                        "examples/pyspark/reviews.py",
                        Repository.model().toString())
                .orFail();
        assertThat(result.out().lines().filter(line -> line.matches("[1-6] \\w+: '.+'")))
                .hasSize(6);
    }

    @Test
    void javaReviewReplies() {
        Path out = folder.resolve("out");
        SparkRelease.SPARK_3_5_0
                .submit(
                        "--master",
                        "local[2]",
                        "--class",
                        "io.kindling.examples.ReviewReplies",
                        "--jars",
                        Repository.JAR.toString(),
                        Repository.EXAMPLES_JAR.toString(),
                        Repository.model().toString(),
                        "examples/data/reviews.csv",
                        out.toString())
                .orFail();
        assertThat(Rows.lines(out)).hasSize(6).allSatisfy(line -> {
            assertThat(line.get("reply").asText()).isNotBlank();
            assertThat(line.get("details").get("generated_tokens").asInt()).isBetween(1, 24);
        });
    }

    @Test
    void quickstartPrintsATableOfAnswers() {
        Processes.Result result = Processes.run(
                        Repository.ROOT,
                        Map.of(
                                "JAVA_HOME", SparkRelease.ownJava().toString(),
                                "KINDLING_QUICKSTART_MODEL", Repository.model().toString(),
                                "KINDLING_QUICKSTART_OUTPUT",
                                        folder.resolve("answers").toString()),
                        "./quickstart",
                        "--no-build")
                .orFail();
        assertThat(result.out().lines().filter(line -> line.matches("\\s*\\d+ \\| .+ \\| .+")))
                .hasSize(20);
        assertThat(result.out()).containsPattern("[\\d.]+ tokens/s");
    }
}
