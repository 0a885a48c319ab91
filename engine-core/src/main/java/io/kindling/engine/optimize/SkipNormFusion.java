package io.kindling.engine.optimize;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.Fusion.Replacement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The normalisation of a sum that nobody else reads adds on the way: {@code LayerNormalization} becomes {@code
 * com.microsoft::SkipLayerNormalization}, {@code SimplifiedLayerNormalization} its counterpart. Float32 alone, and terms of one shape.
 */
final class SkipNormFusion implements IndexedPass {
    private static final Map<String, String> OPERATORS = Map.of(
            "LayerNormalization", "SkipLayerNormalization",
            "SimplifiedLayerNormalization", "SkipSimplifiedLayerNormalization");

    @Override
    public String name() {
        return "skip_norm_fusion";
    }

    @Override
    public Graph apply(Graph graph, GraphIndex index) {
        return Fusion.apply(graph, index, SkipNormFusion::replace);
    }

    private static Optional<Replacement> replace(Node last, GraphIndex graph) {
        boolean normalises = last.domain().isEmpty()
                && OPERATORS.containsKey(last.opType())
                && last.outputs().size() == 1
                && last.inputs().size() > 1
                && isAlongLastAxis(last, graph);
        return normalises
                ? graph.plain(last.inputs().get(0), "Add")
                        .filter(add -> graph.isReadOnce(last.inputs().get(0)) && addsLike(add, graph))
                        .map(add -> Replacement.of(fused(last, add)))
                : Optional.empty();
    }

    private static boolean isAlongLastAxis(Node norm, GraphIndex graph) {
        String x = norm.inputs().get(0);
        long axis = norm.intAttribute("axis", -1);
        long width = graph.width(x);
        return width > 0
                && (axis == -1 || axis == graph.rank(x) - 1)
                && norm.inputs().stream().skip(1).allMatch(vector -> graph.isVector(vector, width));
    }

    private static boolean addsLike(Node add, GraphIndex graph) {
        Optional<List<Dimension>> shape = graph.shape(add.inputs().get(0));
        // The operators take rows of two or three axes.
        return shape.filter(sizes -> sizes.size() == 2 || sizes.size() == 3).isPresent()
                && shape.equals(graph.shape(add.inputs().get(1)))
                && add.inputs().stream().allMatch(graph::isFloat);
    }

    private static Node fused(Node norm, Node add) {
        List<String> inputs = new ArrayList<>(add.inputs());
        inputs.addAll(norm.inputs().subList(1, norm.inputs().size()));
        Map<String, Attribute> epsilon = Map.of("epsilon", Attribute.of(norm.floatAttribute("epsilon", 1e-5f)));
        return new Node(norm.name(), "com.microsoft", OPERATORS.get(norm.opType()), inputs, norm.outputs(), epsilon);
    }
}
