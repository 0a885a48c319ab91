package io.kindling.engine.optimize;

import io.kindling.engine.ir.Node;
import java.util.Optional;

/**
 * What values are weighted with: a Softmax over keys, whose result nobody else reads.
 *
 * @param guarded whether weights that are no numbers, as of a query that sees no key, become 0
 */
record AttentionWeights(Node softmax, boolean guarded) {
    private static final int RANK = 4;

    static Optional<AttentionWeights> of(String value, GraphIndex graph) {
        if (!graph.isReadOnce(value)) {
            return Optional.empty();
        }
        return softmax(value, graph)
                .map(softmax -> new AttentionWeights(softmax, false))
                .or(() -> graph.plain(value, "Where").flatMap(where -> guarded(where, graph)));
    }

    private static Optional<AttentionWeights> guarded(Node where, GraphIndex graph) {
        String weights = where.inputs().get(2);
        String condition = where.inputs().get(0);
        boolean guards = graph.plain(condition, "IsNaN")
                        .filter(node -> node.inputs().get(0).equals(weights))
                        .isPresent()
                && graph.number(where.inputs().get(1)).orElse(1) == 0
                && graph.rank(where.inputs().get(1)) <= RANK
                && graph.isReadOnce(condition)
                && graph.reads(weights) == 2;
        return softmax(weights, graph).filter(softmax -> guards).map(softmax -> new AttentionWeights(softmax, true));
    }

    /** Without the attribute the axis depends on the opset. */
    private static Optional<Node> softmax(String value, GraphIndex graph) {
        return graph.producer(value, "Softmax").filter(node -> {
            long axis = node.intAttribute("axis", 0);
            return axis == -1 || axis == RANK - 1;
        });
    }
}
