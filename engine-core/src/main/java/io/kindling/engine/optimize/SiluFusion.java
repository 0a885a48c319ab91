package io.kindling.engine.optimize;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.Fusion.Replacement;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code x · sigmoid(alpha · x)} becomes {@code com.microsoft::QuickGelu}; with an alpha of one it is called SiLU. Float32 alone: in
 * narrower types the steps round, the operator does not.
 */
final class SiluFusion implements IndexedPass {
    @Override
    public String name() {
        return "silu_fusion";
    }

    @Override
    public Graph apply(Graph graph, GraphIndex index) {
        return Fusion.apply(graph, index, SiluFusion::replace);
    }

    private static Optional<Replacement> replace(Node last, GraphIndex graph) {
        if (!last.is("", "Mul") || !last.attributes().isEmpty()) {
            return Optional.empty();
        }
        return silu(last, 0, graph).or(() -> silu(last, 1, graph));
    }

    /** @param gate which operand the sigmoid is */
    private static Optional<Replacement> silu(Node last, int gate, GraphIndex graph) {
        String x = last.inputs().get(1 - gate);
        String sigmoid = last.inputs().get(gate);
        boolean fits = graph.isReadOnce(sigmoid)
                && graph.isFloat(x)
                && graph.rank(x) >= 0
                && graph.rank(x) == graph.rank(last.outputs().get(0));
        return graph.producer(sigmoid, "Sigmoid")
                .filter(node -> fits)
                .map(node -> Monomial.of(node.inputs().get(0), graph))
                .filter(argument -> argument.isPower(x, 1))
                .map(argument -> Replacement.of(new Node(
                        last.name(),
                        "com.microsoft",
                        "QuickGelu",
                        List.of(x),
                        last.outputs(),
                        Map.of("alpha", Attribute.of((float) argument.coefficient())))));
    }
}
