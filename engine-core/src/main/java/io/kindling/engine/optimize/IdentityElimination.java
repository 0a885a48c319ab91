package io.kindling.engine.optimize;

import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Lets readers of an Identity's output read its input. One that names an output of the graph stays. */
final class IdentityElimination implements GraphPass {
    @Override
    public String name() {
        return "identity_elimination";
    }

    @Override
    public Graph apply(Graph graph) {
        Set<String> outputs = new HashSet<>();
        graph.outputs().forEach(output -> outputs.add(output.name()));
        Set<String> hidden = Bodies.definedInside(graph);
        Map<String, String> sources = new HashMap<>();
        Graph.Builder result = graph.toBuilder();
        result.nodes().clear();
        boolean changed = false;
        for (Node original : graph.nodes()) {
            Node node = Bodies.renameReads(original, sources);
            if (node.is("", "Identity")
                    && !outputs.contains(node.outputs().get(0))
                    && !hidden.contains(node.inputs().get(0))) {
                sources.put(node.outputs().get(0), node.inputs().get(0));
                changed = true;
                continue;
            }
            Node inner = Bodies.map(node, this::apply);
            changed |= !Bodies.of(inner).equals(Bodies.of(node));
            result.nodes().add(inner);
        }
        return changed ? result.build() : graph;
    }
}
