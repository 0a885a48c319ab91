package io.kindling.engine.optimize;

import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Computes nodes whose inputs are all small constants. Weights are left alone: folding them would copy the model. */
final class ConstantFolding implements GraphPass {
    private final ConstantEvaluator evaluator;
    private final long maxBytes;

    /** @param maxBytes most bytes of any input or output of a folded node */
    ConstantFolding(ConstantEvaluator evaluator, long maxBytes) {
        this.evaluator = evaluator;
        this.maxBytes = maxBytes;
    }

    @Override
    public String name() {
        return "constant_folding";
    }

    @Override
    public Graph apply(Graph graph) {
        return apply(graph, Map.of());
    }

    private Graph apply(Graph graph, Map<String, TensorData> outer) {
        Map<String, TensorData> constants = new HashMap<>(outer);
        constants.keySet().removeAll(Bodies.defined(graph));
        constants.putAll(graph.initializers());
        Set<String> outputs = new HashSet<>();
        graph.outputs().forEach(output -> outputs.add(output.name()));
        Graph.Builder result = graph.toBuilder();
        result.nodes().clear();
        boolean changed = false;
        for (Node node : graph.nodes()) {
            Optional<List<TensorData>> values = evaluate(node, constants, outputs);
            if (values.isPresent()) {
                for (int i = 0; i < node.outputs().size(); i++) {
                    String output = node.outputs().get(i);
                    if (!output.isEmpty()) {
                        constants.put(output, values.get().get(i));
                        result.initializers().put(output, values.get().get(i));
                    }
                }
                changed = true;
                continue;
            }
            Node inner = Bodies.map(node, body -> apply(body, constants));
            changed |= !Bodies.of(inner).equals(Bodies.of(node));
            result.nodes().add(inner);
        }
        return changed ? result.build() : graph;
    }

    private Optional<List<TensorData>> evaluate(Node node, Map<String, TensorData> constants, Set<String> outputs) {
        if (!Purity.isPure(node) || node.outputs().stream().anyMatch(outputs::contains)) {
            return Optional.empty();
        }
        List<TensorData> inputs = new ArrayList<>();
        for (String input : node.inputs()) {
            TensorData value = constants.get(input);
            if (!input.isEmpty() && (value == null || !isSmall(value))) {
                return Optional.empty();
            }
            inputs.add(value);
        }
        return evaluator
                .evaluate(node, inputs)
                .filter(values -> values.size() == node.outputs().size()
                        && values.stream().allMatch(this::isSmall));
    }

    private boolean isSmall(TensorData tensor) {
        return tensor.byteSize() <= maxBytes && !(tensor.content() instanceof TensorData.External);
    }
}
