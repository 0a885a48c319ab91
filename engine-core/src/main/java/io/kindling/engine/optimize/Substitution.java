package io.kindling.engine.optimize;

import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/** Drops nodes for whose outputs other values can stand, and lets readers, also those in bodies, read these. */
final class Substitution {
    private Substitution() {}

    /**
     * @param rules makes the rule for one graph or body: the values that can stand for a node's outputs, in order, or an
     *     empty list. It sees nodes with what was replaced before
     */
    static Graph apply(Graph graph, Supplier<Function<Node, List<String>>> rules) {
        Set<String> outputs = new HashSet<>();
        graph.outputs().forEach(output -> outputs.add(output.name()));
        Set<String> hidden = Bodies.definedInside(graph);
        Function<Node, List<String>> rule = rules.get();
        Map<String, String> sameAs = new HashMap<>();
        Graph.Builder result = graph.toBuilder();
        result.nodes().clear();
        boolean changed = false;
        for (Node original : graph.nodes()) {
            Node node = Bodies.renameReads(original, sameAs);
            List<String> others = rule.apply(node);
            if (!others.isEmpty()
                    && node.outputs().stream().noneMatch(outputs::contains)
                    && others.stream().noneMatch(hidden::contains)) {
                for (int k = 0; k < node.outputs().size(); k++) {
                    sameAs.put(node.outputs().get(k), others.get(k));
                }
                sameAs.remove("");
                changed = true;
                continue;
            }
            Node inner = node.mapBodies(body -> apply(body, rules));
            changed |= !inner.bodies().equals(node.bodies());
            result.nodes().add(inner);
        }
        return changed ? result.build() : graph;
    }
}
