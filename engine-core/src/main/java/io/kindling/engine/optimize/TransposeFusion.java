package io.kindling.engine.optimize;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.Fusion.Replacement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** A Transpose of what another one made turns what that one took, in one step. */
final class TransposeFusion implements IndexedPass {
    @Override
    public String name() {
        return "transpose_fusion";
    }

    @Override
    public Graph apply(Graph graph, GraphIndex index) {
        return Fusion.apply(graph, index, TransposeFusion::replace);
    }

    private static Optional<Replacement> replace(Node last, GraphIndex graph) {
        Optional<long[]> order = order(last);
        return order.flatMap(outer -> graph.producer(last.inputs().get(0)).flatMap(first -> order(first)
                .filter(inner -> inner.length == outer.length)
                .map(inner -> Replacement.of(transpose(last, first.inputs().get(0), compose(inner, outer))))));
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
