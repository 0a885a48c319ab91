package io.kindling.spark.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.holdenkarau.spark.testing.JavaDataFrameSuiteBase;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.LocalSpark;
import io.kindling.spark.convert.ResultConverter;
import io.kindling.spark.job.TableJob.WriteMode;
import io.kindling.spark.metrics.Metric;
import io.kindling.spark.runtime.FakeEngines;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class TableJobRunnerTest {
    @RegisterExtension
    static final LocalSpark SPARK = new LocalSpark();

    private static final StructType RESULT = new StructType()
            .add("id", DataTypes.LongType)
            .add("q", DataTypes.StringType)
            .add("generated", DataTypes.StringType)
            .add("generated_details", ResultConverter.DETAILS);

    private static final List<Row> ANSWERS = List.of(
            RowFactory.create(1L, "x", "re: x? max 8", RowFactory.create("re: x? max 8", "stop", 3, 2, null, null)),
            RowFactory.create(2L, null, null, null),
            RowFactory.create(3L, "BAD", null, RowFactory.create(null, "error", 2, 0, "PROMPT_TOO_LONG", "a bad row")));

    @TempDir
    Path folder;

    private Path model;

    @BeforeEach
    void input() throws IOException {
        model = Files.createDirectory(folder.resolve("model"));
        Files.writeString(
                folder.resolve("in.json"), "{\"id\":1,\"q\":\"x\"}\n{\"id\":2,\"q\":null}\n{\"id\":3,\"q\":\"BAD\"}\n");
        Files.writeString(folder.resolve("in.csv"), "id,q\n1,x\n2,\n3,BAD\n");
    }

    private TableJob job(String input, String inputFormat, String output, String outputFormat, WriteMode mode) {
        return job(input, inputFormat, output, outputFormat, mode, Map.of("max_new_tokens", "8"));
    }

    private TableJob job(
            String input,
            String inputFormat,
            String output,
            String outputFormat,
            WriteMode mode,
            Map<String, String> options) {
        return new TableJob(
                model.toString(),
                input,
                inputFormat,
                Map.of(),
                "{q}?",
                Optional.empty(),
                2,
                output,
                outputFormat,
                Map.of(),
                mode,
                options);
    }

    private TableJob toFiles(String inputFormat, String outputFormat, WriteMode mode) {
        return job(
                folder.resolve("in." + inputFormat).toString(),
                inputFormat,
                folder.resolve("out").toString(),
                outputFormat,
                mode);
    }

    private static JobSummary run(TableJob job) {
        PrintWriter console = new PrintWriter(new StringWriter());
        return new TableJobRunner(SPARK.session(), console).run(job);
    }

    private List<String> files() throws IOException {
        try (var children = Files.list(folder)) {
            return children.map(child -> child.getFileName().toString())
                    .sorted()
                    .toList();
        }
    }

    @Test
    void parquetKeepsTheDetailsAsAStruct() {
        JobSummary summary = run(toFiles("json", "parquet", WriteMode.ERRORIFEXISTS));
        new JavaDataFrameSuiteBase()
                .assertDataFrameNoOrderEquals(
                        SPARK.session().createDataFrame(ANSWERS, RESULT),
                        SPARK.session().read().parquet(folder.resolve("out").toString()));
        assertThat(summary.rows()).isEqualTo(3);
        assertThat(summary.failedRows()).isEqualTo(1);
        assertThat(summary.requests()).isEqualTo(2);
        assertThat(summary.generatedTokens()).isEqualTo(2);
        assertThat(summary.sessions()).isEqualTo(1);
    }

    @Test
    void theSummarySaysAllThatTheSqlTabDoes() {
        JobSummary summary = new JobSummary(9, 2, 8, 3, 70, 40, 100, 2.5, 6, 1, 1500, 4, false);
        assertThat(summary)
                .hasToString(
                        "9 rows (2 failed), 8 requests (3 deduplicated), 70 prompt tokens (40 from the prefix cache)"
                                + " and 100 generated ones in 4.0 s: 25.0 tokens/s; 2.5 rows a pass, at most 6 KV pages;"
                                + " 1 session(s) loaded in 1500 ms");
        assertThat(summary.toJson())
                .isEqualTo(
                        "{\"rows\":9,\"failed_rows\":2,\"engine_requests\":8,\"deduplicated\":3,\"prompt_tokens\":70,"
                                + "\"prefix_hits\":40,\"generated_tokens\":100,\"mean_batch_size\":2.50,\"kv_pages_peak\":6,"
                                + "\"sessions\":1,\"model_load_ms\":1500,\"seconds\":4.000,\"tokens_per_second\":25.0,\"skipped\":false}");
        assertThat(Stream.of(Metric.values())
                        .map(metric -> metric.label().replace(' ', '_').toLowerCase(Locale.ROOT)))
                .allSatisfy(name -> assertThat(summary.toJson()).contains('"' + name + '"'));
    }

    @Test
    void aJobOfWhichTooMuchFailedSaysSoWhenAllIsWritten() {
        String input = folder.resolve("in.json").toString();
        String output = folder.resolve("out").toString();
        TableJob job = job(
                input,
                "json",
                output,
                "parquet",
                WriteMode.OVERWRITE,
                Map.of("max_new_tokens", "8", "maxErrorFraction", "0.3"));
        assertThatThrownBy(() -> run(job))
                .isInstanceOfSatisfying(
                        KindlingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED))
                .hasMessageContainingAll("1 of 3 rows failed", "max_error_fraction 0.3", output, "generated_details");
        assertThat(SPARK.session().read().parquet(output).count()).isEqualTo(3);
        assertThat(run(job(
                                input,
                                "json",
                                output,
                                "parquet",
                                WriteMode.OVERWRITE,
                                Map.of("max_new_tokens", "8", "maxErrorFraction", "0.34")))
                        .failedRows())
                .isEqualTo(1);
    }

    @Test
    void csvHasTheDetailsAsJson() {
        run(toFiles("csv", "csv", WriteMode.ERRORIFEXISTS));
        List<Row> rows = SPARK.session()
                .read()
                .option("header", true)
                .csv(folder.resolve("out").toString())
                .orderBy("id")
                .collectAsList();
        assertThat(rows)
                .containsExactly(
                        RowFactory.create(
                                "1",
                                "x",
                                "re: x? max 8",
                                "{\"text\":\"re: x? max 8\",\"finish_reason\":\"stop\",\"prompt_tokens\":3,\"generated_tokens\":2}"),
                        RowFactory.create("2", null, null, null),
                        RowFactory.create(
                                "3",
                                "BAD",
                                null,
                                "{\"finish_reason\":\"error\",\"prompt_tokens\":2,\"generated_tokens\":0,"
                                        + "\"error_code\":\"PROMPT_TOO_LONG\",\"error\":\"a bad row\"}"));
    }

    @Test
    void tablesAreReadAndWritten() {
        SPARK.session()
                .read()
                .json(folder.resolve("in.json").toString())
                .write()
                .saveAsTable("questions");
        try {
            TableJob job = job("questions", "table", "answers", "table", WriteMode.OVERWRITE);
            run(job);
            run(job);
            assertThat(SPARK.session()
                            .table("answers")
                            .select("id", "generated")
                            .orderBy("id")
                            .collectAsList())
                    .containsExactly(
                            RowFactory.create(1L, "re: x? max 8"),
                            RowFactory.create(2L, null),
                            RowFactory.create(3L, null));
            assertThat(SPARK.session().sparkContext().getPersistentRDDs().isEmpty())
                    .isTrue();
        } finally {
            SPARK.session().sql("DROP TABLE IF EXISTS questions");
            SPARK.session().sql("DROP TABLE IF EXISTS answers");
        }
    }

    @Test
    void modesDecideAboutAnOutputThatExists() {
        run(toFiles("json", "json", WriteMode.ERRORIFEXISTS));
        assertThatThrownBy(() -> run(toFiles("json", "json", WriteMode.ERRORIFEXISTS)))
                .isInstanceOf(KindlingException.class)
                .hasMessageContaining("exists already");
        assertThat(run(toFiles("json", "json", WriteMode.IGNORE)).skipped()).isTrue();
        run(toFiles("json", "json", WriteMode.APPEND));
        assertThat(count()).isEqualTo(6);
        run(toFiles("json", "json", WriteMode.OVERWRITE));
        assertThat(count()).isEqualTo(3);
    }

    @Test
    void appendingTakesNoTasksOfAKilledDriver() throws IOException {
        run(toFiles("json", "json", WriteMode.ERRORIFEXISTS));
        Path ended = folder.resolve("out/_temporary/0/task_202601011200001234567890123_0001_m_000000");
        Files.createDirectories(ended);
        Files.writeString(ended.resolve("part-00000-killed-c000.json"), "{\"id\":9}\n");
        run(toFiles("json", "json", WriteMode.APPEND));
        assertThat(count()).isEqualTo(6);
    }

    private long count() {
        return SPARK.session().read().json(folder.resolve("out").toString()).count();
    }

    @Test
    void whatSparkRefusesIsAUsersError() {
        TableJob job = toFiles("json", "parquet", WriteMode.ERRORIFEXISTS);
        assertThatThrownBy(() -> run(new TableJob(
                        job.model(),
                        job.input(),
                        job.inputFormat(),
                        Map.of(),
                        "{nothing}",
                        Optional.empty(),
                        0,
                        job.output(),
                        job.outputFormat(),
                        Map.of(),
                        job.mode(),
                        Map.of())))
                .isInstanceOfSatisfying(
                        KindlingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_OPTION))
                .hasMessageContainingAll("Spark refuses the job", "nothing");
    }

    @Test
    void aFailedJobLeavesTheFoldersAsTheyWere() throws IOException {
        run(toFiles("json", "json", WriteMode.ERRORIFEXISTS));
        List<String> before = files();
        Files.createFile(model.resolve("broken"));
        FakeEngines.install();
        for (WriteMode mode : List.of(WriteMode.OVERWRITE, WriteMode.APPEND)) {
            assertThatThrownBy(() -> run(toFiles("json", "json", mode)))
                    .isInstanceOf(KindlingException.class)
                    .hasMessageContaining("is broken on purpose");
            assertThat(files()).isEqualTo(before);
            assertThat(count()).isEqualTo(3);
        }
        assertThatThrownBy(() -> run(job(
                        folder.resolve("in.json").toString(),
                        "json",
                        folder.resolve("new").toString(),
                        "json",
                        WriteMode.ERRORIFEXISTS)))
                .hasMessageContaining("is broken on purpose");
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void aFailedJobLeavesAnOverwrittenTableAsItWas() throws IOException {
        run(job(folder.resolve("in.json").toString(), "json", "kept", "table", WriteMode.ERRORIFEXISTS));
        try {
            Files.createFile(model.resolve("broken"));
            FakeEngines.install();
            assertThatThrownBy(() -> run(
                            job(folder.resolve("in.json").toString(), "json", "kept", "table", WriteMode.OVERWRITE)))
                    .hasMessageContaining("is broken on purpose");
            assertThat(SPARK.session().table("kept").count()).isEqualTo(3);
        } finally {
            SPARK.session().sql("DROP TABLE IF EXISTS kept");
        }
    }
}
