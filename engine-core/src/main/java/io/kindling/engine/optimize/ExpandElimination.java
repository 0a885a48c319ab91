package io.kindling.engine.optimize;

import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.Fusion.Replacement;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What is expanded to the shape of the other operand, with which it is broadcast anyway, goes into the operator as it was. */
final class ExpandElimination implements IndexedPass {
    private static final Set<String> BROADCASTING = Set.of("Add", "Sub", "Mul", "Div", "Where", "And", "Or");

    @Override
    public String name() {
        return "expand_elimination";
    }

    @Override
    public Graph apply(Graph graph, GraphIndex index) {
        return Fusion.apply(graph, index, ExpandElimination::replace);
    }

    private static Optional<Replacement> replace(Node node, GraphIndex graph) {
        if (!node.domain().isEmpty()
                || !BROADCASTING.contains(node.opType())
                || !node.attributes().isEmpty()) {
            return Optional.empty();
        }
        List<String> inputs = node.inputs().stream()
                .map(input -> expanded(input, node, graph).orElse(input))
                .toList();
        return inputs.equals(node.inputs()) ? Optional.empty() : Optional.of(Replacement.of(node.withInputs(inputs)));
    }

    /** What the operand was before it was expanded to another one of the same node. */
    private static Optional<String> expanded(String operand, Node node, GraphIndex graph) {
        return graph.plain(operand, "Expand")
                .filter(expand -> graph.plain(expand.inputs().get(1), "Shape")
                        .map(shape -> shape.inputs().get(0))
                        .filter(other -> !other.equals(operand) && node.inputs().contains(other))
                        .isPresent())
                .map(expand -> expand.inputs().get(0));
    }
}
