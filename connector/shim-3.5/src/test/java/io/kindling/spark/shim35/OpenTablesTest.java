package io.kindling.spark.shim35;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.spark.OnnxSourceTest;
import io.kindling.spark.runtime.FakeEngines;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.DataFrameReader;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables of {@code format("onnx")} under the rules: all that holds without them, and plans that Spark sees through. */
class OpenTablesTest extends OnnxSourceTest {
    @TempDir
    Path files;

    private static DataFrameReader onnx(SparkSession session, Map<String, String> options) {
        return session.read()
                .format("onnx")
                .option("model", "fake")
                .option("prompt", "q")
                .options(options);
    }

    /** Three columns in one file: id, q and other. */
    private Dataset<Row> table(Map<String, String> options) {
        String path = files.resolve("t.parquet").toString();
        SPARK.session()
                .range(0, 20, 1, 1)
                .selectExpr("id", "concat('q', id) q", "id * 2 other")
                .write()
                .mode("overwrite")
                .parquet(path);
        return onnx(SPARK.session(), options).option("input.format", "parquet").load(path);
    }

    private static String plan(Dataset<Row> rows) {
        return rows.queryExecution().executedPlan().toString();
    }

    @Test
    void filtersAndColumnsReachTheFilesAndLimitsTheOperator() {
        Dataset<Row> rows = table(Map.of("maxNewTokens", "7"))
                .where("id > 2 AND generated IS NOT NULL")
                .select("generated")
                .limit(3);
        assertThat(plan(rows))
                .contains(
                        "OnnxBatch onnx.generate[model=fake (file:",
                        "max_new_tokens=7",
                        "PushedFilters: [IsNotNull(id), GreaterThan(id,2)]",
                        "ReadSchema: struct<id:bigint,q:string>")
                .doesNotContain("onnx.generate[model=fake] of");
        assertThat(table(Map.of()).where("id > 2").limit(3).collectAsList()).hasSize(3);
        assertThat(FakeEngines.SUBMITTED).hasValue(3);
    }

    @Test
    void conditionsWithFunctionsComeBeforeTheModelToo() {
        assertThat(table(Map.of())
                        .where("length(q) = 2 AND pmod(id, 2) = 0")
                        .select("generated")
                        .collectAsList())
                .hasSize(5);
        assertThat(FakeEngines.SUBMITTED).hasValue(5);
    }

    @Test
    void aQueryWithoutResultsReadsTheInputAlone() {
        String plan = plan(table(Map.of("partitions", "5")).select("id"));
        assertThat(plan).doesNotContain("OnnxBatch", "split").contains("ReadSchema: struct<id:bigint>");
    }

