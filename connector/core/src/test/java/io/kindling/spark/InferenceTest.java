package io.kindling.spark;

import static io.kindling.spark.TestGraphs.FLOAT;
import static io.kindling.spark.TestGraphs.INT32;
import static io.kindling.spark.TestGraphs.STRING;
import static io.kindling.spark.TestGraphs.node;
import static io.kindling.spark.TestGraphs.port;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.OptionException;
import io.kindling.engine.onnx.proto.GraphProto;
import io.kindling.spark.runtime.FakeEngines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A graph of {@code sum = x + y}, {@code twice = ids + ids}, {@code same = text}: results by arithmetic on paper. */
class InferenceTest {
    @RegisterExtension
    static final LocalSpark SPARK = new LocalSpark();

    @TempDir
    Path folder;

    @BeforeEach
    void realEngine() {
        FakeEngines.remove();
    }

    private Inference model(String batch) throws IOException {
        GraphProto.Builder graph = GraphProto.newBuilder()
                .addInput(port("x", FLOAT, batch, "2"))
                .addInput(port("y", FLOAT, batch, "2"))
                .addInput(port("ids", INT32, batch))
                .addInput(port("text", STRING, batch))
                .addOutput(port("sum", FLOAT, batch, "2"))
                .addOutput(port("twice", INT32, batch))
                .addOutput(port("same", STRING, batch))
                .addNode(node("Add", "sum", "x", "y"))
                .addNode(node("Add", "twice", "ids", "ids"))
                .addNode(node("Identity", "same", "text"));
        return Inference.of(TestGraphs.write(folder.resolve("g.onnx"), graph))
                .input("x", "a")
                .input("y", "b")
                .input("ids", "n")
                .input("text", "t")
                .output("sum")
                .output("twice", "doubled")
                .output("same")
                .details("d");
    }

    /** Rows 0 to 9; 3 has a NULL, 5 a ragged input and 7 an id beyond int32. */
    private static Dataset<Row> table() {
        return SPARK.session()
                .range(10)
                .coalesce(1)
                .selectExpr(
                        "id",
                        "if(id = 5, array(1D), array(id + 0.5D, -id * 1D)) a",
                        "X'0000803F00000040' b", // 1 and 2
                        "if(id = 3, null, if(id = 7, 3000000000L, id)) n",
                        "concat('t', id) t");
    }

    private static void check(List<Row> rows) {
        assertThat(rows).hasSize(10);
        for (int i = 0; i < 10; i++) {
            Row row = rows.get(i);
            assertThat(row.getLong(0)).isEqualTo(i);
            if (i == 3 || i == 5 || i == 7) {
                assertThat(row.isNullAt(5) && row.isNullAt(6) && row.isNullAt(7))
                        .isTrue();
                assertThat(row.isNullAt(8)).isEqualTo(i == 3);
                if (i != 3) {
                    assertThat(row.getStruct(8).getString(0)).isEqualTo("SHAPE_OR_TYPE");
                    assertThat(row.getStruct(8).getString(1))
                            .contains(i == 5 ? "the row's shape is [1]" : "'3000000000' (Long) is out of range");
                }
            } else {
                assertThat(row.<Float>getList(5)).containsExactly(i + 1.5f, 2f - i);
                assertThat(row.getInt(6)).isEqualTo(2 * i);
                assertThat(row.getString(7)).isEqualTo("t" + i);
            }
        }
    }

    @Test
    void rowsAreBatchedAlongAnOpenFirstAxis() throws IOException {
        check(model("n").batchSize(4).apply(table()).collectAsList());
    }

    @Test
    void rowsGoOneByOneWhereTheFirstAxisIsOne() throws IOException {
        check(model("1").apply(table()).collectAsList());
    }

    @Test
    void mistakesAreReportedBeforeAnythingRuns() throws IOException {
        Inference model = model("n");
        assertThatThrownBy(() -> model.input("ids", functionsColumn()).apply(table()))
                .isInstanceOf(OptionException.class)
                .hasMessageContaining("cast the column");
        assertThatThrownBy(() -> model("n").output("none").apply(table())).hasMessageContaining("[sum, twice, same]");
        assertThatThrownBy(() -> model("n").input("z", "a").apply(table())).hasMessageContaining("'z'");
    }

    private static org.apache.spark.sql.Column functionsColumn() {
        return org.apache.spark.sql.functions.lit(1.5);
    }

    @Test
    void aRowAtFaultEndsAJobThatIsToFail() throws IOException {
        Dataset<Row> rows = model("n").option("onError", "fail").apply(table());
        assertThatThrownBy(rows::collectAsList).hasStackTraceContaining("onError is 'fail'");
    }

    @Test
    void aDeclaredTypeMayBeWider() throws IOException {
        Row row = model("n")
                .output("twice", "wide", DataTypes.LongType)
                .apply(table())
                .head();
        assertThat(row.getLong(row.fieldIndex("wide"))).isZero();
    }

