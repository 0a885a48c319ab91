package io.kindling.spark;

import static io.kindling.spark.TestGraphs.FLOAT;
import static io.kindling.spark.TestGraphs.INT64;
import static io.kindling.spark.TestGraphs.STRING;
import static io.kindling.spark.TestGraphs.node;
import static io.kindling.spark.TestGraphs.port;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.onnx.proto.GraphProto;
import io.kindling.spark.runtime.FakeEngines;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A graph of {@code sum = x + y} and {@code same = text}: results by arithmetic on paper. */
class RunFunctionTest {
    @RegisterExtension
    static final LocalSpark SPARK = new LocalSpark();

    @TempDir
    Path folder;

    @BeforeEach
    void model() throws IOException {
        FakeEngines.remove();
        name(
                "add",
                TestGraphs.write(
                        folder.resolve("add.onnx"),
                        GraphProto.newBuilder()
                                .addInput(port("x", FLOAT, "rows", "2"))
                                .addInput(port("y", FLOAT, "rows", "2"))
                                .addInput(port("text", STRING, "rows"))
                                .addOutput(port("sum", FLOAT, "rows", "2"))
                                .addOutput(port("same", STRING, "rows"))
                                .addNode(node("Add", "sum", "x", "y"))
                                .addNode(node("Identity", "same", "text"))));
        SPARK.session()
                .sql("SELECT * FROM VALUES (1, array(1.5D, 2D), 'a'), (2, array(-1D, 0.25D), 'b'), (3, NULL, 'c'),"
                        + " (4, array(1D), 'd') AS t(id, v, t)")
                .repartition(2)
                .createOrReplaceTempView("vectors");
    }

    private static void name(String alias, String uri) {
        SPARK.session().conf().set("spark.kindling.model." + alias, uri);
    }

    private static List<Row> sql(String query) {
        return SPARK.session().sql(query).collectAsList();
    }

    @Test
    void aModelsOwnFunctionGivesAStructOfTheOutputs() {
        for (String arguments : List.of(
                "named_struct('text', t, 'y', array(10, 20), 'x', v)",
                "named_struct('x', v, 'y', X'000020410000A041', 'text', t)",
                "named_struct('x', v, 'y', named_struct('data', X'000020410000A041', 'shape', array(2L)), 'text', t)",
                "v, array(10, 20), t",
                "v, array(10, 20), t, map('on_error', 'null')")) {
            List<Row> rows = sql("SELECT id, r.sum, r.same FROM (SELECT id, onnx.add.run(" + arguments
                    + ") r FROM vectors) ORDER BY id");
            assertThat(rows).extracting(Row::mkString).as(arguments).hasSize(4);
            assertThat(rows.get(0).<Float>getList(1)).containsExactly(11.5f, 22f);
            assertThat(rows.get(1).<Float>getList(1)).containsExactly(9f, 20.25f);
            assertThat(rows.get(1).getString(2)).isEqualTo("b");
            assertThat(rows.get(2)).isEqualTo(RowFactory.create(3, null, null));
            assertThat(rows.get(3)).isEqualTo(RowFactory.create(4, null, null));
        }
    }

    @Test
    void aModelIsAUriInBackticksToo() {
        assertThat(sql("SELECT onnx.`" + folder.resolve("add.onnx").toUri() + "`.run(v, v, t).sum[0] FROM vectors"
                        + " WHERE id = 1"))
                .containsExactly(RowFactory.create(3f));
    }

    @Test
    void runOfAnyModelGivesJson() {
        assertThat(sql("SELECT id, onnx.run('add', struct(v AS x, v AS y, t AS text)) FROM vectors ORDER BY id"))
                .containsExactly(
                        RowFactory.create(1, "{\"sum\":[3.0,4.0],\"same\":\"a\"}"),
                        RowFactory.create(2, "{\"sum\":[-2.0,0.5],\"same\":\"b\"}"),
                        RowFactory.create(3, null),
                        RowFactory.create(4, null));
        assertThat(sql("SELECT from_json(onnx.run('add', struct(array(double('NaN'), double('-Infinity')) AS x,"
                                + " array(1, 1) AS y, 'q' AS text)), 'sum ARRAY<FLOAT>').sum")
                        .get(0)
                        .<Float>getList(0))
                .containsExactly(Float.NaN, Float.NEGATIVE_INFINITY);
    }