    private static Stream<Map<String, String>> kinds() {
        return Stream.of(
                Map.of("prompt", "Q {id}: {q}", "maxNewTokens", "9"),
                Map.of("key", "id", "into", "answer"),
                Map.of("prompt", "m", "key", "q"),
                Map.of("task", "embed", "maxTokens", "5"),
                Map.of("task", "classify", "into", "mood"));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void schemasAndRowsAreThoseOfTheScan(Map<String, String> options) {
        SparkSession without = new SparkSession(SPARK.session().sparkContext());
        without.conf().set("spark.kindling.model.fake", SPARK.session().conf().get("spark.kindling.model.fake"));
        String table = "SELECT *, array(named_struct('role', 'user', 'content', q, 'at', current_date())) m FROM VALUES"
                + " (1, 'x', 5.5BD, named_struct('b', 0, 'c', 'a')), (2, NULL, 1BD, NULL), (3, 'BAD', NULL, NULL) AS"
                + " t(id, q, `n.o`, s)";
        List<Dataset<Row>> both = Stream.of(SPARK.session(), without)
                .map(session -> {
                    session.sql(table).createOrReplaceTempView("rows");
                    SparkSession.setActiveSession(session);
                    return onnx(session, options).option("table", "rows").load();
                })
                .toList();
        Dataset<Row> opened = both.get(0);
        Dataset<Row> scanned = both.get(1);
        SparkSession.setActiveSession(SPARK.session());
        assertThat(plan(opened)).contains("OnnxBatch ");
        assertThat(plan(scanned)).doesNotContain("OnnxBatch ");
        assertThat(opened.schema()).isEqualTo(scanned.schema());
        assertThat(opened.orderBy("id").collectAsList().toString())
                .isEqualTo(scanned.orderBy("id").collectAsList().toString());
    }

    @Test
    void partitionsGetLikeShareOfTokens() {
        SPARK.session()
                .range(0, 60, 1, 1)
                .selectExpr("id", "IF(id < 30, repeat('long', 100), 'short') q")
                .createOrReplaceTempView("uneven");
        Dataset<Row> rows = onnx(SPARK.session(), Map.of("table", "uneven", "partitions", "3", "task", "embed"))
                .load()
                .selectExpr("id", "length(q) length", "embedding");
        assertThat(plan(rows)).contains("rows split into 3");
        assertThat(rows.select("id").distinct().count()).isEqualTo(60);
        assertThat(rows.javaRDD()
                        .mapPartitions(part -> {
                            int[] sum = {0};
                            part.forEachRemaining(row -> sum[0] += row.getInt(1));
                            return List.of(sum[0]).iterator();
                        })
                        .collect())
                .hasSize(3)
                .allSatisfy(sum -> assertThat(sum).isBetween(3900, 4200)); // of 12,150
    }

    @Test
    void resultsCountInStatistics() {
        SPARK.session().range(1000).selectExpr("id", "string(id) q").createOrReplaceTempView("thousand");
        Dataset<Row> vectors = SPARK.session().sql("SELECT onnx.embed('fake', q) v, q FROM thousand");
        Statistics plain = SPARK.session()
                .table("thousand")
                .queryExecution()
                .optimizedPlan()
                .stats();
        assertThat(vectors.queryExecution().optimizedPlan().stats().sizeInBytes())
                .isGreaterThan(plain.sizeInBytes().$times(scala.math.BigInt.apply(10)));
    }

    /** 10,000 vectors of 3 KB are 30 MB and over the 10 MB that Spark sends to all executors, 100 are under it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void joinsKnowTheSizeOfVectors(boolean costBased) {
        SparkSession session = SPARK.session();
        session.conf().set("spark.sql.cbo.enabled", costBased);
        try {
            for (int rows : new int[] {100, 10_000}) {
                session.range(rows).selectExpr("id", "string(id) q").createOrReplaceTempView("some");
                onnx(session, Map.of("table", "some", "task", "embed")).load().createOrReplaceTempView("opened");
                for (String vectors : List.of(
                        "SELECT id, embedding FROM opened",
                        "SELECT id, onnx.embed('fake', q) embedding FROM some",
                        "SELECT id, onnx.run_json('fake', struct(id)) embedding, onnx.embed('fake', q) more FROM some")) {
                    Dataset<Row> joined =
                            session.sql("SELECT * FROM (" + vectors + ") JOIN range(100000000) many USING (id)");
                    assertThat(plan(joined))
                            .as(vectors)
                            .contains(rows == 100 ? "BroadcastHashJoin" : "SortMergeJoin", "OnnxBatch");
                }
            }
        } finally {
            session.conf().unset("spark.sql.cbo.enabled");
        }
    }

    @Test
    void explainShowsStatisticsAndRunsNoModel() {
        SPARK.session().range(1000).selectExpr("id", "string(id) q").createOrReplaceTempView("thousand");
        onnx(SPARK.session(), Map.of("table", "thousand", "partitions", "3"))
                .load()
                .createOrReplaceTempView("opened");
        for (String query : List.of("SELECT id, onnx.embed('fake', q) v FROM thousand", "SELECT * FROM opened")) {
            for (String mode : List.of("", "EXTENDED", "CODEGEN", "FORMATTED", "COST")) {
                String shown = SPARK.session()
                        .sql("EXPLAIN " + mode + " " + query)
                        .head()
                        .getString(0);
                assertThat(shown).as(mode).contains("OnnxBatch").doesNotContain("Error occurred");
                if (mode.equals("COST")) {
                    assertThat(shown.lines().filter(line -> line.contains("OnnxBatch")))
                            .as("in the logical and the physical plan")
                            .hasSize(2)
                            .first()
                            .asString()
                            .contains("Statistics(sizeInBytes=");
                }
            }
        }
        assertThat(SPARK.session()
                        .sql("EXPLAIN COST SELECT id, onnx.embed('fake', q) v FROM thousand")
                        .head()
                        .getString(0))
                .as("rows of the child; of 20 bytes, 12 are the vector's alone, whose 3,076 bytes make 5,126 of a row")
                .contains("Statistics(sizeInBytes=4.9 MiB, rowCount=1.00E+3)");
        assertThat(FakeEngines.SUBMITTED).hasValue(0);
        assertThat(FakeEngines.sessionsOpened()).isZero();
    }
}
