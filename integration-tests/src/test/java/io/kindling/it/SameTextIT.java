package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The same 200 rows have the same text on the command line and in all releases of Spark, in 1 and in 7 partitions, in
 * batches, one by one, and read with their answers. The releases between the oldest and the newest run nightly.
 */
class SameTextIT {
    private static final String NEW_TOKENS = "8";

    @TempDir
    static Path folder;

    private static Path rows;
    private static Map<String, String> expected;

    @BeforeAll
    static void commandLine() throws IOException {
        rows = Rows.write(folder.resolve("rows.jsonl"), Rows.prompts());
        Processes.Result result = Processes.run(
                        Repository.ROOT,
                        Map.of(),
                        SparkRelease.ownJava().resolve("bin/java").toString(),
                        "-Xmx2g",
                        "-jar",
                        Repository.JAR.toString(),
                        "generate",
                        Repository.model().toString(),
                        "--prompts",
                        rows.toString(),
                        "--max-new-tokens",
                        NEW_TOKENS,
                        "--json")
                .orFail();
        Path answers = folder.resolve("command-line.jsonl");
        Files.writeString(answers, result.out());
        expected = Rows.read(answers, "text");
        assertThat(expected).hasSize(200).doesNotContainValue(null);
        assertThat(expected.values().stream().filter(text -> !text.isBlank())).hasSizeGreaterThan(150);
    }

    @ParameterizedTest
    @EnumSource(names = {"SPARK_3_5_0", "SPARK_4_3_0"})
    void pySparkGivesTheTextOfTheCommandLine(SparkRelease spark) {
        checkPySpark(spark, SparkRelease.ownJava());
    }

    @ParameterizedTest
    @EnumSource(names = {"SPARK_3_5_9", "SPARK_4_0_0"})
    @Tag("nightly")
    void pySparkOfReleasesBetweenGivesTheTextOfTheCommandLine(SparkRelease spark) {
        checkPySpark(spark, SparkRelease.ownJava());
    }

    @Test
    void spark43OnJava25GivesTheTextOfTheCommandLine() {
        checkPySpark(SparkRelease.SPARK_4_3_0, Java25.homeOrSkip());
    }

    private void checkPySpark(SparkRelease spark, Path javaHome) {
        Path out = folder.resolve("out-" + spark.name() + "-" + javaHome.getFileName());
        List<String> arguments = new ArrayList<>(List.of("--master", "local[4]", "--jars", Repository.JAR.toString()));
        if (!spark.isLine4()) {
            arguments.addAll(List.of("--conf", "spark.sql.extensions=io.kindling.spark.KindlingExtensions"));
        }
        arguments.addAll(List.of(
                Repository.ROOT
                        .resolve("integration-tests/src/test/resources/same_text.py")
                        .toString(),
                Repository.model().toString(),
                rows.toString(),
                NEW_TOKENS,
                out.toString()));
        Processes.Result result = spark.run(javaHome, "spark-submit", arguments).orFail();
        for (String way : List.of("batches-in-1", "batches-in-7", "one-by-one", "read")) {
            assertThat(Rows.read(out.resolve(way), "answer"))
                    .as(spark + ", " + way)
                    .isEqualTo(expected);
        }
        assertThat(result.out()).as("loaded models").contains("sessions 1\n");
        assertThat(result.out()).as("answers of the schema's form").contains("held 10\n");
        assertThat(result.out()).as("without a form").contains("free 0\n");
        assertThat(result.out()).as("ports of the model").containsPattern("inputs [1-9]");
    }

    @ParameterizedTest
    @EnumSource(names = {"SPARK_3_5_0", "SPARK_4_3_0"})
    void theBatchJobLoadsOneSessionForFourTasksOfAnExecutor(SparkRelease spark) throws IOException {
        Path out = folder.resolve("table-" + spark.name());
        Processes.Result result = spark.submit(
                        "--master",
                        "local-cluster[1,4,2048]",
                        "--conf",
                        "spark.executor.memory=2g",
                        Repository.JAR.toString(),
                        "generate-table",
                        "--model",
                        Repository.model().toString(),
                        "--input",
                        rows.toString(),
                        "--input-format",
                        "json",
                        "--prompt",
                        "{prompt}",
                        "--partitions",
                        "4",
                        "--output",
                        out.toString(),
                        "--output-format",
                        "json",
                        "--max-new-tokens",
                        NEW_TOKENS,
                        "--distribution",
                        "broadcast",
                        "--cache-dir",
                        folder.resolve("node-cache-" + spark.name()).toString(),
                        "--json")
                .orFail();
        assertThat(Rows.read(out, "generated")).isEqualTo(expected);
        JsonNode summary = Rows.JSON.readTree(result.lastLine());
        assertThat(summary.get("sessions").asInt()).isEqualTo(1);
        assertThat(summary.get("rows").asInt()).isEqualTo(200);
        assertThat(summary.get("failed_rows").asInt()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"SPARK_3_5_9", "SPARK_4_3_0"})
    void sparkSqlNeedsNothingButTheJar(SparkRelease spark) {
        Processes.Result result = spark.sql(
                        Repository.ROOT.resolve("examples/sql/generate.sql"),
                        Map.of("smollm2", Repository.model()),
                        folder)
                .orFail();
        assertThat(result.out().lines().filter(line -> line.matches("[1-4]\\t.+")))
                .hasSize(4);
        assertThat(result.out().lines().filter(line -> line.matches("1[678]\\t(stop|length)\\t\\d+\\t[1-4]\\tNULL")))
                .hasSize(3);
    }
}