    @Test
    void mapsDecimalsAndWholeTensorsHaveSqlTypes() throws IOException {
        name("zip", TestGraphs.zipMap(folder.resolve("zip.onnx")));
        name("big", TestGraphs.identity(folder.resolve("big.onnx"), TestGraphs.UINT64, "rows"));
        name("whole", TestGraphs.identity(folder.resolve("whole.onnx"), INT64, "n", "m"));
        Row row = sql("SELECT onnx.zip.run(array(0.25, 0.75)).map, onnx.big.run(X'FFFFFFFFFFFFFFFF').same,"
                        + " onnx.whole.run(array(array(1, 2), array(3, 4), array(5, 6))).same[2][1]")
                .get(0);
        assertThat(row.<String, Float>getJavaMap(0)).isEqualTo(Map.of("no", 0.25f, "yes", 0.75f));
        assertThat(row.getDecimal(1)).isEqualTo(new BigDecimal("18446744073709551615"));
        assertThat(row.getLong(2)).isEqualTo(6);
        assertThat(sql("SELECT onnx.run('zip', struct(array(0.25, 0.75) AS x)), onnx.run('whole',"
                        + " struct(array(array(1, 2)) AS x))"))
                .containsExactly(RowFactory.create("{\"map\":{\"no\":0.25,\"yes\":0.75}}", "{\"same\":[[1,2]]}"));
    }

    @Test
    void groupingAndSortingByAResultWork() {
        assertThat(sql("SELECT s, count(*) FROM (SELECT onnx.add.run(v, v, 'k').same s FROM vectors) GROUP BY s"
                        + " ORDER BY s NULLS FIRST"))
                .containsExactly(RowFactory.create(null, 2L), RowFactory.create("k", 2L));
    }

    @Test
    void mistakesAreReportedAtAnalysis() {
        refused("onnx.add.run(v)", "takes a struct of the graph's inputs [x, y, text]", "not 1 argument");
        refused("onnx.add.run(struct(v AS x, t AS text))", "the graph's input 'y' has no column");
        refused("onnx.add.run(struct(v AS X))", "named like the graph's inputs [x, y, text], not [X]");
        refused("onnx.add.run(v, v, id)", "a column of INT cannot feed input 'text' of string");
        refused("onnx.add.run(v, current_date(), t)", "cannot feed a column of DATE to input 'y'");
        refused("onnx.run_json('add', v)", "onnx.run_json needs a string and a struct of inputs");
        refused("onnx.run('add', v)", "needs a string and a struct of inputs");
        refused("onnx.run('add')", "takes 2 or 3 arguments, not 1");
        refused("onnx.adder.run(v)", "no model is named 'adder'");
    }

    @Test
    void shapesThatAreNoneAreAFaultOfTheRow() {
        for (String shape : List.of(
                "array(CAST(NULL AS BIGINT))",
                "CAST(NULL AS ARRAY<BIGINT>)",
                "array(-2L)",
                "array(4611686018427387904L, 4L)",
                "array(3L)")) {
            assertThat(sql("SELECT id, onnx.add.run(v, named_struct('data', X'000020410000A041', 'shape', " + shape
                            + "), t).same FROM vectors WHERE id < 3 ORDER BY id"))
                    .as(shape)
                    .containsExactly(RowFactory.create(1, null), RowFactory.create(2, null));
        }
    }

    private static void refused(String call, String... messages) {
        assertThatThrownBy(() -> SPARK.session().sql("SELECT " + call + " FROM vectors"))
                .hasMessageContainingAll(messages);
    }

    @Test
    void aRowAtFaultEndsAJobThatIsToFail() {
        assertThatThrownBy(() -> sql("SELECT onnx.add.run(v, v, t, map('on_error', 'fail')) FROM vectors"))
                .hasStackTraceContaining("onError is 'fail'")
                .hasStackTraceContaining("the row's shape is [1]");
    }
}
