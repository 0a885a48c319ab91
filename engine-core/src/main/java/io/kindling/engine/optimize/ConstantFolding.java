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

/**
 * Computes nodes whose inputs are all constants. What is small is always folded. A weight is folded only when nothing else
 * reads it and the result is not larger, so that folding never grows a model; quantised weights stay quantised.
 */
final class ConstantFolding implements GraphPass {
    /** Shapes, index tables and small masks. */
    private static final long SMALL_BYTES = 1 << 16;

    /** Above it folding would move a model from mapped files into memory. */
    private static final long MAX_BYTES = 4 << 20;

    private final ConstantEvaluator evaluator;

    ConstantFolding(ConstantEvaluator evaluator) {
        this.evaluator = evaluator;
    }

    @Override
    public String name() {
        return "constant_folding";
    }

    @Override
    public Graph apply(Graph graph) {
        return apply(graph, Map.of(), readCounts(graph, new HashMap<>()));
    }

    private static Map<String, Integer> readCounts(Graph graph, Map<String, Integer> counts) {
        graph.outputs().forEach(output -> counts.merge(output.name(), 1, Integer::sum));
        for (Node node : graph.nodes()) {
            new HashSet<>(node.inputs()).forEach(input -> counts.merge(input, 1, Integer::sum));
            node.bodies().forEach(body -> readCounts(body, counts));
        }
        return counts;
    }

    private Graph apply(Graph graph, Map<String, TensorData> outer, Map<String, Integer> reads) {
        Map<String, TensorData> constants = new HashMap<>(outer);
        constants.keySet().removeAll(Bodies.defined(graph));
        constants.putAll(graph.initializers());
        Set<String> outputs = new HashSet<>();
        graph.outputs().forEach(output -> outputs.add(output.name()));
        Graph.Builder result = graph.toBuilder();
        result.nodes().clear();
        boolean changed = false;
        for (Node node : graph.nodes()) {
            Optional<List<TensorData>> values = evaluate(node, constants, outputs, reads);
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
            Node inner = node.mapBodies(body -> apply(body, constants, reads));
            changed |= !inner.bodies().equals(node.bodies());
            result.nodes().add(inner);
        }
        return changed ? result.build() : graph;
    }

    private Optional<List<TensorData>> evaluate(
            Node node, Map<String, TensorData> constants, Set<String> outputs, Map<String, Integer> reads) {
        if (!Purity.isPure(node)
                || node.opType().equals("DequantizeLinear")
                || node.outputs().stream().anyMatch(outputs::contains)) {
            return Optional.empty();
        }
        List<TensorData> inputs = new ArrayList<>();
        long inputBytes = 0;
        for (String input : node.inputs()) {
            TensorData value = constants.get(input);
            boolean foldable = input.isEmpty() || (value != null && (isSmall(value) || isOwn(input, value, reads)));
            if (!foldable) {
                return Optional.empty();
            }
            inputs.add(value);
            inputBytes += value == null ? 0 : value.byteSize();
        }
        long most = Math.max(SMALL_BYTES, inputBytes);
        if (isTooLarge(node, inputs, most)) {
            return Optional.empty();
        }
        return evaluator
                .evaluate(node, inputs)
                .filter(values -> values.size() == node.outputs().size())
                .filter(values -> values.stream()
                                .mapToLong(value -> value == null ? 0 : value.byteSize())
                                .sum()
                        <= most);
    }

    /** Operators that make much of little are asked for their size before they run. */
    private static boolean isTooLarge(Node node, List<TensorData> inputs, long most) {
        return switch (node.opType()) {
            case "ConstantOfShape" -> product(inputs, 0) > most;
            case "Expand" -> product(inputs, 1) > most;
            case "Tile" -> product(inputs, 1) * inputs.get(0).byteSize() > most;
            case "Range" -> length(inputs) > most;
            case "Pad", "Resize", "Upsample", "EyeLike", "OneHot" -> true;
            default -> false;
        };
    }

    private static double product(List<TensorData> inputs, int index) {
        double elements = 1;
        for (long size : integers(inputs, index)) {
            elements *= Math.max(size, 1);
        }
        return elements;
    }

    private static double length(List<TensorData> inputs) {
        long[] bounds = new long[3];
        for (int k = 0; k < bounds.length; k++) {
            long[] bound = integers(inputs, k);
            if (bound.length != 1) {
                return Double.MAX_VALUE;
            }
            bounds[k] = bound[0];
        }
        return ((double) bounds[1] - bounds[0]) / bounds[2];
    }

    private static long[] integers(List<TensorData> inputs, int index) {
        return index < inputs.size() && inputs.get(index) != null
                ? inputs.get(index).integers().orElse(new long[] {Long.MAX_VALUE})
                : new long[] {Long.MAX_VALUE};
    }

    private static boolean isSmall(TensorData tensor) {
        return tensor.byteSize() <= SMALL_BYTES;
    }

    private static boolean isOwn(String name, TensorData tensor, Map<String, Integer> reads) {
        return tensor.byteSize() <= MAX_BYTES && reads.getOrDefault(name, 0) <= 1;
    }
}