    private List<Row> run(String uri, String rows, String output) {
        return Inference.of(uri)
                .input("x", "x")
                .output(output)
                .details("d")
                .batchSize(4)
                .apply(SPARK.session()
                        .sql("SELECT * FROM VALUES " + rows + " AS t(x)")
                        .coalesce(1))
                .collectAsList();
    }

    @Test
    void batchesAreAsLargeAsAskedWhereTheFirstAxisIsOpenAndOfOneRowWhereItIsOne() throws IOException {
        String rows = IntStream.range(0, 10).mapToObj(i -> "(" + i + ")").collect(Collectors.joining(", "));
        assertThat(run(TestGraphs.batchSize(folder.resolve("open.onnx"), "rows"), rows, "size"))
                .extracting(row -> row.getLong(1))
                .containsExactly(4L, 4L, 4L, 4L, 4L, 4L, 4L, 4L, 2L, 2L);
        assertThat(run(TestGraphs.batchSize(folder.resolve("one.onnx"), "1"), rows, "size"))
                .extracting(row -> row.getLong(1))
                .containsOnly(1L);
    }

    @Test
    void rowsRunAloneWhereOthersWouldChangeTheirBytes() throws IOException {
        assertThat(run(TestGraphs.dynamicBytes(folder.resolve("g.onnx")), "(1), (2), (4)", "byte"))
                .extracting(row -> row.getLong(1))
                .containsOnly(255L);
    }

    @Test
    void rowsOfDifferentShapesMakeBatchesOfTheirOwn() throws IOException {
        String uri = TestGraphs.identity(folder.resolve("g.onnx"), FLOAT, "rows", "n");
        assertThat(run(uri, "(array(1, 2)), (array(3)), (array(4, 5)), (array())", "same"))
                .extracting(row -> row.<Float>getList(1))
                .containsExactly(List.of(1f, 2f), List.of(3f), List.of(4f, 5f), List.of());
    }

    @Test
    void halvesAreRoundedOnceAndWidenedAgain() throws IOException {
        List<Row> rows = run(
                TestGraphs.identity(folder.resolve("g.onnx"), TestGraphs.FLOAT16, "rows"),
                "(0.1D), (65504D), (65520D), (-2D)",
                "same");
        assertThat(rows.get(0).getFloat(1)).isEqualTo(0.0999755859375f); // 1638 / 2^14, the half nearest to 0.1
        assertThat(rows.get(1).getFloat(1)).isEqualTo(65504f);
        assertThat(rows.get(2).getStruct(2).getString(1)).contains("'65520.0' (Double) is out of range");
        assertThat(rows.get(3).getFloat(1)).isEqualTo(-2f);
    }

    @Test
    void unsignedLongsAreDecimals() throws IOException {
        String uri = TestGraphs.identity(folder.resolve("g.onnx"), TestGraphs.UINT64, "rows");
        assertThat(run(uri, "(X'FFFFFFFFFFFFFFFF')", "same").get(0).getDecimal(1))
                .isEqualByComparingTo("18446744073709551615");
        List<Row> rows = run(uri, "(7L), (-1L)", "same");
        assertThat(rows.get(0).getDecimal(1)).isEqualByComparingTo("7");
        assertThat(rows.get(1).getStruct(2).getString(1)).contains("'-1' (Long) is out of range");
    }

    @Test
    void mapsOfClassesAreMaps() throws IOException {
        List<Row> rows = run(TestGraphs.zipMap(folder.resolve("g.onnx")), "(array(0.25, 0.75)), (array(1, 0))", "map");
        assertThat(rows.get(0).<String, Float>getJavaMap(1)).isEqualTo(Map.of("no", 0.25f, "yes", 0.75f));
        assertThat(rows.get(1).<String, Float>getJavaMap(1)).isEqualTo(Map.of("no", 1f, "yes", 0f));
    }

    @Test
    void anArrayAsDeepAsItsPortIsAWholeTensor() throws IOException {
        List<Row> rows =
                run(TestGraphs.batchSize(folder.resolve("g.onnx"), "n"), "(array(1, 2, 3)), (array(5))", "size");
        assertThat(rows.get(0).<Long>getList(1)).containsExactly(3L, 3L, 3L);
        assertThat(rows.get(1).<Long>getList(1)).containsExactly(1L);
    }

    @Test
    void binaryIsAWholeTensorWhereTheCallerSaysSo() throws IOException {
        Row row = Inference.of(TestGraphs.identity(folder.resolve("g.onnx"), FLOAT, "n"))
                .input("x", "x")
                .output("same")
                .wholeTensors()
                .apply(SPARK.session().sql("SELECT X'0000803F00000040' x"))
                .head();
        assertThat(row.<Float>getList(1)).containsExactly(1f, 2f);
    }
}
