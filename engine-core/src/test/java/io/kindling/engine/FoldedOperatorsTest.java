package io.kindling.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.cpu.ConformanceCases;
import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.cpu.OperatorCases;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.onnx.OnnxValueFiles;
import io.kindling.engine.provider.Precision;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.session.SessionOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The recorded cases of all operators, their tensors being constants: what the optimiser folds is what the kernels compute. */
class FoldedOperatorsTest {
    @TempDir
    Path folder;

    @Test
    void operatorsOnConstantsGiveWhatTheOracleGave() throws Exception {
        OperatorCases.unpack(folder);
        Map<String, String> others;
        try (Provider provider = OneNode.javaProvider(2)) {
            SessionOptions options = new SessionOptions(Precision.EXACT, 0);
            others = new TreeMap<>(
                    new ConformanceCases(provider, options, name -> false, FoldedOperatorsTest::onConstants)
                            .runAll(folder));
        }
        assertThat(others).hasSizeGreaterThan(1500);
        others.values().removeIf("pass"::equals);
        assertThat(others).isEmpty();
    }

    private static OnnxModel onConstants(OnnxModel model, Path folder) {
        Graph.Builder graph = model.graph().toBuilder();
        graph.inputs().clear();
        for (int k = 0; k < model.graph().inputs().size(); k++) {
            ValueInfo input = model.graph().inputs().get(k);
            Path file = folder.resolve("test_data_set_0/input_" + k + ".pb");
            if (OnnxValueFiles.read(file, input.type()) instanceof Tensor tensor) {
                graph.initializers().put(input.name(), data(tensor));
            } else {
                graph.inputs().add(input);
            }
        }
        return PreparedGraph.of(model.withGraph(graph.build()), EngineOptions.defaults());
    }

    private static TensorData data(Tensor tensor) {
        TensorData.Content content = tensor.type() == DataType.STRING
                ? new TensorData.Strings(List.of(tensor.strings()))
                : new TensorData.Inline(tensor.bytes());
        return new TensorData(tensor.type(), tensor.shape(), content);
    }
}
