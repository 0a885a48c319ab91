package io.kindling.engine.optimize;

import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.Fusion.Replacement;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code x/2 · (1 + erf(x/√2))} becomes {@code com.microsoft::Gelu}, and with {@code tanh(√(2/π) · (x + 0.044715 x³))} in place of
 * erf {@code FastGelu}, whatever the order of the factors. Float32 alone: in narrower types the steps round, the operators do not.
 */
final class GeluFusion implements IndexedPass {
    private static final double CUBE = 0.044715;

    @Override
    public String name() {
        return "gelu_fusion";
    }

    @Override
    public Graph apply(Graph graph, GraphIndex index) {
        return Fusion.apply(graph, index, GeluFusion::replace);
    }

    private static Optional<Replacement> replace(Node last, GraphIndex graph) {
        if (!last.is("", "Mul") && !last.is("", "Div")) {
            return Optional.empty();
        }
        Monomial product = Monomial.ofResult(last, graph);
        if (product.exponents().size() != 2 || !product.hasCoefficient(0.5)) {
            return Optional.empty();
        }
        List<String> factors = List.copyOf(product.exponents().keySet());
        return gelu(last, product, factors.get(0), factors.get(1), graph)
                .or(() -> gelu(last, product, factors.get(1), factors.get(0), graph));
    }

    private static Optional<Replacement> gelu(Node last, Monomial product, String x, String gate, GraphIndex graph) {
        boolean fits = product.exponents().equals(Map.of(x, 1.0, gate, 1.0))
                && graph.isReadOnce(gate)
                && graph.isFloat(x)
                && graph.rank(x) >= 0
                && graph.rank(x) == graph.rank(last.outputs().get(0));
        Optional<Node> function =
                fits ? graph.addedTo(1, gate).filter(graph::isReadOnce).flatMap(graph::producer) : Optional.empty();
        return function.flatMap(node -> operator(node, x, graph))
                .map(operator -> Replacement.of(
                        new Node(last.name(), "com.microsoft", operator, List.of(x), last.outputs(), Map.of())));
    }

    private static Optional<String> operator(Node function, String x, GraphIndex graph) {
        if (function.is("", "Erf")) {
            Monomial argument = Monomial.of(function.inputs().get(0), graph);
            return argument.isPower(x, 1) && argument.hasCoefficient(Math.sqrt(0.5))
                    ? Optional.of("Gelu")
                    : Optional.empty();
        }
        return function.is("", "Tanh") && isCubic(Monomial.of(function.inputs().get(0), graph), x, graph)
                ? Optional.of("FastGelu")
                : Optional.empty();
    }

    /** {@code √(2/π) · (x + 0.044715 x³)} or {@code √(2/π) · x · (1 + 0.044715 x²)}. */
    private static boolean isCubic(Monomial argument, String x, GraphIndex graph) {
        double factor = Math.sqrt(2 / Math.PI);
        String sum = argument.exponents().keySet().stream()
                .filter(value -> !value.equals(x))
                .findFirst()
                .orElse("");
        if (argument.isPower(sum, 1) && graph.isReadOnce(sum)) {
            return graph.plain(sum, "Add").stream().anyMatch(add -> {
                Monomial first = Monomial.of(add.inputs().get(0), graph);
                Monomial second = Monomial.of(add.inputs().get(1), graph);
                Monomial linear = first.isPower(x, 1) ? first : second;
                Monomial cubic = linear == first ? second : first;
                return linear.isPower(x, 1)
                        && cubic.isPower(x, 3)
                        && Monomial.equal(argument.coefficient() * linear.coefficient(), factor)
                        && Monomial.equal(cubic.coefficient() / linear.coefficient(), CUBE);
            });
        }
        return argument.exponents().equals(Map.of(x, 1.0, sum, 1.0))
                && argument.hasCoefficient(factor)
                && graph.addedTo(1, sum)
                        .map(square -> Monomial.of(square, graph))
                        .filter(square -> square.isPower(x, 2) && square.hasCoefficient(CUBE))
                        .isPresent();
    }
}
