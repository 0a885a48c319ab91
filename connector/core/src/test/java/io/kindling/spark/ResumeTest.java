package io.kindling.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.kindling.engine.error.OptionException;
import io.kindling.spark.metrics.GenerationMetrics;
import io.kindling.spark.runtime.FakeEngines;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class ResumeTest {
    private static final StructType SCHEMA =
            new StructType().add("id", DataTypes.IntegerType).add("q", DataTypes.StringType);

    @RegisterExtension
    static final LocalSpark SPARK = new LocalSpark();

    @TempDir
    Path model;

    @TempDir
    Path folder;

    private GenerationMetrics metrics;

    private Dataset<Row> table(int rows, String... special) {
        List<Row> list = IntStream.range(0, rows)
                .mapToObj(i -> RowFactory.create(i, i < special.length ? special[i] : "q" + i))
                .toList();
        return SPARK.session().createDataFrame(list, SCHEMA).repartition(2);
    }

    private Dataset<Row> generate(Dataset<Row> rows) {
        metrics = metrics == null ? GenerationMetrics.register(SPARK.session().sparkContext()) : metrics;
        return Generation.of(model.toUri().toString())
                .prompt("{q}")
                .into("a")
                .details("d")
                .metrics(metrics)
                .apply(rows);
    }

    private Resume resume(String format) {
        return Resume.byKey("id")
                .into(format, folder.resolve("out").toString())
                .chunks(2)
                .retry("d", 1);
    }

    private List<Integer> keys(String format) {
        return SPARK
                .session()
                .read()
                .format(format)
                .load(folder.resolve("out").toString())
                .select("id")
                .collectAsList()
                .stream()
                .map(row -> ((Number) row.get(0)).intValue())
                .sorted()
                .toList();
    }

    private static List<Integer> upTo(int rows) {
        return IntStream.range(0, rows).boxed().toList();
    }

    @Test
    void aKilledRunGoesOnWhereItWasAndEveryKeyIsThereOnce() throws Exception {
        Thread job = new Thread(() -> {
            SPARK.session().sparkContext().setJobGroup("killed", "never answered", false);
            assertThatThrownBy(() -> resume("json").run(table(40, "HANG"), this::generate))
                    .hasMessageContaining("cancelled");
        });
        job.start();
        await().atMost(Duration.ofMinutes(2))
                .until(() -> FakeEngines.OPEN_CLIENTS.get() > 0 && FakeEngines.IN_FLIGHT.get() == 1);
        SPARK.session().sparkContext().cancelJobGroup("killed");
        job.join();
        long first = metrics.requests().value();
        metrics = null;
        Resume.Report report = resume("json").run(table(40), this::generate);
        assertThat(keys("json")).isEqualTo(upTo(40));
        assertThat(report.found() + report.written()).isEqualTo(40);
        assertThat(report.left()).isZero();
        assertThat(metrics.requests().value()).isEqualTo(report.written());
        assertThat(first + report.written())
                .as("only the chunk that was lost is done twice")
                .isLessThan(40 + 40);
        assertThat(resume("json").run(table(40), this::generate)).isEqualTo(new Resume.Report(40, 0, 0));
    }

    @Test
    void onlyErrorsThatMayPassAreTriedAgain() {
        Dataset<Row> input = table(10, "FLAKY 0", "BAD", null, "FLAKY 3");
        assertThat(resume("parquet").run(input, this::generate)).isEqualTo(new Resume.Report(0, 8, 2));
        assertThat(metrics.requests().value()).as("all but the NULL").isEqualTo(9);
        assertThat(resume("parquet").run(input, this::generate)).isEqualTo(new Resume.Report(8, 2, 0));
        assertThat(metrics.requests().value()).isEqualTo(11);
        assertThat(keys("parquet")).isEqualTo(upTo(10));
        Dataset<Row> errors =
                SPARK.session().read().parquet(folder.resolve("out").toString()).where("d.error_code IS NOT NULL");
        assertThat(errors.select("id", "d.error_code").collectAsList())
                .containsExactly(RowFactory.create(1, "PROMPT_TOO_LONG"));
    }

    @Test
    void retriesWithinARunSaveTheNextOne() {
        Resume patient = resume("parquet").retry("d", 2);
        assertThat(patient.run(table(10, "FLAKY 0", "FLAKY 1"), this::generate)).isEqualTo(new Resume.Report(0, 10, 0));
    }

    @Test
    void tablesAreOutputsToo() {
        Resume resume = Resume.byKey("id").intoTable("resumed").chunks(3);
        try {
            assertThat(resume.run(table(7), this::generate)).isEqualTo(new Resume.Report(0, 7, 0));
            assertThat(resume.run(table(9), this::generate)).isEqualTo(new Resume.Report(7, 2, 0));
            assertThat(SPARK.session().table("resumed").select("id").distinct().count())
                    .isEqualTo(9);
        } finally {
            SPARK.session().sql("DROP TABLE IF EXISTS resumed");
        }
    }

    /** Hadoop's committer keeps ended tasks of a job that has not ended in such folders. */
    private static Path taskOfAKilledDriver(Path output) throws IOException {
        return Files.createDirectories(output.resolve("_temporary/0/task_202601011200001234567890123_0001_m_000000"));
    }

    @Test
    void tasksThatAKilledDriverLeftBehindAreNotTakenForThisRunsOwn() throws Exception {
        Path out = folder.resolve("out");
        Files.writeString(
                taskOfAKilledDriver(out).resolve("part-00000-killed-c000.json"),
                "{\"id\":0}\n{\"id\":1}\n{\"id\":2}\n");
        assertThat(resume("json").run(table(10), this::generate)).isEqualTo(new Resume.Report(0, 10, 0));
        assertThat(keys("json")).isEqualTo(upTo(10));
        assertThat(out).isDirectoryNotContaining("glob:**/_temporary");
    }

    @Test
    void tablesTakeNoTasksOfAKilledDriverEither() throws Exception {
        Resume resume = Resume.byKey("id").intoTable("left_behind").chunks(1);
        try {
            resume.run(table(7), this::generate);
            Path file = Path.of(URI.create(SPARK.session().table("left_behind").inputFiles()[0]));
            Files.copy(file, taskOfAKilledDriver(file.getParent()).resolve("part-00000-killed-c000.parquet"));
            assertThat(resume.run(table(9), this::generate)).isEqualTo(new Resume.Report(7, 2, 0));
            assertThat(SPARK.session().table("left_behind").count()).isEqualTo(9);
        } finally {
            SPARK.session().sql("DROP TABLE IF EXISTS left_behind");
        }
    }

    @Test
    void aTableIsThereBeforeItsFirstRowsSoThatAKilledRunDoesNotBarTheNext() {
        Resume resume = Resume.byKey("id").intoTable("early").chunks(1);
        try {
            assertThatThrownBy(() -> resume.run(table(3), rows -> generate(rows)
                            .selectExpr("*", "cast(raise_error('stopped') AS string) AS stop")))
                    .hasMessageContaining("stopped");
            assertThat(SPARK.session().table("early").count()).isZero();
            assertThat(resume.run(table(3), rows -> generate(rows).selectExpr("*", "'' AS stop")))
                    .isEqualTo(new Resume.Report(0, 3, 0));
        } finally {
            SPARK.session().sql("DROP TABLE IF EXISTS early");
        }
    }

    @Test
    void keysMustBeThereAndUnique() {
        Dataset<Row> twice = table(3).union(table(1));
        assertThatThrownBy(() -> resume("json").run(twice, this::generate))
                .isInstanceOf(OptionException.class)
                .hasMessageContaining("key '0' of column 'id' names 2 rows");
        Dataset<Row> without = table(3).selectExpr("nullif(id, 1) AS id", "q");
        assertThatThrownBy(() -> resume("json").run(without, this::generate)).hasMessageContaining("has NULLs");
        assertThatThrownBy(() -> Resume.byKey("id").run(table(1), this::generate))
                .hasMessageContaining("no output");
    }
}
