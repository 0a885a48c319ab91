package io.kindling.spark.shim35;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.spark.LocalSpark;
import io.kindling.spark.TestGraphs;
import io.kindling.spark.runtime.FakeEngines;
import io.kindling.spark.runtime.TaskEngines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code run} over a graph that says of each row how many rows its batch had. */
class RunCallsTest {
    @RegisterExtension
    static final LocalSpark SPARK = new LocalSpark();

    @TempDir
    Path folder;

    @BeforeEach
    void tables() throws IOException {
        FakeEngines.remove();
        SPARK.session().conf().set("spark.kindling.model.g", TestGraphs.batchSize(folder.resolve("g.onnx"), "rows"));
        sql("SELECT id, CAST(id AS FLOAT) x, 'g' m FROM range(1, 7, 1, 2)").createOrReplaceTempView("t");
        sql("SELECT id, x, onnx.run('g', struct(x)).size a FROM t").createOrReplaceTempView("v");
    }

    private static Dataset<Row> sql(String query) {
        return SPARK.session().sql(query);
    }

    private static List<Object> run(long requests, String query) {
        Dataset<Row> rows = sql(query);
        long before = TaskEngines.requests();
        List<Object> first =
                rows.collectAsList().stream().map(row -> row.get(0)).toList();
        assertThat(TaskEngines.requests() - before)
                .as(() -> rows.queryExecution().toString())
                .isEqualTo(requests);
        return first;
    }

    @Test
    void aPartitionsRowsRunTogether() {
        assertThat(run(6, "SELECT onnx.run('g', struct(x)).size FROM t")).isEqualTo(Collections.nCopies(6, 3L));
        assertThat(run(6, "SELECT onnx.g.run(x).size FROM t")).isEqualTo(Collections.nCopies(6, 3L));
        assertThat(run(6, "SELECT onnx.g.run(struct(x), map('max_batch', '2')).size FROM t"))
                .containsExactly(2L, 2L, 1L, 2L, 2L, 1L);
        assertThat(run(6, "SELECT onnx.run_json('g', struct(x)) FROM t"))
                .isEqualTo(Collections.nCopies(6, "{\"size\":3}"));
        assertThat(run(6, "SELECT onnx.run(m, struct(x)) FROM t")).isEqualTo(Collections.nCopies(6, "{\"size\":3}"));
        assertThat(run(6, "SELECT onnx.run(m, struct(x), map('max_batch', id % 2 + 1)) FROM t"))
                .containsExactly(
                        "{\"size\":2}", "{\"size\":1}", "{\"size\":2}", "{\"size\":1}", "{\"size\":1}", "{\"size\":1}");
    }

    @Test
    void theResultHasTheTypeOfTheModelsOutputs() {
        assertThat(sql("SELECT onnx.run('g', struct(x)) r, onnx.run(m, struct(x)) j FROM t")
                        .schema()
                        .toDDL())
                .isEqualTo("r STRUCT<size: BIGINT>,j STRING");
        assertThat(run(6, "SELECT r.size FROM (SELECT onnx.run('g', struct(x)) r FROM t)"))
                .hasSize(6);
        assertThat(sql("SELECT onnx.run('g', struct(x)) r FROM t")
                        .queryExecution()
                        .executedPlan()
                        .toString())
                .contains("OnnxBatch onnx.run[model=g (file:", "(struct(x, ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "6 | SELECT r.size, r.size + 1 FROM (SELECT onnx.run('g', struct(x)) r FROM t) WHERE r.size > 0",
                "6 | SELECT * FROM v JOIN v w ON v.id = w.id + 1",
                "6 | SELECT * FROM v UNION ALL SELECT * FROM v",
                "6 | SELECT a, count(*) FROM v GROUP BY a ORDER BY a",
                "6 | SELECT * FROM v ORDER BY a",
                "2 | SELECT * FROM v ORDER BY id LIMIT 2",
                "2 | SELECT CASE WHEN id < 3 THEN onnx.g.run(x).size ELSE 0 END FROM t",
                "0 | SELECT id FROM v",
                "0 | SELECT count(*) FROM v",
                "3 | SELECT onnx.g.run(x).size FROM VALUES (1F), (2F), (NULL), (3F) AS s(x)",
                "0 | EXPLAIN SELECT onnx.g.run(x).size FROM VALUES (1F) AS s(x)"
            })
    void aQueryRunsARowOnce(String shape) {
        String[] parts = shape.split(" \\| ", 2);
        run(Long.parseLong(parts[0]), parts[1]);
    }

    @Test
    void rowsThatDoNotFitAreNullOrEndTheJob() {
        assertThat(
                        run(
                                2,
                                "SELECT onnx.run_json('g', struct(x)) FROM VALUES (array(1F, 2F)), (array(3F)), (NULL) AS s(x)"))
                .containsExactly("{\"size\":[2,2]}", "{\"size\":[1]}", null);
        assertThat(run(0, "SELECT onnx.g.run(named_struct('data', X'00', 'shape', array(1L))).size"))
                .containsOnlyNulls();
        assertThatThrownBy(
                        () -> run(
                                0,
                                "SELECT onnx.g.run(named_struct('data', X'00', 'shape', array(1L)), map('on_error', 'fail')).size"))
                .hasStackTraceContaining("onError is 'fail'");
    }

    @Test
    void mistakesAreRefusedAtAnalysis() {
        refused("onnx.run('g', struct(id AS y))", "the graph has no port 'y' there");
        refused("onnx.run('g', struct(m AS x))", "a column of STRING cannot feed input 'x' of float");
        refused("onnx.run('g', struct(x), map('max_batchh', 1))", "max_batch");
        refused("onnx.run('h', struct(x))", "no model is named 'h'");
        assertThatThrownBy(() -> sql("SELECT onnx.run('h', struct(x)) FROM t"))
                .hasMessageNotContaining("onnx.run_json");
        String gone = folder.resolve("gone.onnx").toUri().toString();
        refused("onnx.run('" + gone + "', struct(x)).size", gone, "onnx.run_json");
    }

    private static void refused(String call, String... messages) {
        assertThatThrownBy(() -> sql("SELECT " + call + " FROM t"))
                .isInstanceOf(AnalysisException.class)
                .hasMessageContainingAll(messages);
    }
}
