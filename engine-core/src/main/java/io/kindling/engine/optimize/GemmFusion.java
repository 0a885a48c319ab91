package io.kindling.engine.optimize;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.optimize.Fusion.Replacement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A product with a constant matrix, the vector added to it and the activation that follows become {@code com.microsoft::FusedGemm},
 * whose rows here may have any axes. Float32 alone.
 */
final class GemmFusion implements IndexedPass {
    private static final String MICROSOFT = "com.microsoft";
    private static final String OPERATOR = "FusedGemm";
    private static final String ACTIVATION = "activation";

    /** Activations of one operand that the operator computes on the way, by their own names. */
    private static final Set<String> ACTIVATIONS = Set.of("Relu", "Tanh", "Sigmoid", "Gelu", "FastGelu");

    @Override
    public String name() {
        return "gemm_fusion";
    }

    @Override
    public Graph apply(Graph graph, GraphIndex index) {
        return Fusion.apply(graph, index, GemmFusion::replace);
    }

    private static Optional<Replacement> replace(Node last, GraphIndex graph) {
        if (last.is("", "Add") && last.attributes().isEmpty()) {
            return biased(last, 0, graph).or(() -> biased(last, 1, graph));
        }
        return activated(last, graph);
    }

    /** @param bias which operand the bias is */
    private static Optional<Replacement> biased(Node last, int bias, GraphIndex graph) {
        String shift = last.inputs().get(bias);
        String product = last.inputs().get(1 - bias);
        return graph.plain(product, "MatMul")
                .filter(node -> graph.isReadOnce(product) && multipliesRows(node, graph))
                .filter(node -> graph.constant(shift).isPresent() && graph.isVector(shift, graph.width(product)))
                .map(node ->
                        fused(last, List.of(node.inputs().get(0), node.inputs().get(1), shift), Map.of()));
    }

    private static boolean multipliesRows(Node product, GraphIndex graph) {
        Optional<TensorData> matrix = graph.constant(product.inputs().get(1));
        return matrix.filter(weight -> weight.shape().length == 2).isPresent()
                && graph.isFloat(product.inputs().get(0))
                && graph.rank(product.inputs().get(0)) >= 2;
    }

    private static Optional<Replacement> activated(Node last, GraphIndex graph) {
        boolean activation = ACTIVATIONS.contains(last.opType())
                && (last.domain().isEmpty()
                        ? last.attributes().isEmpty()
                        : last.domain().equals(MICROSOFT))
                && last.inputs().size() == 1;
        return activation
                ? graph.producer(last.inputs().get(0))
                        .filter(node -> node.is(MICROSOFT, OPERATOR)
                                && !node.attributes().containsKey(ACTIVATION))
                        .filter(node -> graph.isReadOnce(last.inputs().get(0)))
                        .map(node -> fused(last, node.inputs(), Map.of(ACTIVATION, Attribute.of(last.opType()))))
                : Optional.empty();
    }

    private static Replacement fused(Node last, List<String> inputs, Map<String, Attribute> attributes) {
        return Replacement.of(new Node(last.name(), MICROSOFT, OPERATOR, inputs, last.outputs(), attributes));
    }
}
