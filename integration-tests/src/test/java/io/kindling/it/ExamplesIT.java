package io.kindling.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The examples run as their first lines say. {@code generate.sql} runs in {@link SameTextIT}. */
class ExamplesIT {
    @TempDir
    Path folder;

    @Test
    void pySpark() throws IOException {
        Path questions = Files.createDirectory(folder.resolve("questions"));
        Files.write(
                questions.resolve("1.json"),
                List.of("{\"id\": 1, \"question\": \"Hi\"}", "{\"id\": 2, \"question\": \"Bye\"}"));
        String model = Repository.model().toString();
        String streamed = folder.resolve("streamed").toString();
        String resumed = folder.resolve("resumed").toString();
        Path scripts = folder.resolve("scripts.jsonl");
        Files.write(
                scripts,
                List.of(
                        line("examples/pyspark/reviews.py", model),
                        line(
                                "examples/pyspark/ticket_triage.py",
                                model,
                                Repository.encoder().toString()),
                        line("examples/pyspark/streaming.py", model, questions.toString(), streamed),
                        line("examples/pyspark/streaming.py", model, questions.toString(), streamed),
                        line("examples/pyspark/resume.py", model, resumed, "5"),
                        line("examples/pyspark/resume.py", model, resumed)));
        Processes.Result result = SparkRelease.SPARK_4_3_0
                .submitPython(
                        Repository.ROOT.resolve("connector/python/src"),
                        "integration-tests/src/test/resources/run_scripts.py",
                        scripts.toString())
                .orFail();
        List<List<String>> outputs = sections(result.out());
        assertThat(outputs).hasSize(6);
        assertThat(outputs.get(0))
                .filteredOn(line -> line.matches("[1-6] \\w+: '.+'"))
                .hasSize(6);
        assertThat(outputs.get(1))
                .filteredOn(line -> line.matches("\\d+ \\w+: ['\"].+['\"]"))
                .extracting(line -> line.replaceAll(":.*", ""))
                .containsExactly(
                        "101 billing", "102 shipping", "103 technical", "104 account", "105 billing", "106 shipping");
        assertThat(outputs.get(2))
                .filteredOn(line -> line.matches("[12]: ['\"].+['\"]"))
                .hasSize(2);
        assertThat(outputs.get(3)).as("no file is answered twice").isEqualTo(outputs.get(2));
        assertThat(outputs.get(4)).containsExactly("0 answers found, 5 written, 0 left");
        assertThat(outputs.get(5)).containsExactly("5 answers found, 15 written, 0 left");
    }

    @Test
    void sqlOverVectorsAndClasses() throws IOException {
        Path queues = Repository.ticketClassifier(folder);
        Path both = folder.resolve("both.sql");
        Files.writeString(
                both,
                Files.readString(Repository.ROOT.resolve("examples/sql/nearest.sql"))
                        + Files.readString(Repository.ROOT.resolve("examples/sql/classify.sql")));
        Processes.Result result = SparkRelease.SPARK_4_3_0
                .sql(both, Map.of("minilm", Repository.encoder(), "queues", queues), folder)
                .orFail();
        assertThat(result.out().lines().map(line -> line.replaceAll("\t0\\.\\d+$", "")))
                .containsSubsequence("1\twarranty", "2\topening hours", "3\treturns", "4\tnewsletter")
                .containsSubsequence(
                        "101\tbilling",
                        "102\tshipping",
                        "103\ttechnical",
                        "104\taccount",
                        "105\tbilling",
                        "106\tshipping")
                .containsSubsequence("account\t1", "billing\t2", "shipping\t2", "technical\t1");
    }

    @ParameterizedTest
    @CsvSource({
        "ReviewReplies, reviews.csv, reply, 6",
        "ResumedReplies, reviews.csv, reply, 6",
        "ReviewSummaries, product_reviews.csv, summary, 3"
    })
    void java(String example, String data, String answer, int rows) {
        Path out = folder.resolve("out");
        SparkRelease.SPARK_3_5_0
                .submit(
                        "--master",
                        "local[2]",
                        "--class",
                        "io.kindling.examples." + example,
                        "--jars",
                        Repository.JAR.toString(),
                        Repository.EXAMPLES_JAR.toString(),
                        Repository.model().toString(),
                        "examples/data/" + data,
                        out.toString())
                .orFail();
        assertThat(Rows.lines(out)).hasSize(rows).allSatisfy(line -> {
            assertThat(line.get(answer).asText()).isNotBlank();
            if (line.has("details")) {
                assertThat(line.get("details").get("generated_tokens").asInt()).isBetween(1, 24);
            }
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

    private static String line(String... command) throws IOException {
        return Rows.JSON.writeValueAsString(command);
    }

    private static List<List<String>> sections(String output) {
        List<List<String>> sections = new ArrayList<>();
        output.lines().forEach(line -> {
            if (line.startsWith("=== ")) {
                sections.add(new ArrayList<>());
            } else {
                sections.get(sections.size() - 1).add(line);
            }
        });
        return sections;
    }
}
