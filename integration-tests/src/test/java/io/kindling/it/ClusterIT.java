package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Clusters whose executors are killed (SIGKILL), stopped under speculation and cancelled in mid-stage: sampled answers are those of
 * an undisturbed run, every key is there once, and nothing stays behind.
 */
class ClusterIT {
    private static final int ROWS = 1200;
    private static final String THREE_EXECUTORS = "local-cluster[3,1,2048]";

    @TempDir
    static Path models;

    @TempDir
    Path folder;

    @BeforeAll
    static void makeModels() {
        Repository.python("tools/scripted_model.py", models.resolve("one").toString(), "1");
        Repository.python("tools/scripted_model.py", models.resolve("two").toString(), "2");
    }

    @BeforeEach
    void needProc() {
        assumeTrue(Files.isReadable(Path.of("/proc/self/maps")), "needs Linux's /proc to see executors and mappings");
    }

    @Test
    void threeExecutorsOfSpark35() throws IOException {
        disturb(SparkRelease.SPARK_3_5_9, THREE_EXECUTORS);
    }

    @Test
    void aMasterAndTwoWorkersOfSpark4() throws IOException {
        disturbWorkers(SparkRelease.SPARK_4_3_0);
    }

    @ParameterizedTest
    @EnumSource(names = {"SPARK_3_5_9", "SPARK_4_0_0"})
    @Tag("nightly")
    void aMasterAndTwoWorkersOfOtherReleases(SparkRelease spark) throws IOException {
        disturbWorkers(spark);
    }

    @ParameterizedTest
    @EnumSource(names = {"SPARK_4_0_0", "SPARK_4_3_0"})
    @Tag("nightly")
    void threeExecutorsOfSpark4(SparkRelease spark) throws IOException {
        disturb(spark, THREE_EXECUTORS);
    }

    private void disturbWorkers(SparkRelease spark) throws IOException {
        try (StandaloneCluster cluster = new StandaloneCluster(spark, folder, 2, "2g")) {
            disturb(spark, cluster.url());
        }
    }

    private void disturb(SparkRelease spark, String master) throws IOException {
        Path cache = folder.resolve("node-cache");
        Path temporary = Files.createDirectory(folder.resolve("tmp"));
        Path out = folder.resolve("out");
        Processes.Result result = spark.submit(
                        "--master",
                        master,
                        "--jars",
                        Repository.JAR.toString(),
                        "--conf",
                        "spark.executor.cores=1",
                        "--conf",
                        "spark.executor.memory=600m",
                        "--conf",
                        "spark.executor.extraJavaOptions=-Djava.io.tmpdir=" + temporary,
                        "--conf",
                        "spark.speculation=true",
                        "--conf",
                        "spark.speculation.multiplier=1.2",
                        "--conf",
                        "spark.speculation.quantile=0.3",
                        "--conf",
                        "spark.task.maxFailures=8",
                        "--conf",
                        "spark.plugins=io.kindling.spark.KindlingPlugin",
                        "--conf",
                        "spark.kindling.warmup=" + models.resolve("one"),
                        "--conf",
                        "spark.kindling.distribution=broadcast",
                        "--conf",
                        "spark.kindling.memory.idleSeconds=1",
                        "--conf",
                        "spark.kindling.cacheDir=" + cache,
                        Repository.ROOT
                                .resolve("integration-tests/src/test/resources/chaos.py")
                                .toString(),
                        models.resolve("one").toString(),
                        models.resolve("two").toString(),
                        out.toString(),
                        String.valueOf(ROWS))
                .orFail();
        Map<String, JsonNode> seen = new HashMap<>();
        for (String line :
                result.out().lines().filter(text -> text.startsWith("{")).toList()) {
            JsonNode report = Rows.JSON.readTree(line);
            seen.put(report.get("case").asText(), report);
        }
        checkAnswers(out);
        assertThat(seen.get("warm").get("sent").asBoolean()).isTrue();
        assertThat(seen.get("killed").get("disturbed").asBoolean()).isTrue();
        assertThat(seen.get("speculated").get("disturbed").asBoolean()).isTrue();
        assertThat(seen.get("cancelled").get("ended").asText()).isEqualTo("cancelled");
        assertThat(seen.get("idle").get("mapped").asInt())
                .as("mapped model files")
                .isZero();
        assertThat(seen.get("idle").get("executors").asInt()).isPositive();
        checkNothingIsLeft(seen.get("ids").get("application").asText(), cache, temporary);
    }

    private static void checkAnswers(Path out) {
        Map<String, String> expected = Rows.read(out.resolve("undisturbed"), "answer");
        assertThat(expected).hasSize(ROWS).doesNotContainValue(null);
        assertThat(expected.values().stream().distinct()).hasSizeGreaterThan(ROWS / 2);
        for (String run : List.of("undisturbed", "killed", "speculated", "afterwards", "other", "other-again")) {
            assertThat(Rows.lines(out.resolve(run))).as(run + ": no key twice").hasSize(ROWS);
        }
        for (String run : List.of("killed", "speculated", "afterwards")) {
            assertThat(Rows.read(out.resolve(run), "answer")).as(run).isEqualTo(expected);
        }
        assertThat(Rows.read(out.resolve("other"), "answer"))
                .isNotEqualTo(expected)
                .isEqualTo(Rows.read(out.resolve("other-again"), "answer"));
    }

    private static void checkNothingIsLeft(String application, Path cache, Path temporary) throws IOException {
        Remains.ofProcesses(application);
        assertThat(Remains.ofNodeCache(cache))
                .as("one folder for each of two models with equal file names")
                .hasSize(2);
        Remains.ofTemporaryFiles(temporary);
    }
}
