package io.kindling.spark.shim35;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.spark.LocalSpark;
import io.kindling.spark.runtime.TaskEngines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How many requests reach the engine in queries of all shapes, and what they answer. */
class QueryShapesTest {
    @RegisterExtension
    static final LocalSpark SPARK = new LocalSpark();

    @TempDir
    Path model;

    @BeforeEach
    void table() {
        SPARK.session().conf().set("spark.kindling.model.m", model.toUri().toString());
        sql("SELECT id, concat('q', id) q FROM range(1, 7, 1, 2)").createOrReplaceTempView("t");
        sql("SELECT id, q, onnx.generate('m', q) a FROM t").createOrReplaceTempView("v");
        SPARK.session()
                .read()
                .format("onnx")
                .option("table", "t")
                .option("model", "m")
                .option("prompt", "q")
                .option("into", "a")
                .load()
                .createOrReplaceTempView("s");
    }

    private static Dataset<Row> sql(String query) {
        return SPARK.session().sql(query);
    }

    private static List<Row> run(long requests, Dataset<Row> rows) {
        long before = TaskEngines.requests();
        List<Row> result;
        try {
            result = rows.collectAsList();
        } catch (RuntimeException | Error e) {
            throw new AssertionError(rows.queryExecution().toString(), e);
        }
        assertThat(TaskEngines.requests() - before)
                .as(() -> rows.queryExecution().toString())
                .isEqualTo(requests);
        return result;
    }

