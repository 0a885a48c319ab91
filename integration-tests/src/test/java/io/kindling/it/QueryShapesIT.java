package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Queries of all shapes ask the engine once for a row, counted before equal requests are dropped: in both lines of Spark, in the oldest
 * Spark 4 nightly.
 */
class QueryShapesIT {
    private static final Path SHAPES = Repository.ROOT.resolve("connector/shim-3.5/src/test/resources");

    @ParameterizedTest
    @EnumSource(names = {"SPARK_3_5_9", "SPARK_4_3_0"})
    void aQueryAsksOnceForARow(SparkRelease spark) {
        check(spark, SparkRelease.ownJava());
    }

    @Test
    @Tag("nightly")
    void aQueryOfTheOldestSpark4AsksOnceForARow() {
        check(SparkRelease.SPARK_4_0_0, SparkRelease.ownJava());
    }

    @Test
    @Tag("nightly")
    void aQueryOnJava25AsksOnceForARow() {
        check(SparkRelease.SPARK_4_3_0, Java25.homeOrSkip());
    }

    private static void check(SparkRelease spark, Path javaHome) {
        List<String> arguments = new ArrayList<>(List.of("--master", "local[2]", "--jars", Repository.JAR.toString()));
        if (!spark.isLine4()) {
            arguments.addAll(List.of("--conf", "spark.sql.extensions=io.kindling.spark.KindlingExtensions"));
        }
        arguments.addAll(List.of(
                Repository.ROOT
                        .resolve("integration-tests/src/test/resources/query_shapes.py")
                        .toString(),
                Repository.model().toString(),
                SHAPES.resolve("query-shapes.txt").toString()));
        if (spark.isLine4()) {
            arguments.add(SHAPES.resolve("query-shapes-of-spark-4.txt").toString());
        }
        Processes.Result result = spark.run(javaHome, "spark-submit", arguments).orFail();
        List<String> lines = result.out()
                .lines()
                .filter(line -> line.startsWith("right ") || line.startsWith("wrong "))
                .toList();
        assertThat(lines).hasSizeGreaterThan(100);
        assertThat(lines.stream().filter(line -> line.startsWith("wrong ")))
                .as(spark.toString())
                .isEmpty();
    }
}
