package io.kindling.spark;

import static io.kindling.spark.TestGraphs.FLOAT;
import static io.kindling.spark.TestGraphs.node;
import static io.kindling.spark.TestGraphs.port;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.onnx.proto.AttributeProto;
import io.kindling.engine.onnx.proto.GraphProto;
import io.kindling.engine.onnx.proto.StringStringEntryProto;
import io.kindling.engine.onnx.proto.TensorProto;
import io.kindling.spark.runtime.FakeEngines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class MetadataTablesTest {
    @RegisterExtension
    static final LocalSpark SPARK = new LocalSpark();

    @TempDir
    Path folder;

    /** {@code y = Gemm(x, w)} with weights in a file beside it. */
    @BeforeEach
    void model() throws IOException {
        Files.write(folder.resolve("w.bin"), new byte[4096 + 24]);
        TensorProto weight = TensorProto.newBuilder()
                .setName("w")
                .setDataType(FLOAT)
                .addDims(3)
                .addDims(2)
                .setDataLocation(TensorProto.DataLocation.EXTERNAL)
                .addExternalData(entry("location", "w.bin"))
                .addExternalData(entry("offset", "4096"))
                .addExternalData(entry("length", "24"))
                .build();
        String uri = TestGraphs.write(
                folder.resolve("model.onnx"),
                GraphProto.newBuilder()
                        .addInput(port("x", FLOAT, "rows", "3"))
                        .addOutput(port("y", FLOAT, "rows", "2"))
                        .addInitializer(weight)
                        .addNode(node("Gemm", "y", "x", "w").toBuilder()
                                .addAttribute(AttributeProto.newBuilder()
                                        .setName("alpha")
                                        .setType(AttributeProto.AttributeType.FLOAT)
                                        .setF(0.5f))));
        SPARK.session().conf().set("spark.kindling.model.gemm", uri);
    }

    private static StringStringEntryProto entry(String key, String value) {
        return StringStringEntryProto.newBuilder().setKey(key).setValue(value).build();
    }

    private static List<Row> sql(String query) {
        return SPARK.session().sql(query).collectAsList();
    }

    @Test
    void tablesTellOfAModelWithoutLoadingIt() {
        assertThat(sql("SELECT direction, position, name, type, element_type, column_type FROM onnx.gemm.ports"))
                .containsExactly(
                        RowFactory.create("input", 0, "x", "float[rows, 3]", "float", "ARRAY<FLOAT>"),
                        RowFactory.create("output", 0, "y", "float[rows, 2]", "float", "ARRAY<FLOAT>"));
        assertThat(sql("SELECT array_join(shape, ',') FROM onnx.gemm.ports WHERE name = 'x'"))
                .containsExactly(RowFactory.create("rows,3"));
        assertThat(sql(
                        "SELECT graph, position, name, domain, op_type, array_join(inputs, ','), array_join(outputs, ','),"
                                + " attributes['alpha'] FROM onnx.gemm.nodes"))
                .containsExactly(RowFactory.create("", 0, "y", "ai.onnx", "Gemm", "x,w", "y", "0.5"));
        assertThat(sql("SELECT name, element_type, array_join(shape, ','), bytes, file, offset FROM onnx.gemm.weights"))
                .containsExactly(RowFactory.create("w", "float", "3,2", 24L, "w.bin", 4096L));
        assertThat(sql("SELECT value FROM onnx.gemm.metadata WHERE key IN ('file', 'opset.ai.onnx.ml') ORDER BY key"))
                .containsExactly(RowFactory.create("model.onnx"), RowFactory.create("3"));
        assertThat(FakeEngines.ATTEMPTS).hasValue(0);
    }

    @Test
    void aModelIsAUriInBackticksTooAndAWholeFolder() {
        assertThat(sql("SELECT count(*) FROM onnx.`" + folder.toUri() + "`.nodes"))
                .containsExactly(RowFactory.create(1L));
    }

    @Test
    void weightsOfAModelElsewhereStayThere() {
        var hadoop = SPARK.session().sparkContext().hadoopConfiguration();
        hadoop.set("fs.elsewhere.impl", Elsewhere.class.getName());
        Elsewhere.OPENED.clear();
        assertThat(sql("SELECT name, bytes FROM onnx.`elsewhere:" + folder + "`.weights"))
                .containsExactly(RowFactory.create("w", 24L));
        assertThat(Elsewhere.OPENED).containsExactly("model.onnx");
    }

    @Test
    void theCatalogShowsModelsTablesAndFunctions() {
        assertThat(sql("SHOW NAMESPACES IN onnx")).contains(RowFactory.create("gemm"));
        assertThat(sql("SHOW TABLES IN onnx.gemm"))
                .extracting(row -> row.getString(1))
                .containsExactlyInAnyOrder("ports", "nodes", "weights", "metadata");
        assertThat(sql("SHOW USER FUNCTIONS IN onnx")).extracting(Row::mkString).contains("onnx.generate", "onnx.run");
        assertThat(sql("SHOW USER FUNCTIONS IN onnx.gemm"))
                .extracting(Row::mkString)
                .containsExactly("onnx.gemm.run");
        assertThat(sql("DESCRIBE TABLE onnx.gemm.ports"))
                .contains(RowFactory.create("direction", "string", "input or output"));
        assertThat(sql("DESCRIBE NAMESPACE EXTENDED onnx.gemm"))
                .anySatisfy(row -> assertThat(row.mkString()).contains("model.onnx"));
        assertThat(sql("SHOW TABLES IN onnx"))
                .extracting(row -> row.getString(1))
                .containsExactly("models", "functions");
        assertThat(sql("SELECT count(*) FROM onnx.models WHERE alias = 'gemm' AND uri LIKE '%model.onnx'"))
                .containsExactly(RowFactory.create(1L));
        assertThat(sql("SELECT usage FROM onnx.functions WHERE name = 'generate'")
                        .get(0)
                        .getString(0))
                .startsWith("generate(model STRING, prompt STRING or ARRAY<STRUCT");
    }

    @Test
    void mistakesSayWhatThereIs() {
        assertThatThrownBy(() -> sql("SELECT * FROM onnx.gemm.layers")).hasMessageContaining("layers");
        assertThatThrownBy(() -> sql("SELECT * FROM onnx.gem.ports"))
                .hasMessageContaining("no model is named 'gem'")
                .hasMessageContaining("set are gemm");
        assertThatThrownBy(() -> sql("SHOW TABLES IN onnx.gem")).hasMessageContaining("gem");
        assertThatThrownBy(() -> sql("CREATE TABLE onnx.gemm.mine (x INT)"))
                .hasStackTraceContaining("set spark.kindling.model.<alias>");
        assertThatThrownBy(() -> sql("SELECT * FROM onnx.`" + gguf() + "`.ports"))
                .hasMessageContaining("convert it first");
    }

    @Test
    void ggufFilesTellOfWeightsAndMetadata() throws IOException {
        Path file = gguf();
        SPARK.session().sparkContext().hadoopConfiguration().set("fs.elsewhere.impl", Elsewhere.class.getName());
        for (String uri : List.of(file.toString(), "elsewhere:" + file)) {
            assertThat(sql("SELECT name, element_type, array_join(shape, ','), bytes, file FROM onnx.`" + uri
                            + "`.weights"))
                    .containsExactly(RowFactory.create("w", "F16", "3,2", 12L, "m.gguf"));
            assertThat(sql("SELECT key, value FROM onnx.`" + uri + "`.metadata"))
                    .containsExactly(RowFactory.create("property.general.architecture", "llama"));
        }
    }

    /** A file of version 3 with one text and a tensor of type 1 (F16), whose sizes are 2, then 3, by the format's text. */
    private Path gguf() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(0x46554747).putInt(3).putLong(1).putLong(1);
        text(bytes, "general.architecture");
        text(bytes.putInt(8), "llama");
        text(bytes, "w");
        bytes.putInt(2).putLong(2).putLong(3).putInt(1).putLong(0);
        int data = (bytes.position() + 31) / 32 * 32;
        return Files.write(folder.resolve("m.gguf"), Arrays.copyOf(bytes.array(), data + 12));
    }

    private static void text(ByteBuffer bytes, String text) {
        bytes.putLong(text.length()).put(text.getBytes(StandardCharsets.UTF_8));
    }
}
