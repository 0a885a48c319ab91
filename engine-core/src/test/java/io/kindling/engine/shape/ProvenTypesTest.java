package io.kindling.engine.shape;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.cpu.NodeCases;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.ir.ValueType.TensorType;
import io.kindling.engine.onnx.OnnxLoader;
import io.kindling.engine.onnx.OnnxValueFiles;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is proven of the values of ONNX's own cases, by types alone and with constants for inputs, against the outputs they ship. */
class ProvenTypesTest {
    private final Map<String, String> lies = new TreeMap<>();
    private int sizes;

    @Test
    void nothingThatIsProvenIsWrong() throws Exception {
        try (Stream<Path> cases = Files.list(NodeCases.folder())) {
            for (Path folder : cases.filter(Files::isDirectory).sorted().toList()) {
                Graph graph = OnnxLoader.load(folder.resolve("model.onnx")).graph();
                check(folder, "by types", graph);
                check(folder, "by constants", withConstants(graph, folder));
            }
        }
        assertThat(lies).isEmpty();
        assertThat(sizes).as("sizes that were proven").isGreaterThan(4000);
    }

    private static Graph withConstants(Graph graph, Path folder) throws IOException {
        Graph.Builder builder = graph.toBuilder();
        for (int k = 0; k < graph.inputs().size(); k++) {
            ValueInfo input = graph.inputs().get(k);
            Path file = folder.resolve("test_data_set_0/input_" + k + ".pb");
            if (OnnxValueFiles.read(file, input.type()) instanceof Tensor tensor && tensor.type() != DataType.STRING) {
                builder.inputs().remove(input);
                builder.initializers()
                        .put(
                                input.name(),
                                new TensorData(tensor.type(), tensor.shape(), new TensorData.Inline(tensor.bytes())));
            }
        }
        return builder.build();
    }

    private void check(Path folder, String way, Graph graph) throws IOException {
        Map<String, ValueType> proven = ShapeInference.prove(graph).types();
        List<ValueInfo> outputs = graph.outputs();
        for (int k = 0; k < outputs.size(); k++) {
            ValueInfo output = outputs.get(k);
            Value value = OnnxValueFiles.read(folder.resolve("test_data_set_0/output_" + k + ".pb"), output.type());
            if (proven.get(output.name()) instanceof TensorType type && !fits(type, value)) {
                lies.put(folder.getFileName() + " " + way + " " + output.name(), type + " of " + value);
            }
        }
    }

    private boolean fits(TensorType type, Value value) {
        if (!(value instanceof Tensor tensor)) {
            return false;
        }
        boolean fits = type.elementType().isEmpty() || type.elementType().get() == tensor.type();
        List<Dimension> shape = type.shape().orElse(null);
        if (shape == null) {
            return fits;
        }
        fits &= shape.size() == tensor.rank();
        for (int axis = 0; fits && axis < tensor.rank(); axis++) {
            long size = shape.get(axis).sizeOrMinusOne();
            fits = size < 0 || size == tensor.dim(axis);
            sizes += size < 0 ? 0 : 1;
        }
        return fits;
    }
}
