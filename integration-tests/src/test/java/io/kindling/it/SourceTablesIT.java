package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tables of {@code format("onnx")} in both lines of Spark, in the oldest Spark 4 nightly: over the input's own plan, with the rows of
 * the scan that they are without the extension.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SourceTablesIT {
    private static final String EXTENSION = "spark.sql.extensions=io.kindling.spark.KindlingExtensions";

    @TempDir
    static Path folder;

    private Map<String, JsonNode> scanned;

    @BeforeAll
    void withoutTheExtension() {
        scanned = run(SparkRelease.SPARK_3_5_9, "scanned");
        assertThat(plan(scanned, "filters")).doesNotContain("OnnxBatch").contains("onnx.generate[model=m] of");
    }

    private Map<String, JsonNode> run(SparkRelease spark, String name, String... settings) {
        List<String> arguments = new ArrayList<>(List.of("--master", "local[2]", "--jars", Repository.JAR.toString()));
        arguments.addAll(List.of("--conf", "spark.sql.warehouse.dir=" + folder.resolve(name + "-warehouse")));
        for (String setting : settings) {
            arguments.addAll(List.of("--conf", setting));
        }
        arguments.addAll(List.of(
                Repository.ROOT
                        .resolve("integration-tests/src/test/resources/source_tables.py")
                        .toString(),
                Repository.model().toString(),
                folder.resolve(name).toString()));
        Map<String, JsonNode> printed = new LinkedHashMap<>();
        spark.run(SparkRelease.ownJava(), "spark-submit", arguments)
                .orFail()
                .out()
                .lines()
                .filter(line -> line.startsWith("{\"name\": "))
                .map(SourceTablesIT::parse)
                .forEach(line -> printed.put(line.get("name").asText(), line));
        return printed;
    }

    private static JsonNode parse(String line) {
        try {
            return Rows.JSON.readTree(line);
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(line, e);
        }
    }

    private static String plan(Map<String, JsonNode> printed, String name) {
        return printed.get("plans").get("plans").get(name).asText();
    }

    @ParameterizedTest
    @EnumSource(names = {"SPARK_3_5_9", "SPARK_4_3_0"})
    void aTableIsTheOperatorOverItsInput(SparkRelease spark) {
        check(spark);
    }

    @Test
    @Tag("nightly")
    void aTableOfTheOldestSpark4IsTheOperatorOverItsInput() {
        check(SparkRelease.SPARK_4_0_0);
    }

    private void check(SparkRelease spark) {
        Map<String, JsonNode> opened = spark.isLine4() ? run(spark, spark.name()) : run(spark, spark.name(), EXTENSION);
        scanned.forEach((name, line) -> {
            if (line.has("rows")) {
                assertThat(opened.get(name).get("rows")).as(name).isEqualTo(line.get("rows"));
            }
        });
        assertThat(opened.get("schema")).isEqualTo(scanned.get("schema"));
        assertThat(requests(opened))
                .isEqualTo(Map.of(
                        "files", 2,
                        "tables", 2,
                        "views", 2,
                        "limits", 2,
                        "counts", 0,
                        "unions", 0,
                        "self-joins", 8,
                        "without AQE", 3,
                        "caches", 8,
                        "cached", 0));
        assertThat(plan(opened, "filters"))
                .contains("OnnxBatch onnx.generate[model=m (", "PushedFilters: [IsNotNull(id), GreaterThan(id,5)]")
                .contains("ReadSchema: struct<id:bigint,q:string,s:struct<");
        assertThat(plan(opened, "split")).contains("rows split into 3");
        assertThat(plan(opened, "join")).as("buckets").contains("OnnxBatch").doesNotContain("Exchange");
    }

    private static Map<String, Integer> requests(Map<String, JsonNode> printed) {
        Map<String, Integer> requests = new LinkedHashMap<>();
        printed.forEach((name, line) -> {
            if (line.has("requests")) {
                requests.put(name, line.get("requests").asInt());
            }
        });
        return requests;
    }
}
