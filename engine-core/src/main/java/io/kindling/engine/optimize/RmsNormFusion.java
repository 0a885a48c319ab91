package io.kindling.engine.optimize;

import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.Fusion.Replacement;
import java.util.Optional;

/**
 * {@code x · weight / √(mean(x²) + epsilon)} along the last axis becomes {@code SimplifiedLayerNormalization}, whatever the order of
 * the factors. Float32 alone.
 */
final class RmsNormFusion implements IndexedPass {
    @Override
    public String name() {
        return "rms_norm_fusion";
    }

    @Override
    public Graph apply(Graph graph, GraphIndex index) {
        return Fusion.apply(graph, index, RmsNormFusion::replace);
    }

    private static Optional<Replacement> replace(Node last, GraphIndex graph) {
        if (!last.is("", "Mul") && !last.is("", "Div")) {
            return Optional.empty();
        }
        return Normalised.of(Monomial.ofResult(last, graph), graph)
                .filter(norm -> Normalised.centred(norm.value(), graph).isEmpty())
                .map(norm -> norm.by("SimplifiedLayerNormalization", norm.value(), Optional.empty(), last, graph));
    }
}