    private static Stream<String> shapes() {
        try (var file = QueryShapesTest.class.getResourceAsStream("/query-shapes.txt")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void aQueryAsksOnceForARow(String shape) {
        String[] parts = shape.split(" \\| ", 2);
        run(Long.parseLong(parts[0]), sql(parts[1]));
    }

    @Test
    void answersAreThoseOfTheFunction() {
        assertThat(run(6, sql("SELECT id, a, length(a) FROM v ORDER BY id")))
                .startsWith(RowFactory.create(1L, "re: q1 max 128", 14), RowFactory.create(2L, "re: q2 max 128", 14));
        assertThat(run(
                        4,
                        sql("SELECT id, CASE WHEN id < 3 THEN onnx.generate('m', q) WHEN id > 4 THEN"
                                + " onnx.generate('m', q, map('max_new_tokens', id)) ELSE q END FROM t ORDER BY id")))
                .extracting(row -> row.getString(1))
                .containsExactly("re: q1 max 128", "re: q2 max 128", "q3", "q4", "re: q5 max 5", "re: q6 max 6");
        assertThat(run(6, sql("SELECT x.id, y.id FROM v x JOIN v y ON x.a = y.a ORDER BY x.id")))
                .hasSize(6)
                .startsWith(RowFactory.create(1L, 1L));
        assertThat(run(2, sql("SELECT onnx.generate('m', q) FROM VALUES ('a'), (NULL), ('BAD') AS s(q)")))
                .containsExactly(
                        RowFactory.create("re: a max 128"), RowFactory.create((Object) null), RowFactory.create((Object)
                                null));
    }

    @Test
    void subqueriesCompareTheirAnswersWithTheOuterQuery() {
        sql("SELECT id, concat('re: q', id, ' max 128') e FROM range(2, 4)").createOrReplaceTempView("e");
        assertThat(
                        run(
                                6,
                                sql(
                                        "SELECT id FROM e WHERE EXISTS (SELECT 1 FROM t WHERE onnx.generate('m', q) = e) ORDER BY id")))
                .containsExactly(RowFactory.create(2L), RowFactory.create(3L));
    }

    @Test
    void callsOfTheOuterQuerysColumnsAreItsOwn() {
        sql("SELECT id, concat('re: q', id, ' max 128') e FROM range(2, 4)").createOrReplaceTempView("e");
        String equal = " FROM e WHERE onnx.generate('m', t.q) = e";
        assertThat(run(6, sql("SELECT id FROM t WHERE EXISTS (SELECT 1" + equal + ") ORDER BY id")))
                .containsExactly(RowFactory.create(2L), RowFactory.create(3L));
        assertThat(run(
                        3,
                        sql("SELECT id FROM t WHERE id > 2 AND id < 6 AND NOT EXISTS (SELECT 1" + equal
                                + ") ORDER BY 1")))
                .containsExactly(RowFactory.create(4L), RowFactory.create(5L));
        assertThat(run(6, sql("SELECT id, (SELECT max(e.id) + 10" + equal + ") m FROM t ORDER BY id LIMIT 6")))
                .startsWith(RowFactory.create(1L, null), RowFactory.create(2L, 12L), RowFactory.create(3L, 13L))
                .hasSize(6);
        assertThat(run(6, sql("SELECT id FROM t WHERE id IN (SELECT e.id" + equal + ") OR id = 6 ORDER BY id")))
                .containsExactly(RowFactory.create(2L), RowFactory.create(3L), RowFactory.create(6L));
        assertThat(run(
                        6,
                        sql("SELECT id, onnx.generate('m', q) FROM t WHERE EXISTS (SELECT 1" + equal
                                + ") ORDER BY id")))
                .hasSize(2);
    }

    @Test
    void encodersAnswerRowsThatTheFilterAndTheLimitLeave() {
        assertThat(run(
                        7,
                        sql("SELECT id, onnx.embed('m', q), onnx.classify('m', q) FROM t WHERE"
                                + " onnx.classify('m', q) = 'q' ORDER BY id LIMIT 1")))
                .hasSize(1);
    }

    @Test
    void dataFramesAndCaches() {
        Dataset<Row> rows = sql("SELECT * FROM v");
        run(6, rows.as("x").join(rows.as("y"), "id"));
        run(6, SPARK.session().table("t").selectExpr("onnx.generate('m', q) b").where("b IS NOT NULL"));
        Dataset<Row> cached = SPARK.session().table("v").cache();
        run(6, cached);
        run(0, sql("SELECT * FROM v WHERE length(a) > 3"));
        run(0, sql("SELECT * FROM v x JOIN v y USING (id)"));
        cached.unpersist();
    }

    @Test
    void adaptiveExecutionOff() {
        SPARK.session().conf().set("spark.sql.adaptive.enabled", false);
        try {
            run(6, sql("SELECT * FROM v x JOIN v y USING (id) ORDER BY x.a"));
        } finally {
            SPARK.session().conf().set("spark.sql.adaptive.enabled", true);
        }
    }

    @Test
    void nothingIsAskedBeforeARowIsRead() {
        Dataset<Row> rows = sql("SELECT onnx.generate('m', q, map('temperature', 0.5)) FROM VALUES ('a') AS s(q)");
        long before = TaskEngines.requests();
        assertThat(rows.queryExecution().executedPlan().toString())
                .contains("OnnxBatch onnx.generate[model=m (file:", "temperature=0.5");
        assertThat(TaskEngines.requests()).isEqualTo(before);
    }

    @Test
    void filtersOfAggregatesCount() {
        assertThat(run(6, sql("SELECT count(*) FILTER (WHERE onnx.generate('m', q) > 're: q4') FROM t")))
                .containsExactly(RowFactory.create(3L));
        assertThat(run(6, sql("SELECT count(*) FILTER (WHERE rand() < 2 AND onnx.generate('m', q) > 're: q4') FROM t")))
                .containsExactly(RowFactory.create(3L));
        assertThatThrownBy(() -> sql("SELECT count(*) FILTER (WHERE rand() > 0.5) FROM t"))
                .hasMessageContaining("FILTER expression is non-deterministic");
    }

    @Test
    void functionsAreDescribed() {
        assertThat(sql("DESCRIBE FUNCTION EXTENDED onnx.generate")
                        .collectAsList()
                        .toString())
                .contains(
                        "[Function: onnx.generate]",
                        "[Usage: onnx.generate(model STRING,",
                        "* max_new_tokens - Most tokens to generate",
                        "> SELECT id, onnx.generate('smollm2', question");
        assertThat(sql("DESCRIBE FUNCTION onnx.m.run").collectAsList().toString())
                .contains("[Usage: onnx.m.run(inputs STRUCT<")
                .doesNotContain("Options:");
        assertThat(sql("DESCRIBE FUNCTION abs").collectAsList().toString()).contains("[Function: abs]");
        assertThatThrownBy(() -> sql("DESCRIBE FUNCTION onnx.nothing"))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContaining("nothing");
    }

    @Test
    void badCallsAreRefusedAtAnalysis() {
        assertThatThrownBy(() -> sql("SELECT onnx.generate('m', q, map('topkk', 1, 'temperature', -1)) FROM t"))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContainingAll("onnx.generate", "topkk", "top_k", "temperature");
        assertThatThrownBy(() -> sql("SELECT onnx.generate('m', q, map('max_tokens', 8)) FROM t"))
                .isInstanceOf(AnalysisException.class)
                .hasNoCause()
                .hasMessageContainingAll("'max_tokens' cannot be given here", "did you mean 'max_new_tokens'?");
        assertThatThrownBy(() -> sql("SELECT onnx.embed('m', q, map('max_new_tokens', 8)) FROM t"))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContainingAll("'max_new_tokens' cannot be given here", "did you mean 'max_tokens'?");
        assertThatThrownBy(() -> sql("SELECT onnx.generate('n', q) FROM t"))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContainingAll("no model is named 'n'", "spark.kindling.model.n");
        assertThatThrownBy(() -> sql("SELECT * FROM t x LEFT JOIN t y ON onnx.generate('m', concat(x.q, y.q)) = 'a'"))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContaining("over columns of both sides, which a LEFT OUTER join cannot do");
        for (String query : List.of(
                "SELECT * FROM t x WHERE EXISTS (SELECT 1 FROM t y WHERE onnx.generate('m', concat(x.q, y.q)) = 'a')",
                "SELECT max(id), (SELECT max(id) FROM t y WHERE y.q = onnx.generate('m', x.q)) FROM t x GROUP BY q")) {
            assertThatThrownBy(() -> sql(query))
                    .isInstanceOf(AnalysisException.class)
                    .hasMessageContainingAll(
                            "over columns of the query around it", "onnx.generate('m'", "call it there");
        }
        for (String function : List.of("generate", "count_tokens")) {
            assertThatThrownBy(() -> sql("SELECT onnx." + function + "('m', prompt => q) FROM t"))
                    .isInstanceOf(AnalysisException.class)
                    .hasMessageContaining("onnx." + function
                            + " takes arguments by their places, not by names: leave out" + " 'prompt =>'");
        }
        assertThatThrownBy(() -> sql("SELECT * FROM t, LATERAL (SELECT onnx.generate('m', t.q) FROM t)"))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContaining("must be a SELECT without FROM");
    }
}
