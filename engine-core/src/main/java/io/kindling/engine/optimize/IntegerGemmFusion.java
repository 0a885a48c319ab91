package io.kindling.engine.optimize;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.optimize.Fusion.Replacement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code MatMulInteger} with a constant matrix, cast to float32, times the scales of its operands becomes {@code
 * com.microsoft::MatMulIntegerToFloat}, which takes in the vector that is added next. The form that dynamic quantisation gives every
 * product; results keep their bits.
 */
final class IntegerGemmFusion implements IndexedPass {
    private static final String MICROSOFT = "com.microsoft";
    private static final String OPERATOR = "MatMulIntegerToFloat";

    /** Inputs without a bias, which is the last: A, B, their scales and their zero points. */
    private static final int BIAS = 6;

    @Override
    public String name() {
        return "integer_gemm_fusion";
    }

    @Override
    public Graph apply(Graph graph, GraphIndex index) {
        return Fusion.apply(graph, index, IntegerGemmFusion::replace);
    }

    private static Optional<Replacement> replace(Node last, GraphIndex graph) {
        if (last.attributes().isEmpty() && last.is("", "Mul")) {
            return scaled(last, 0, graph).or(() -> scaled(last, 1, graph));
        }
        return last.attributes().isEmpty() && last.is("", "Add")
                ? biased(last, 0, graph).or(() -> biased(last, 1, graph))
                : Optional.empty();
    }

    /** @param scales which operand is the product of the scales */
    private static Optional<Replacement> scaled(Node last, int scales, GraphIndex graph) {
        String sums = last.inputs().get(1 - scales);
        Optional<Node> product = graph.producer(sums, "Cast")
                .filter(cast -> graph.isReadOnce(sums) && cast.intAttribute("to", 0) == DataType.FLOAT.code())
                .map(cast -> cast.inputs().get(0))
                .filter(graph::isReadOnce)
                .flatMap(integers -> graph.producer(integers, "MatMulInteger"))
                .filter(node -> multipliesRows(node, graph));
        Optional<Node> factors = graph.plain(last.inputs().get(scales), "Mul");
        return product.flatMap(node -> factors.flatMap(
                pair -> scaled(last, node, pair, 0, graph).or(() -> scaled(last, node, pair, 1, graph))));
    }

    /** @param ofRows which factor is the scale of A */
    private static Optional<Replacement> scaled(Node last, Node product, Node factors, int ofRows, GraphIndex graph) {
        String scaleA = factors.inputs().get(ofRows);
        String scaleB = factors.inputs().get(1 - ofRows);
        boolean fits = graph.isFloat(scaleA)
                && graph.rank(scaleA) == 0
                && graph.constant(scaleB).isPresent()
                && (graph.isFloat(scaleB) && graph.rank(scaleB) == 0
                        || graph.isVector(scaleB, 1)
                        || graph.isVector(scaleB, graph.width(product.inputs().get(1))));
        if (!fits) {
            return Optional.empty();
        }
        List<String> inputs = new ArrayList<>(product.inputs());
        inputs.addAll(2, List.of(scaleA, scaleB));
        return Optional.of(fused(last, inputs));
    }

    private static boolean multipliesRows(Node product, GraphIndex graph) {
        Optional<TensorData> matrix = graph.constant(product.inputs().get(1));
        return matrix.filter(weight -> weight.shape().length == 2).isPresent()
                && graph.rank(product.inputs().get(0)) >= 2;
    }

    /** @param bias which operand the bias is */
    private static Optional<Replacement> biased(Node last, int bias, GraphIndex graph) {
        String shift = last.inputs().get(bias);
        String product = last.inputs().get(1 - bias);
        return graph.producer(product)
                .filter(node -> node.is(MICROSOFT, OPERATOR) && node.inputs().size() <= BIAS)
                .filter(node ->
                        graph.isReadOnce(product) && graph.constant(shift).isPresent())
                .filter(node -> graph.isVector(shift, graph.width(node.inputs().get(1))))
                .map(node -> {
                    List<String> inputs = new ArrayList<>(node.inputs());
                    while (inputs.size() < BIAS) {
                        inputs.add("");
                    }
                    inputs.add(shift);
                    return fused(last, inputs);
                });
    }

    private static Replacement fused(Node last, List<String> inputs) {
        return Replacement.of(new Node(last.name(), MICROSOFT, OPERATOR, inputs, last.outputs(), Map.of()));
    }
}
