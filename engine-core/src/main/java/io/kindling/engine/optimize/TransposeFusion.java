package io.kindling.engine.optimize;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.Fusion.Replacement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A Transpose of what another one made turns what that one took, in one step. Matrices whose stacks are one axis while they are turned
 * are turned where they are.
 */
final class TransposeFusion implements IndexedPass {
    private static final long[] MATRICES = {0, 1, 3, 2};
    private static final long[] MATRICES_OF_ONE_STACK = {0, 2, 1};

    @Override
    public String name() {
        return "transpose_fusion";
    }

    @Override
    public Graph apply(Graph graph, GraphIndex index) {
        return Fusion.apply(graph, index, TransposeFusion::replace);
    }

    private static Optional<Replacement> replace(Node last, GraphIndex graph) {
        if (last.is("", "Reshape")) {
            return turnedMatrices(last, graph);
        }
        Optional<long[]> order = order(last);
        return order.flatMap(outer -> graph.producer(last.inputs().get(0)).flatMap(first -> order(first)
                .filter(inner -> inner.length == outer.length)
                .map(inner -> Replacement.of(transpose(last, first.inputs().get(0), compose(inner, outer))))));
    }

    private static Optional<Replacement> turnedMatrices(Node last, GraphIndex graph) {
        return graph.producer(last.inputs().get(0), "Transpose")
                .filter(turn -> order(turn)
                        .filter(axes -> Arrays.equals(axes, MATRICES_OF_ONE_STACK))
                        .isPresent())
                .flatMap(turn -> graph.producer(turn.inputs().get(0), "Reshape"))
                .filter(first -> keepsMatrices(first, last, graph))
                .map(first -> Replacement.of(transpose(last, first.inputs().get(0), MATRICES)));
    }

    private static boolean keepsMatrices(Node first, Node last, GraphIndex graph) {
        List<Dimension> from = graph.shape(first.inputs().get(0)).orElse(List.of());
        List<Dimension> stacked = graph.shape(first.outputs().get(0)).orElse(List.of());
        List<Dimension> to = graph.shape(last.outputs().get(0)).orElse(List.of());
        boolean fits = from.size() == MATRICES.length
                && stacked.size() == MATRICES_OF_ONE_STACK.length
                && to.size() == MATRICES.length
                && from.subList(2, 4).equals(stacked.subList(1, 3))
                && to.get(1).equals(from.get(1))
                && to.get(2).equals(from.get(3))
                && to.get(3).equals(from.get(2));
        // There are as many elements before as after: where the other sizes are numbers, the first ones are equal too.
        return fits
                && (to.get(0).equals(from.get(0)) || from.stream().skip(1).allMatch(size -> size.sizeOrMinusOne() > 0));
    }

    /** The permutation that a node applies, if it is a Transpose that spells it out. */
    static Optional<long[]> order(Node node) {
        return node.is("", "Transpose")
                ? node.intsAttribute("perm").filter(TransposeFusion::isPermutation)
                : Optional.empty();
    }

    private static boolean isPermutation(long[] order) {
        long[] axes = order.clone();
        Arrays.sort(axes);
        return IntStream.range(0, axes.length).allMatch(axis -> axes[axis] == axis);
    }

    /** The permutation that first {@code inner} and then {@code outer} make. */
    static long[] compose(long[] inner, long[] outer) {
        long[] both = new long[outer.length];
        for (int axis = 0; axis < both.length; axis++) {
            both[axis] = inner[(int) outer[axis]];
        }
        return both;
    }

    private static Node transpose(Node last, String input, long[] order) {
        return new Node(
                last.name(), "", "Transpose", List.of(input), last.outputs(), Map.of("perm", Attribute.of(order)));
    }
}
