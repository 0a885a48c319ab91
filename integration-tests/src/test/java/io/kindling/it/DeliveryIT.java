package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The ways of a model to executors that share a node cache, and what may happen to it there. */
class DeliveryIT {
    private static final long LARGE = 256L << 20;

    @TempDir
    Path folder;

    private Path model;
    private Path cache;

    @BeforeEach
    void makeModel() {
        assumeTrue(Files.isReadable(Path.of("/proc/self/maps")), "needs Linux's /proc to see executors");
        model = folder.resolve("scripted");
        cache = folder.resolve("cache");
        Repository.python("tools/scripted_model.py", model.toString());
    }

    @ParameterizedTest
    @EnumSource(names = {"SPARK_3_5_9", "SPARK_4_3_0"})
    void everyWayGivesTheSameAnswers(SparkRelease spark) throws IOException {
        checkModes(spark);
    }

    @ParameterizedTest
    @EnumSource(names = "SPARK_4_0_0")
    @Tag("nightly")
    void everyWayGivesTheSameAnswersInTheOldestSpark4(SparkRelease spark) throws IOException {
        checkModes(spark);
    }

    private void checkModes(SparkRelease spark) throws IOException {
        Map<String, JsonNode> seen = run(spark, "modes", "--archives", archive() + "#model");
        JsonNode expected = seen.get("path").get("answers");
        assertThat(expected).hasSize(40);
        for (String way : List.of("files", "auto", "broadcast")) {
            assertThat(seen.get(way).get("answers")).as(way).isEqualTo(expected);
        }
        // These executors are on the driver's machine, so that auto need not send.
        for (String way : List.of("path", "files", "auto")) {
            assertThat(seen.get(way).get("cache"))
                    .as("%s: opened in its place", way)
                    .isEmpty();
        }
        assertThat(seen.get("broadcast").get("cache")).isNotEmpty();
        assertThat(Remains.ofNodeCache(cache)).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"SPARK_3_5_9", "SPARK_4_0_0", "SPARK_4_3_0"})
    @Tag("nightly")
    void killedWritersAndDamageAreMended(SparkRelease spark) throws IOException {
        try (RandomAccessFile large =
                new RandomAccessFile(model.resolve("large.bin").toFile(), "rw")) {
            large.setLength(LARGE);
        }
        Map<String, JsonNode> seen = run(spark, "faults");
        JsonNode killed = seen.get("killed");
        assertThat(killed.get("killed")).hasSize(2);
        for (String name : List.of("flipped", "cut", "missing", "without sums")) {
            assertThat(seen.get(name).get("answers")).as(name).isEqualTo(killed.get("answers"));
            assertThat(seen.get(name + " afterwards").get("whole").asBoolean())
                    .as(name)
                    .isTrue();
        }
        Remains.ofProcesses(seen.get("ids").get("application").asText());
        assertThat(Remains.ofNodeCache(cache)).hasSize(1);
    }

    private Path archive() throws IOException {
        Path archive = folder.resolve("model.zip");
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(archive));
                var files = Files.list(model)) {
            for (Path file : files.toList()) {
                out.putNextEntry(new ZipEntry(file.getFileName().toString()));
                Files.copy(file, out);
            }
        }
        return archive;
    }

    private Map<String, JsonNode> run(SparkRelease spark, String what, String... more) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("--master", "local-cluster[3,1,700]", "--jars", Repository.JAR.toString()));
        for (String setting : List.of(
                "spark.sql.extensions=io.kindling.spark.KindlingExtensions",
                "spark.executor.memory=600m",
                "spark.task.maxFailures=10",
                "spark.kindling.cacheDir=" + cache)) {
            arguments.addAll(List.of("--conf", setting));
        }
        arguments.addAll(List.of(more));
        arguments.addAll(List.of(
                Repository.ROOT
                        .resolve("integration-tests/src/test/resources/delivery.py")
                        .toString(),
                what,
                model.toString(),
                cache.toString()));
        Map<String, JsonNode> reports = new HashMap<>();
        for (String line : spark.submit(arguments.toArray(String[]::new))
                .orFail()
                .out()
                .lines()
                .filter(text -> text.startsWith("{"))
                .toList()) {
            JsonNode report = Rows.JSON.readTree(line);
            reports.put(report.get("case").asText(), report);
        }
        return reports;
    }
}
