package io.kindling.engine.optimize;

import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Puts fewer nodes in place of stretches that compute the same, in a graph and in its bodies. */
final class Fusion {
    private Fusion() {}

    /**
     * What computes the outputs of a stretch's last node.
     *
     * @param constants that the nodes read besides what there is
     */
    record Replacement(List<Node> nodes, Map<String, TensorData> constants) {
        static Replacement of(Node node) {
            return new Replacement(List.of(node), Map.of());
        }
    }

    /** Recognises a stretch by its last node. */
    @FunctionalInterface
    interface Rule {
        Optional<Replacement> replace(Node last, GraphIndex graph);
    }

    /** What the stretches leave unread goes with them. */
    static Graph apply(Graph graph, GraphIndex index, Rule rule) {
        Graph fused = replaced(graph, index, rule);
        return fused == graph ? graph : new DeadCode().apply(fused);
    }

    private static Graph replaced(Graph graph, GraphIndex index, Rule rule) {
        Graph.Builder result = graph.toBuilder();
        result.nodes().clear();
        boolean changed = false;
        for (Node node : graph.nodes()) {
            Optional<Replacement> replacement = node.outputs().isEmpty() ? Optional.empty() : rule.replace(node, index);
            if (replacement.isPresent()) {
                result.nodes().addAll(replacement.get().nodes());
                result.initializers().putAll(replacement.get().constants());
                changed = true;
                continue;
            }
            Node inner = node.mapBodies(body -> replaced(body, index.ofBody(body), rule));
            changed |= !inner.bodies().equals(node.bodies());
            result.nodes().add(inner);
        }
        return changed ? result.build() : graph;
    }
}
