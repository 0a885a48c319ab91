package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bad rows stay rows; bad models and options are one clear error, and leave no half-written output. */
class FaultsIT {
    @TempDir
    static Path folder;

    private static Path rows;
    private static Path cut;
    private static Path withoutTokenizer;

    @BeforeAll
    static void brokenPackages() throws IOException {
        rows = Rows.write(
                folder.resolve("rows.jsonl"),
                Arrays.asList("The sky is", null, "", "word ".repeat(20_000), "Two plus two is"));
        cut = copy("cut");
        Path graph = cut.resolve("model.onnx");
        byte[] whole = Files.readAllBytes(graph);
        Files.write(graph, Arrays.copyOf(whole, whole.length / 2));
        withoutTokenizer = copy("without-tokenizer");
        Files.delete(withoutTokenizer.resolve("tokenizer.json"));
    }

    private static Path copy(String name) throws IOException {
        Path target = Files.createDirectory(folder.resolve(name));
        try (Stream<Path> files = Files.list(Repository.model())) {
            for (Path file : files.toList()) {
                Files.copy(file, target.resolve(file.getFileName()));
            }
        }
        return target;
    }

    @ParameterizedTest
    @EnumSource(names = {"SPARK_3_5_0", "SPARK_4_3_0"})
    void pySparkSeesRowFaultsAsValuesAndModelFaultsAsErrors(SparkRelease spark) throws IOException {
        check(spark);
    }

    @ParameterizedTest
    @EnumSource(names = {"SPARK_3_5_9", "SPARK_4_0_0"})
    @Tag("nightly")
    void pySparkOfReleasesBetweenSeesTheSame(SparkRelease spark) throws IOException {
        check(spark);
    }

    private void check(SparkRelease spark) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("--master", "local[2,4]", "--jars", Repository.JAR.toString()));
        if (!spark.isLine4()) {
            arguments.addAll(List.of("--conf", "spark.sql.extensions=io.kindling.spark.KindlingExtensions"));
        }
        arguments.addAll(List.of(
                Repository.ROOT
                        .resolve("integration-tests/src/test/resources/faults.py")
                        .toString(),
                Repository.model().toString(),
                rows.toString(),
                cut.toString(),
                withoutTokenizer.toString(),
                folder.resolve("nowhere").toString(),
                Repository.python(
                        "tools/scripted_model.py", folder.resolve("scripted").toString())));
        Processes.Result result =
                spark.run(SparkRelease.ownJava(), "spark-submit", arguments).orFail();
        Map<String, JsonNode> reports = new HashMap<>();
        for (String line :
                result.out().lines().filter(text -> text.startsWith("{")).toList()) {
            JsonNode report = Rows.JSON.readTree(line);
            reports.put(report.get("case").asText(), report.get("result"));
        }
        for (String way : List.of("rows by function", "rows in batches")) {
            checkRows(way, reports.get(way));
        }
        for (String way : List.of("by function", "in batches")) {
            assertThat(text(reports, "cut " + way)).contains("model.onnx", "MODEL_INVALID");
            assertThat(text(reports, "without tokenizer " + way)).contains("tokenizer.json");
            assertThat(text(reports, "missing " + way)).contains("nowhere", "does not exist");
            assertThat(text(reports, "bad options " + way)).contains("max_new_tokenz", "temperature");
            JsonNode cut = reports.get("overflow " + way).get(3);
            assertThat(cut.get("error").isNull()).as(way).isTrue();
            assertThat(cut.get("prompt_tokens").asInt()).as(way).isEqualTo(2048 - 4);
            assertThat(text(reports, "too many " + way))
                    .contains("rows of a task failed, more than maxErrorFraction 0.5");
            assertThat(text(reports, "first one " + way)).contains("failed and onError is 'fail'");
        }
    }

    private static String text(Map<String, JsonNode> reports, String name) {
        assertThat(reports).containsKey(name);
        return reports.get(name).asText();
    }

    private static void checkRows(String way, JsonNode rows) {
        assertThat(rows).as(way).hasSize(5);
        assertThat(rows.get(0).get("finish_reason").asText()).as(way).isEqualTo("length");
        assertThat(rows.get(0).get("generated_tokens").asInt()).as(way).isEqualTo(4);
        assertThat(rows.get(1).isNull()).as(way + ": NULL prompt").isTrue();
        assertThat(rows.get(2).isNull()).as(way + ": empty prompt").isFalse();
        assertThat(rows.get(3).get("error_code").asText()).as(way).isEqualTo("PROMPT_TOO_LONG");
        assertThat(rows.get(3).get("text").isNull()).as(way).isTrue();
        assertThat(rows.get(4).get("error").isNull()).as(way).isTrue();
    }

    private Processes.Result table(Path model, Path output, String... flags) {
        List<String> arguments = new ArrayList<>(List.of(
                "--master",
                "local[2,4]",
                Repository.JAR.toString(),
                "generate-table",
                "--model",
                model.toString(),
                "--input",
                rows.toString(),
                "--input-format",
                "json",
                "--prompt",
                "{prompt}",
                "--max-new-tokens",
                "4",
                "--output",
                output.toString(),
                "--output-format",
                "parquet"));
        arguments.addAll(List.of(flags));
        return SparkRelease.SPARK_3_5_9.submit(arguments.toArray(String[]::new));
    }

    @Test
    void theBatchJobWritesAllRowsOrNothing() throws IOException {
        List<Path> before = children();
        Processes.Result broken = table(cut, folder.resolve("out"));
        assertThat(broken.exitCode()).as(broken.toString()).isEqualTo(1);
        assertThat(broken.err()).contains("kindling: MODEL_INVALID: ").contains("model.onnx");
        assertThat(children()).isEqualTo(before);

        Processes.Result large = table(Repository.model(), folder.resolve("out"), "--memory-total", "200m");
        assertThat(large.exitCode()).as(large.toString()).isEqualTo(1);
        long mib = mebibytes(Repository.model());
        assertThat(large.err())
                .contains("kindling: DOES_NOT_FIT: ", "weights " + mib + " MiB mapped, prepacked " + mib + " MiB")
                .contains("may have 200 MiB", "raise spark.kindling.memory.total to ");
        assertThat(children()).isEqualTo(before);

        Processes.Result failed = table(Repository.model(), folder.resolve("out"), "--on-error", "fail", "--key", "id");
        assertThat(failed.exitCode()).as(failed.toString()).isEqualTo(1);
        assertThat(failed.err()).contains("kindling: PROMPT_TOO_LONG: row 'r3' failed");
        assertThat(children()).isEqualTo(before);

        Processes.Result usage =
                table(Repository.model(), folder.resolve("out"), "--temperature", "-1", "--distribution", "pigeon");
        assertThat(usage.exitCode()).as(usage.toString()).isEqualTo(2);
        assertThat(usage.err()).contains("temperature", "pigeon");
        assertThat(children()).isEqualTo(before);
    }

    private static long mebibytes(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            long bytes = files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
            return (bytes + (1 << 20) - 1) >> 20;
        }
    }

    private static List<Path> children() throws IOException {
        try (Stream<Path> children = Files.list(folder)) {
            return children.sorted().toList();
        }
    }
}
