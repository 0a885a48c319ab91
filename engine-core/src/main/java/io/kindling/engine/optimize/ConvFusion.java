package io.kindling.engine.optimize;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.Fusion.Replacement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A convolution, the value of its shape that is added to it and the activation that follows become {@code com.microsoft::FusedConv}, whose
 * activation may here be HardSwish or QuickGelu too. Float32 alone.
 */
final class ConvFusion implements IndexedPass {
    private static final String MICROSOFT = "com.microsoft";
    private static final String OPERATOR = "FusedConv";
    private static final String ACTIVATION = "activation";
    private static final int SUM = 3;

    /**
     * An activation by the name that the operator has for it.
     *
     * @param parameters in the order of the operator of that name
     */
    private record Activation(String name, float... parameters) {}

    @Override
    public String name() {
        return "conv_fusion";
    }

    @Override
    public Graph apply(Graph graph, GraphIndex index) {
        return Fusion.apply(graph, index, ConvFusion::replace);
    }

    private static Optional<Replacement> replace(Node last, GraphIndex graph) {
        if (last.is("", "Add") && last.attributes().isEmpty()) {
            return summed(last, 0, graph).or(() -> summed(last, 1, graph));
        }
        return activation(last, graph).flatMap(found -> open(last.inputs().get(0), graph)
                .map(node -> fused(node, node.inputs(), last, found)));
    }

    /** The convolution whose result is read by one node alone and has no activation yet. */
    private static Optional<Node> open(String value, GraphIndex graph) {
        return graph.producer(value)
                .filter(node -> node.is("", "Conv") || node.is(MICROSOFT, OPERATOR))
                .filter(node -> graph.isReadOnce(value)
                        && graph.isFloat(node.inputs().get(0))
                        && !node.attributes().containsKey(ACTIVATION));
    }

    private static Optional<Activation> activation(Node node, GraphIndex graph) {
        return Optional.ofNullable(
                switch (node.operator()) {
                    case "Relu", "Tanh", "Sigmoid", "HardSwish" -> new Activation(node.opType());
                    case "LeakyRelu" -> new Activation(node.opType(), node.floatAttribute("alpha", 0.01f));
                    case "HardSigmoid" ->
                        new Activation(
                                node.opType(), node.floatAttribute("alpha", 0.2f), node.floatAttribute("beta", 0.5f));
                    case "com.microsoft::QuickGelu" ->
                        new Activation(node.opType(), node.floatAttribute("alpha", 1.702f));
                    case "Clip" ->
                        ClipBounds.of(node, graph)
                                .map(bounds -> new Activation(node.opType(), bounds.low(), bounds.high()))
                                .orElse(null);
                    default -> null;
                });
    }

    /** @param convolution which operand it is */
    private static Optional<Replacement> summed(Node add, int convolution, GraphIndex graph) {
        String value = add.inputs().get(convolution);
        String sum = add.inputs().get(1 - convolution);
        Optional<List<Dimension>> shape = graph.shape(value);
        return open(value, graph)
                .filter(node -> node.inputs().size() <= SUM)
                .filter(node -> shape.isPresent() && shape.equals(graph.shape(sum)) && graph.isFloat(sum))
                .map(node -> {
                    List<String> inputs = new ArrayList<>(node.inputs());
                    while (inputs.size() < SUM) {
                        inputs.add("");
                    }
                    inputs.add(sum);
                    return fused(node, inputs, add, null);
                });
    }

    /** @param activation null for none */
    private static Replacement fused(Node convolution, List<String> inputs, Node last, Activation activation) {
        Map<String, Attribute> attributes = new HashMap<>(convolution.attributes());
        if (activation != null) {
            attributes.put(ACTIVATION, Attribute.of(activation.name));
            if (activation.parameters.length > 0) {
                attributes.put("activation_params", new Attribute.FloatsValue(activation.parameters));
            }
        }
        return Replacement.of(new Node(convolution.name(), MICROSOFT, OPERATOR, inputs, last.outputs(), attributes));
    }
}
