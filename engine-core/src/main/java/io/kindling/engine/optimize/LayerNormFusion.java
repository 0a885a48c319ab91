package io.kindling.engine.optimize;

import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.Fusion.Replacement;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * {@code (x − mean(x)) · weight / √(mean((x − mean(x))²) + epsilon) + bias} along the last axis becomes {@code LayerNormalization}: as
 * torch writes it, and as TensorFlow does, {@code x·g + (bias − mean(x)·g)} with {@code g = weight / √…}. Float32 alone.
 */
final class LayerNormFusion implements IndexedPass {
    private static final String OPERATOR = "LayerNormalization";

    @Override
    public String name() {
        return "layer_norm_fusion";
    }

    @Override
    public Graph apply(Graph graph, GraphIndex index) {
        return Fusion.apply(graph, index, LayerNormFusion::replace);
    }

    private static Optional<Replacement> replace(Node last, GraphIndex graph) {
        if (last.is("", "Mul") || last.is("", "Div")) {
            return centred(last, Monomial.ofResult(last, graph), Optional.empty(), graph);
        }
        return last.is("", "Add") && last.attributes().isEmpty()
                ? Stream.of(0, 1)
                        .flatMap(bias -> biased(last, bias, graph).or(() -> spread(last, bias, graph)).stream())
                        .findFirst()
                : Optional.empty();
    }

    private static Optional<Replacement> centred(Node last, Monomial product, Optional<String> bias, GraphIndex graph) {
        return Normalised.of(product, graph)
                .filter(norm -> bias.stream().allMatch(b -> graph.isVector(b, graph.width(norm.value()))))
                .flatMap(norm ->
                        Normalised.centred(norm.value(), graph).map(x -> norm.by(OPERATOR, x, bias, last, graph)));
    }

    /** @param bias which operand the bias is */
    private static Optional<Replacement> biased(Node last, int bias, GraphIndex graph) {
        Monomial product = Monomial.of(last.inputs().get(1 - bias), graph);
        return centred(last, product, Optional.of(last.inputs().get(bias)), graph);
    }

    /** TensorFlow's form. @param bias which operand has the bias */
    private static Optional<Replacement> spread(Node last, int bias, GraphIndex graph) {
        String shift = last.inputs().get(bias);
        Monomial scaled = Monomial.of(last.inputs().get(1 - bias), graph);
        return graph.plain(shift, "Sub")
                .filter(sub -> graph.isReadOnce(shift) && scaled.exponents().size() == 2)
                .flatMap(sub -> scaled.exponents().keySet().stream()
                        .flatMap(x -> spread(last, x, scaled, sub, graph).stream())
                        .findFirst());
    }

    private static Optional<Replacement> spread(
            Node last, String x, Monomial scaled, Node difference, GraphIndex graph) {
        String factor = scaled.exponents().keySet().stream()
                .filter(value -> !value.equals(x))
                .findFirst()
                .orElseThrow();
        Monomial meanScaled = Monomial.of(difference.inputs().get(1), graph);
        boolean fits = scaled.exponents().equals(Map.of(x, 1.0, factor, 1.0))
                && scaled.hasCoefficient(1)
                && meanScaled.hasCoefficient(1)
                && meanScaled.exponents().keySet().stream()
                        .filter(mean -> Normalised.isMean(mean, x, graph))
                        .anyMatch(mean -> meanScaled.exponents().equals(Map.of(mean, 1.0, factor, 1.0)));
        if (!fits) {
            return Optional.empty();
        }
        // The factor times what is centred is the normalised value.
        Optional<Node> producer = graph.producer(factor);
        return producer.map(node -> Monomial.ofResult(node, graph)).flatMap(product -> product.only(-0.5)
                .flatMap(sum -> Normalised.Variance.of(sum, graph))
                .filter(variance -> Normalised.centred(variance.value(), graph).equals(Optional.of(x)))
                .flatMap(variance -> centred(
                        last,
                        product.times(variance.value()),
                        Optional.of(difference.inputs().get(0)),
                        graph)));
    }
}
