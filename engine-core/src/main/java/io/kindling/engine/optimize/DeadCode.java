package io.kindling.engine.optimize;

import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Removes nodes none of whose outputs is read, and initializers that nobody reads. */
final class DeadCode implements GraphPass {
    @Override
    public String name() {
        return "dead_code";
    }

    @Override
    public Graph apply(Graph graph) {
        Set<String> live = new HashSet<>();
        graph.outputs().forEach(output -> live.add(output.name()));
        List<Node> kept = new ArrayList<>();
        boolean changed = false;
        for (int index = graph.nodes().size() - 1; index >= 0; index--) {
            Node node = graph.nodes().get(index);
            if (Purity.hasNoEffects(node) && node.outputs().stream().noneMatch(live::contains)) {
                changed = true;
                continue;
            }
            Node pruned = node.mapBodies(this::apply);
            changed |= !pruned.bodies().equals(node.bodies());
            live.addAll(Bodies.reads(pruned));
            kept.add(pruned);
        }
        changed |= !live.containsAll(graph.initializers().keySet());
        if (!changed) {
            return graph;
        }
        Collections.reverse(kept);
        Graph.Builder result = graph.toBuilder();
        result.nodes().clear();
        result.nodes().addAll(kept);
        result.initializers().keySet().retainAll(live);
        return result.build();
    }
}
