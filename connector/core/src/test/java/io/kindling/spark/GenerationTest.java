package io.kindling.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.error.OptionException;
import io.kindling.spark.metrics.GenerationMetrics;
import io.kindling.spark.runtime.DeterministicFaults;
import io.kindling.spark.runtime.FakeEngines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class GenerationTest {
    private static final StructType SCHEMA =
            new StructType().add("id", DataTypes.IntegerType).add("q", DataTypes.StringType);

    @RegisterExtension
    static final LocalSpark SPARK = new LocalSpark();

    @TempDir
    Path model;

    private Dataset<Row> table(String... questions) {
        List<Row> rows = IntStream.range(0, questions.length)
                .mapToObj(i -> RowFactory.create(i, questions[i]))
                .toList();
        return SPARK.session().createDataFrame(rows, SCHEMA);
    }

    private Generation generation() {
        return Generation.of(model.toUri().toString());
    }

    @Test
    void rowsComeOutInOrderWithTheirAnswersBehind() {
        String[] questions =
                IntStream.range(0, 257).mapToObj(i -> "question " + i).toArray(String[]::new);
        Dataset<Row> input = table(questions).repartition(1);
        List<Row> before = input.collectAsList();
        Dataset<Row> answers = generation()
                .prompt("Q{id}: {q} {{x}}")
                .option("maxNewTokens", 7)
                .into("a")
                .apply(input);
        assertThat(answers.columns()).containsExactly("id", "q", "a");
        List<Row> expected = before.stream()
                .map(row -> RowFactory.create(
                        row.get(0), row.get(1), "re: Q" + row.get(0) + ": " + row.get(1) + " {x} max 7"))
                .toList();
        assertThat(answers.collectAsList()).isEqualTo(expected);
    }

    @Test
    void nullEmptyAndBadRowsStayInTheirPlaces() {
        Dataset<Row> answers = generation()
                .prompt(functions.col("q"))
                .into("a")
                .details("d")
                .option("maxNewTokens", 1)
                .apply(table("x", null, "", "BAD").coalesce(1));
        assertThat(answers.collectAsList())
                .containsExactly(
                        RowFactory.create(
                                0, "x", "re: x max 1", RowFactory.create("re: x max 1", "stop", 3, 2, null, null)),
                        RowFactory.create(1, null, null, null),
                        RowFactory.create(
                                2, "", "re:  max 1", RowFactory.create("re:  max 1", "stop", 3, 2, null, null)),
                        RowFactory.create(
                                3,
                                "BAD",
                                null,
                                RowFactory.create(null, "error", 2, 0, "PROMPT_TOO_LONG", "a bad row")));
    }

    @Test
    void optionsMayComeFromColumns() {
        Dataset<Row> answers = generation()
                .prompt("{q}")
                .option("maxNewTokens", 9)
                .option("max_new_tokens", functions.expr("CASE id WHEN 0 THEN 3 WHEN 2 THEN -1 END"))
                .option("seed", functions.expr("id * 100"))
                .into("a")
                .details("d")
                .apply(table("x", "y", "z"));
        assertThat(answers.select("a", "d.error_code").collectAsList())
                .containsExactly(
                        RowFactory.create("re: x max 3", null),
                        RowFactory.create("re: y max 9 seed 100", null),
                        RowFactory.create(null, "INVALID_OPTION"));
        assertThatThrownBy(() -> generation()
                        .prompt("{q}")
                        .option("kernels", functions.col("q"))
                        .option("nothing", functions.col("q"))
                        .apply(table("x")))
                .isInstanceOf(OptionException.class)
                .hasMessageContainingAll("'kernels' cannot come from a column", "unknown option 'nothing'");
    }

    @Test
    void chatSystemAndKeyReachTheEngine() {
        Dataset<Row> answers = generation()
                .prompt("{q}")
                .system("be brief")
                .key("id")
                .option("max_new_tokens", 2)
                .apply(table("hi"));
        assertThat(answers.first().getString(2)).isEqualTo("re: <system>be brief<user>hi #0 max 2");
    }

    @Test
    void fourTasksShareOneSessionAndReleaseIt() {
        GenerationMetrics metrics = GenerationMetrics.register(SPARK.session().sparkContext());
        String[] questions = IntStream.range(0, 400).mapToObj(i -> "q" + i).toArray(String[]::new);
        Dataset<Row> answers = generation()
                .prompt("{q}")
                .option("inFlight", 5)
                .metrics(metrics)
                .apply(table(questions).repartition(4));
        assertThat(answers.collectAsList()).hasSize(400);
        assertThat(metrics.sessions().value()).isEqualTo(1);
        assertThat(metrics.rows().value()).isEqualTo(400);
        assertThat(metrics.requests().value()).isEqualTo(400);
        assertThat(metrics.promptTokens().value()).isEqualTo(1200);
        assertThat(metrics.generatedTokens().value()).isEqualTo(800);
        assertThat(metrics.deduplicated().value()).isZero();
        assertThat(metrics.prefixHits().value()).isEqualTo(400 * 16);
        assertThat(metrics.meanBatchSize().value()).isEqualTo(2);
        assertThat(metrics.kvPagesPeak().value()).isEqualTo(3);
        assertThat(metrics.tokensPerSecond().value()).as("two in 2 ms").isCloseTo(1000, within(1e-6));
        assertThat(FakeEngines.sessionsOpened()).isEqualTo(1);
        assertThat(FakeEngines.OPEN_CLIENTS).hasValue(0);
        assertThat(FakeEngines.MOST_IN_FLIGHT.get()).isBetween(1, 20);
    }

    @Test
    void emptyPartitionsLoadNoModel() {
        assertThat(generation().prompt("{q}").apply(table().repartition(3)).collectAsList())
                .isEmpty();
        assertThat(FakeEngines.ATTEMPTS).hasValue(0);
    }

    @Test
    void broadcastGivesTheSameAnswers(@TempDir Path cache) throws Exception {
        Files.writeString(model.resolve("model.onnx"), "weights");
        Dataset<Row> answers = generation()
                .prompt("{q}")
                .option("distribution", "broadcast")
                .option("cacheDir", cache)
                .apply(table("a", "b").repartition(2));
        assertThat(answers.collectAsList()).hasSize(2);
        try (var packages = Files.list(cache)) {
            Path written = packages.filter(Files::isDirectory).findFirst().orElseThrow();
            assertThat(written.resolve("model.onnx")).hasContent("weights");
        }
    }

    @Test
    void aPackageIsReadAndSentOnceForAllQueriesUntilItChanges(@TempDir Path cache) throws Exception {
        Path weights = Files.writeString(model.resolve("model.onnx"), "weights");
        SPARK.session().sparkContext().hadoopConfiguration().set("fs.elsewhere.impl", Elsewhere.class.getName());
        Generation sent = Generation.of("elsewhere:" + model)
                .prompt("{q}")
                .option("distribution", "broadcast")
                .option("cacheDir", cache);
        Elsewhere.OPENED.clear();
        assertThat(sent.apply(table("a", "b")).collectAsList()).hasSize(2);
        assertThat(Elsewhere.OPENED).containsExactly("model.onnx");
        Elsewhere.OPENED.clear();
        assertThat(sent.apply(table("c")).collectAsList()).hasSize(1);
        assertThat(Elsewhere.OPENED).isEmpty();
        Files.writeString(weights, "other weights");
        assertThat(sent.apply(table("d")).collectAsList()).hasSize(1);
        assertThat(Elsewhere.OPENED).containsExactly("model.onnx");
        try (var packages = Files.list(cache)) {
            assertThat(packages.filter(Files::isDirectory).map(folder -> folder.resolve("model.onnx")))
                    .extracting(Files::readString)
                    .containsExactlyInAnyOrder("weights", "other weights");
        }
    }

    @Test
    void rowFaultsEndTheJobOnRequestOnly() {
        Dataset<Row> answers =
                generation().prompt("{q}").key("id").option("onError", "fail").apply(table("ok", "BAD"));
        assertThatThrownBy(answers::collectAsList).satisfies(thrown -> assertThat(
                        DeterministicFaults.in(SPARK.session().sparkContext(), thrown)
                                .map(KindlingException::getMessage)
                                .orElse(thrown.getMessage()))
                .contains("row '1' failed and onError is 'fail': a bad row"));
    }

    @Test
    void tooManyRowFaultsEndTheJob() {
        String[] questions = IntStream.range(0, 1000)
                .mapToObj(i -> i % 50 == 49 ? "BAD" : "q")
                .toArray(String[]::new);
        Dataset<Row> input = table(questions).coalesce(1);
        assertThat(generation()
                        .prompt("{q}")
                        .option("maxErrorFraction", 0.03)
                        .apply(input)
                        .collectAsList())
                .hasSize(1000);
        Dataset<Row> strict =
                generation().prompt("{q}").option("maxErrorFraction", 0.01).apply(input);
        assertThatThrownBy(strict::collectAsList).hasMessageContaining("2 of the first 100 rows of a task failed");
    }

    @Test
    void aBrokenModelIsTriedOnceAndSaysWhy() throws Exception {
        Files.createFile(model.resolve("broken"));
        Dataset<Row> answers = generation().prompt("{q}").apply(table("a").repartition(1));
        assertThatThrownBy(answers::collectAsList).hasMessageContaining("is broken on purpose");
        assertThat(FakeEngines.ATTEMPTS.get()).isBetween(1, 2);
    }

    @Test
    void aKilledTaskReleasesItsEngine() throws Exception {
        Dataset<Row> answers = generation().prompt("{q}").apply(table("HANG").repartition(1));
        Thread job = new Thread(() -> {
            SPARK.session().sparkContext().setJobGroup("hanging", "never answered", false);
            assertThatThrownBy(answers::collectAsList).hasMessageContaining("cancelled");
        });
        job.start();
        await().until(() -> FakeEngines.OPEN_CLIENTS.get() == 1);
        SPARK.session().sparkContext().cancelJobGroup("hanging");
        await().until(() -> FakeEngines.OPEN_CLIENTS.get() == 0);
        job.join();
    }

    @Test
    void badOptionsAreReportedTogetherBeforeAnyTask() {
        Generation bad = generation()
                .prompt("{q}")
                .option("maxNewTokenz", 3)
                .option("temperature", -1)
                .option("onError", "explode");
        assertThatThrownBy(() -> bad.apply(table("a")))
                .isInstanceOfSatisfying(OptionException.class, e -> assertThat(e.problems())
                        .hasSize(3)
                        .anySatisfy(problem -> assertThat(problem).contains("maxNewTokenz", "max_new_tokens"))
                        .anySatisfy(problem -> assertThat(problem).contains("temperature", "-1"))
                        .anySatisfy(problem -> assertThat(problem).contains("onError", "explode", "null, fail")));
    }

    @Test
    void aMissingModelIsFoundOnTheDriver() {
        Generation missing =
                Generation.of(model.resolve("nowhere").toUri().toString()).prompt("{q}");
        assertThatThrownBy(() -> missing.apply(table("a")))
                .isInstanceOfSatisfying(
                        KindlingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND))
                .hasMessageContaining("nowhere");
    }

    @Test
    void aResultColumnMustBeNew() {
        assertThatThrownBy(() -> generation().prompt("{q}").into("Q").apply(table("a")))
                .isInstanceOf(OptionException.class)
                .hasMessageContaining("has a column 'Q' already");
    }
}
