package io.kindling.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.OptionException;
import io.kindling.engine.onnx.proto.GraphProto;
import io.kindling.engine.onnx.proto.ModelProto;
import io.kindling.engine.onnx.proto.NodeProto;
import io.kindling.engine.onnx.proto.OperatorSetIdProto;
import io.kindling.engine.onnx.proto.TensorShapeProto;
import io.kindling.engine.onnx.proto.TensorShapeProto.Dimension;
import io.kindling.engine.onnx.proto.TypeProto;
import io.kindling.engine.onnx.proto.ValueInfoProto;
import io.kindling.spark.runtime.FakeEngines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

    private static ValueInfoProto port(String name, int type, String... shape) {
        TensorShapeProto.Builder dims = TensorShapeProto.newBuilder();
        for (String size : shape) {
            dims.addDim(
                    Character.isDigit(size.charAt(0))
                            ? Dimension.newBuilder().setDimValue(Long.parseLong(size))
                            : Dimension.newBuilder().setDimParam(size));
        }
        return ValueInfoProto.newBuilder()
                .setName(name)
                .setType(TypeProto.newBuilder()
                        .setTensorType(
                                TypeProto.Tensor.newBuilder().setElemType(type).setShape(dims)))
                .build();
    }

    private static NodeProto node(String op, String output, String... inputs) {
        return NodeProto.newBuilder()
                .setOpType(op)
                .addAllInput(List.of(inputs))
                .addOutput(output)
                .build();
    }

    private Inference model(String batch) throws IOException {
        GraphProto graph = GraphProto.newBuilder()
                .setName("g")
                .addInput(port("x", 1, batch, "2"))
                .addInput(port("y", 1, batch, "2"))
                .addInput(port("ids", 6, batch))
                .addInput(port("text", 8, batch))
                .addOutput(port("sum", 1, batch, "2"))
                .addOutput(port("twice", 6, batch))
                .addOutput(port("same", 8, batch))
                .addNode(node("Add", "sum", "x", "y"))
                .addNode(node("Add", "twice", "ids", "ids"))
                .addNode(node("Identity", "same", "text"))
                .build();
        Path file = folder.resolve("g.onnx");
        Files.write(
                file,
                ModelProto.newBuilder()
                        .setIrVersion(8)
                        .addOpsetImport(OperatorSetIdProto.newBuilder().setVersion(17))
                        .setGraph(graph)
                        .build()
                        .toByteArray());
        return Inference.of(file.toUri().toString())
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
}
