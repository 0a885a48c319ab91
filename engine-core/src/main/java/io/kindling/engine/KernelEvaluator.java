package io.kindling.engine;

import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.optimize.ConstantEvaluator;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import io.kindling.engine.session.GraphSession;
import io.kindling.engine.session.SessionOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Computes constant nodes with a provider's kernels, each as a graph of one node. */
final class KernelEvaluator implements ConstantEvaluator {
    private final Provider provider;
    private final Map<String, Long> opsetImports;

    /** @param opsetImports the model's, which choose the kernels */
    KernelEvaluator(Provider provider, Map<String, Long> opsetImports) {
        this.provider = provider;
        this.opsetImports = opsetImports;
    }

    /** What cannot be planned or run stays in the graph, where its fault is reported if it is ever run. */
    @Override
    public Optional<List<TensorData>> evaluate(Node node, List<TensorData> inputs) {
        Graph.Builder graph = Graph.builder("constant");
        for (int k = 0; k < inputs.size(); k++) {
            if (inputs.get(k) != null) {
                graph.initializers().put(node.inputs().get(k), inputs.get(k));
            }
        }
        graph.nodes().add(node);
        for (String output : node.outputs()) {
            if (!output.isEmpty()) {
                graph.outputs().add(new ValueInfo(output, ValueType.UNKNOWN));
            }
        }
        OnnxModel model = new OnnxModel("constant", 0, opsetImports, graph.build(), List.of(), Map.of());
        try (GraphSession session = GraphSession.create(model, provider, SessionOptions.defaults())) {
            return data(node, session.run(Map.of()));
        } catch (KindlingException unsupported) {
            return Optional.empty();
        }
    }

    private static Optional<List<TensorData>> data(Node node, Map<String, Value> values) {
        List<TensorData> results = new ArrayList<>();
        boolean tensors = true;
        for (String output : node.outputs()) {
            if (output.isEmpty()) {
                results.add(null);
            } else if (values.get(output) instanceof Tensor tensor) {
                results.add(data(tensor));
                tensor.close();
            } else {
                tensors = false;
            }
        }
        return tensors ? Optional.of(results) : Optional.empty();
    }

    private static TensorData data(Tensor tensor) {
        if (tensor.type() == DataType.STRING) {
            return new TensorData(DataType.STRING, tensor.shape(), new TensorData.Strings(List.of(tensor.strings())));
        }
        int size = Math.toIntExact(tensor.byteSize());
        ByteBuffer bytes = ByteBuffer.allocateDirect(size).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(0, tensor.bytes(), 0, size);
        return new TensorData(tensor.type(), tensor.shape(), new TensorData.Inline(bytes));
    }
}
