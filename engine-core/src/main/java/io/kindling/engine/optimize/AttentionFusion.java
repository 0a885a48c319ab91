package io.kindling.engine.optimize;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.optimize.AttentionScores.Bias;
import io.kindling.engine.optimize.AttentionScores.Fill;
import io.kindling.engine.optimize.Fusion.Replacement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Attention written out, {@code softmax(scale · Q Kᵀ + bias) V} with heads turned first before and back after, becomes {@code
 * com.microsoft::MultiHeadAttention}. Queries, keys and values come from {@code [batch, tokens, heads, size]}, or have their heads
 * first already, being rotated so. Keys that a cache was joined to, or that leave the graph for one, are left to those who know
 * caches. Float32 alone.
 */
final class AttentionFusion implements IndexedPass {
    private static final long[] HEADS_FIRST = {0, 2, 1, 3};
    private static final long[] KEYS_TURNED = {0, 2, 3, 1};

    @Override
    public String name() {
        return "attention_fusion";
    }

    @Override
    public Graph apply(Graph graph, GraphIndex index) {
        return Fusion.apply(graph, index, AttentionFusion::replace);
    }

    private static Optional<Replacement> replace(Node last, GraphIndex graph) {
        return TransposeFusion.order(last)
                .filter(order -> Arrays.equals(order, HEADS_FIRST)
                        && graph.isReadOnce(last.inputs().get(0)))
                .flatMap(order -> graph.plain(last.inputs().get(0), "MatMul"))
                .flatMap(product -> attention(last, product, graph));
    }

    private static Optional<Replacement> attention(Node last, Node product, GraphIndex graph) {
        List<String> operands = product.inputs();
        Optional<HeadOperand> values =
                HeadOperand.of(operands.get(1), HEADS_FIRST, graph).filter(v -> v.scale() == 1);
        return AttentionWeights.of(operands.get(0), graph)
                .filter(weights -> values.isPresent())
                .flatMap(
                        weights -> AttentionScores.of(weights.softmax().inputs().get(0), graph)
                                .filter(scores -> !weights.guarded() || scores.hasKeysForAll(graph)))
                .flatMap(scores -> attention(last, scores, values.get(), operands.get(1), graph));
    }

    /** @param turned the values with heads first */
    private static Optional<Replacement> attention(
            Node last, AttentionScores scores, HeadOperand v, String turned, GraphIndex graph) {
        List<String> factors = scores.product().inputs();
        Optional<HeadOperand> query =
                HeadOperand.of(factors.get(0), HEADS_FIRST, graph).filter(q -> agrees(q, v));
        Optional<HeadOperand> key =
                HeadOperand.of(factors.get(1), KEYS_TURNED, graph).filter(k -> agrees(k, v));
        return query.flatMap(q -> key.filter(k -> q.scale() * k.scale() * scores.scale() > 0)
                .filter(k -> isNoCache(k, q, graph) && isNoCache(v, q, graph))
                .map(k -> new Builder(last, graph).attention(q, k, v, turned, scores)));
    }

    /** What is joined to a cache is longer than queries, and goes back to it. */
    private static boolean isNoCache(HeadOperand operand, HeadOperand query, GraphIndex graph) {
        return !operand.headsFirst() || operand.isAsLongAs(query) && !graph.isOutput(operand.value());
    }

    private static boolean agrees(HeadOperand operand, HeadOperand values) {
        return operand.batch().equals(values.batch())
                && operand.heads() == values.heads()
                && operand.size() == values.size();
    }

    /** Collects the nodes that stand for one stretch. */
    private static final class Builder {
        private final Node last;
        private final GraphIndex graph;
        private final List<Node> nodes = new ArrayList<>();
        private final Map<String, TensorData> constants = new HashMap<>();

        private Builder(Node last, GraphIndex graph) {
            this.last = last;
            this.graph = graph;
        }

        private Replacement attention(
                HeadOperand query, HeadOperand key, HeadOperand values, String turned, AttentionScores scores) {
            List<String> inputs = new ArrayList<>(List.of(flat(query)));
            // The operator takes both with heads first, or neither.
            inputs.addAll(key.headsFirst() ? List.of(key.value(), turned) : List.of(flat(key), flat(values)));
            if (!scores.biases().isEmpty()) {
                inputs.addAll(List.of("", "", bias(scores.biases())));
            }
            double scale = scores.scale() * query.scale() * key.scale();
            String attended = node(
                    "com.microsoft",
                    "MultiHeadAttention",
                    inputs,
                    name("attended"),
                    Map.of("num_heads", Attribute.of(values.heads()), "scale", Attribute.of((float) scale)));
            reshape(attended, last.outputs().get(0), 0, 0, values.heads(), values.size());
            return new Replacement(nodes, constants);
        }

        private String flat(HeadOperand operand) {
            String tokensFirst = operand.headsFirst()
                    ? node(
                            "",
                            "Transpose",
                            List.of(operand.value()),
                            name("tokens"),
                            Map.of("perm", Attribute.of(HEADS_FIRST)))
                    : operand.value();
            return reshape(tokensFirst, name("flat"), 0, 0, operand.heads() * operand.size());
        }

        private String bias(List<Bias> biases) {
            String sum = term(biases.get(0));
            for (Bias bias : biases.subList(1, biases.size())) {
                sum = node("", "Add", List.of(sum, term(bias)), name("bias"), Map.of());
            }
            return sum;
        }

        /** The bias as something to add. */
        private String term(Bias bias) {
            if (bias.fill().isEmpty()) {
                return bias.value();
            }
            Fill fill = bias.fill().get();
            String zero = name("zero");
            constants.put(zero, TensorData.ofFloats(new long[0], 0));
            List<String> choices = fill.where() ? List.of(fill.number(), zero) : List.of(zero, fill.number());
            return node("", "Where", List.of(bias.value(), choices.get(0), choices.get(1)), name("mask"), Map.of());
        }

        private String reshape(String value, String output, long... shape) {
            String target = name("shape");
            constants.put(target, TensorData.ofLongs(new long[] {shape.length}, shape));
            return node("", "Reshape", List.of(value, target), output, Map.of());
        }

        private String node(
                String domain, String opType, List<String> inputs, String output, Map<String, Attribute> attributes) {
            nodes.add(new Node(output, domain, opType, inputs, List.of(output), attributes));
            return output;
        }

        private String name(String what) {
            return graph.fresh(last.outputs().get(0) + "/" + what);
        }
    }
}
