package io.kindling.engine.onnx;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OnnxWriterTest {
    private static final ValueType VECTOR =
            ValueType.TensorType.of(DataType.FLOAT, List.of(Dimension.of("n"), Dimension.UNKNOWN, Dimension.of(3)));

    @TempDir
    Path folder;

    private static OnnxModel model(int weights) {
        float[] values = new float[weights];
        for (int i = 0; i < weights; i++) {
            values[i] = i;
        }
        Graph.Builder inner = Graph.builder("inner");
        inner.nodes().add(new Node("i", "", "Relu", List.of("x"), List.of("z"), Map.of()));
        inner.outputs().add(new ValueInfo("z", new ValueType.SequenceType(VECTOR)));
        Graph.Builder graph = Graph.builder("outer");
        graph.inputs().add(new ValueInfo("x", VECTOR));
        graph.inputs().add(new ValueInfo("c", new ValueType.OptionalType(VECTOR)));
        graph.outputs().add(new ValueInfo("y", ValueType.UNKNOWN));
        graph.initializers().put("w", TensorData.ofFloats(new long[] {weights}, values));
        graph.initializers().put("small", TensorData.ofLongs(new long[0], 42));
        graph.initializers()
                .put("s", new TensorData(DataType.STRING, new long[] {2}, new TensorData.Strings(List.of("a", "ä"))));
        graph.valueTypes().put("h", VECTOR);
        graph.nodes()
                .add(new Node(
                        "n",
                        "com.microsoft",
                        "Thing",
                        List.of("x", "", "w"),
                        List.of("h", ""),
                        Map.of(
                                "i", Attribute.of(3),
                                "f", Attribute.of(0.5f),
                                "t", Attribute.of("text"),
                                "is", Attribute.of(1L, 2L))));
        graph.nodes()
                .add(new Node(
                        "if",
                        "",
                        "If",
                        List.of("h"),
                        List.of("y"),
                        Map.of("then_branch", new Attribute.GraphValue(inner.build()))));
        return new OnnxModel(
                "built", 10, Map.of("", 21L, "com.microsoft", 1L), graph.build(), List.of(), Map.of("k", "v"));
    }

    @Test
    void whatIsWrittenReadsBackEqual() throws IOException {
        OnnxModel written = model(5000);
        Path file = folder.resolve("m.onnx");
        OnnxWriter.write(written, file);
        OnnxModel read = OnnxLoader.load(file);
        assertThat(read.opsetImports()).isEqualTo(written.opsetImports());
        assertThat(read.metadata()).isEqualTo(written.metadata());
        assertThat(read.graph().inputs()).isEqualTo(written.graph().inputs());
        assertThat(read.graph().outputs()).isEqualTo(written.graph().outputs());
        assertThat(read.graph().valueTypes()).isEqualTo(written.graph().valueTypes());
        assertThat(read.graph().nodes())
                .usingRecursiveComparison()
                .isEqualTo(written.graph().nodes());
        assertThat(read.graph().initializers().get("s").content())
                .isEqualTo(written.graph().initializers().get("s").content());
        TensorData.External weights =
                (TensorData.External) read.graph().initializers().get("w").content();
        assertThat(weights.file().getFileName()).hasToString("m.onnx.data");
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(weights.file()));
        TensorData.Inline original =
                (TensorData.Inline) written.graph().initializers().get("w").content();
        assertThat(bytes.slice((int) weights.offset(), 20000)).isEqualTo(original.bytes());
    }

    @Test
    void writesOverItsOwnSourceAndTheSameBytesEachTime() throws IOException {
        Path file = folder.resolve("m.onnx");
        OnnxWriter.write(model(5000), file);
        byte[] graph = Files.readAllBytes(file);
        byte[] data = Files.readAllBytes(folder.resolve("m.onnx.data"));
        OnnxWriter.write(OnnxLoader.load(file), file);
        assertThat(Files.readAllBytes(file)).isEqualTo(graph);
        assertThat(Files.readAllBytes(folder.resolve("m.onnx.data"))).isEqualTo(data);
        try (var entries = Files.list(folder)) {
            assertThat(entries).hasSize(2);
        }
    }

    @Test
    void smallModelsNeedNoDataFile() throws IOException {
        OnnxWriter.write(model(3), folder.resolve("m.onnx"));
        try (var entries = Files.list(folder)) {
            assertThat(entries).containsExactly(folder.resolve("m.onnx"));
        }
    }

    @Test
    void alignsLargeTensorsToPagesAndSmallOnesToLines() throws IOException {
        try (ExternalDataFile file = ExternalDataFile.create(folder.resolve("d"))) {
            offset(file, 3, 0);
            offset(file, 5, 64);
            offset(file, 1 << 16, 4096);
            offset(file, 1, 4096 + (1 << 16));
        }
    }

    private static void offset(ExternalDataFile file, int bytes, long expected) throws IOException {
        TensorData tensor =
                file.append(DataType.UINT8, new long[] {bytes}, bytes, (row, target) -> target.put((byte) row));
        assertThat(((TensorData.External) tensor.content()).offset()).isEqualTo(expected);
        assertThat(((TensorData.External) tensor.content()).length()).isEqualTo(bytes);
    }
}
