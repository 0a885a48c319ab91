package io.kindling.engine.optimize;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.Fusion.Replacement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Nodes that give what they take become Identity: a Cast to the type that is, a product or quotient with one, a Transpose of no
 * axes, and what brings a shape back that a value had before Reshape, Squeeze and Unsqueeze.
 */
final class NoOpElimination implements IndexedPass {
    /** So far back a shape is looked for: a file may chain any number of reshapings. */
    private static final int MOST_STEPS = 16;

    private static final Set<String> RESHAPING = Set.of("Reshape", "Squeeze", "Unsqueeze", "Flatten");

    @Override
    public String name() {
        return "no_op_elimination";
    }

    @Override
    public Graph apply(Graph graph, GraphIndex index) {
        return Fusion.apply(graph, index, NoOpElimination::replace);
    }

    private static Optional<Replacement> replace(Node node, GraphIndex graph) {
        return same(node, graph)
                .map(value -> Replacement.of(
                        new Node(node.name(), "", "Identity", List.of(value), node.outputs(), Map.of())));
    }

    /** The value that the node's output equals. */
    private static Optional<String> same(Node node, GraphIndex graph) {
        if (!node.domain().isEmpty() || node.inputs().isEmpty()) {
            return Optional.empty();
        }
        String input = node.inputs().get(0);
        return switch (node.opType()) {
            case "Cast" ->
                Optional.of(input)
                        .filter(value -> keepsType(value, DataType.ofCode((int) node.intAttribute("to", 0)), graph));
            case "CastLike" ->
                Optional.of(input)
                        .filter(value ->
                                keepsType(value, graph.type(node.inputs().get(1)), graph));
            case "Mul" ->
                isOne(node, 0, graph)
                        ? Optional.of(node.inputs().get(1))
                        : Optional.of(input).filter(value -> isOne(node, 1, graph));
            case "Div" -> Optional.of(input).filter(value -> isOne(node, 1, graph));
            case "Transpose" -> Optional.of(input).filter(value -> keepsOrder(node));
            case "Reshape", "Squeeze", "Unsqueeze", "Flatten" -> sourceOfShape(node, graph);
            default -> Optional.empty();
        };
    }

    private static boolean isOne(Node node, int input, GraphIndex graph) {
        return node.attributes().isEmpty()
                && graph.number(node.inputs().get(input)).orElse(0) == 1
                && graph.rank(node.inputs().get(input)) == 0;
    }

    private static boolean keepsType(String value, Optional<DataType> to, GraphIndex graph) {
        return to.isPresent() && graph.type(value).equals(to);
    }

    private static boolean keepsOrder(Node transpose) {
        return TransposeFusion.order(transpose)
                .filter(order -> IntStream.range(0, order.length).allMatch(axis -> order[axis] == axis))
                .isPresent();
    }

    /** The earliest value before the node that had its output's shape, all between having the same elements in order. */
    private static Optional<String> sourceOfShape(Node node, GraphIndex graph) {
        Optional<List<Dimension>> shape = graph.shape(node.outputs().get(0));
        Optional<String> found = Optional.empty();
        Optional<Node> at = shape.isPresent() ? Optional.of(node) : Optional.empty();
        for (int step = 0; step < MOST_STEPS && at.isPresent(); step++) {
            String source = at.get().inputs().get(0);
            found = graph.shape(source).equals(shape) ? Optional.of(source) : found;
            at = graph.producer(source).filter(n -> n.domain().isEmpty() && RESHAPING.contains(n.opType()));
        }
        return found;
    }
}
