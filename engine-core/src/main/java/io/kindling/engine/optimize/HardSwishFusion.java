package io.kindling.engine.optimize;

import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.Fusion.Replacement;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code x · clip(x + 3, 0, 6) / 6} and {@code x · HardSigmoid(x)} with an alpha of a sixth become HardSwish, whatever the order of the
 * factors. Float32 alone.
 */
final class HardSwishFusion implements IndexedPass {
    private static final double SIXTH = 1.0 / 6;

    @Override
    public String name() {
        return "hard_swish_fusion";
    }

    @Override
    public Graph apply(Graph graph, GraphIndex index) {
        return Fusion.apply(graph, index, HardSwishFusion::replace);
    }

    private static Optional<Replacement> replace(Node last, GraphIndex graph) {
        if (!last.is("", "Mul") && !last.is("", "Div")) {
            return Optional.empty();
        }
        Monomial product = Monomial.ofResult(last, graph);
        if (product.exponents().size() != 2) {
            return Optional.empty();
        }
        List<String> factors = List.copyOf(product.exponents().keySet());
        return hardSwish(last, product, factors.get(0), factors.get(1), graph)
                .or(() -> hardSwish(last, product, factors.get(1), factors.get(0), graph));
    }

    private static Optional<Replacement> hardSwish(
            Node last, Monomial product, String x, String gate, GraphIndex graph) {
        boolean fits = product.exponents().equals(Map.of(x, 1.0, gate, 1.0))
                && graph.isReadOnce(gate)
                && graph.isFloat(x)
                && graph.rank(x) >= 0
                && graph.rank(x) == graph.rank(last.outputs().get(0));
        return graph.producer(gate)
                .filter(node -> fits)
                .filter(node -> product.hasCoefficient(SIXTH) && isClipped(node, x, graph)
                        || product.hasCoefficient(1) && isHardSigmoid(node, x))
                .map(node ->
                        Replacement.of(new Node(last.name(), "", "HardSwish", List.of(x), last.outputs(), Map.of())));
    }

    private static boolean isClipped(Node clip, String x, GraphIndex graph) {
        return ClipBounds.of(clip, graph).equals(Optional.of(new ClipBounds(0, 6)))
                && graph.addedTo(3, clip.inputs().get(0)).equals(Optional.of(x));
    }

    private static boolean isHardSigmoid(Node node, String x) {
        return node.is("", "HardSigmoid")
                && node.inputs().get(0).equals(x)
                && Monomial.equal(node.floatAttribute("alpha", 0.2f), SIXTH)
                && node.floatAttribute("beta", 0.5f) == 0.5f;
    }
}
