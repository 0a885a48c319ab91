package io.kindling.engine.optimize;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.HeadOperand.Scaled;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Scores of attention: {@code scale · product + biases}.
 *
 * @param product the MatMul of queries and keys
 */
record AttentionScores(Node product, double scale, List<Bias> biases) {
    private static final int RANK = 4;

    /** Steps between a product and what its scores become; a file may chain any number. */
    private static final int MOST_STEPS = 16;

    /** What swallows any score that it is added to, and replaces it so. */
    private static final double SWALLOWS = -1e20;

    /**
     * Something that is added, of rank 4.
     *
     * @param value what is added, or where {@code fill} is present the condition by which it is
     */
    record Bias(String value, Optional<Fill> fill) {
        /** Whether it is nowhere infinite. */
        private boolean isFinite(GraphIndex graph) {
            return fill.map(number -> isFinite(number.number(), graph)).orElseGet(() -> graph.plain(value, "Where")
                    .filter(where -> isFinite(where.inputs().get(1), graph)
                            && isFinite(where.inputs().get(2), graph))
                    .isPresent());
        }

        private static boolean isFinite(String number, GraphIndex graph) {
            return Double.isFinite(graph.number(number).orElse(Double.NaN));
        }
    }

    /**
     * A number that replaces scores.
     *
     * @param where the condition's value by which it does
     */
    record Fill(String number, boolean where) {}

    /** What the value is, where its nodes make it for nobody else. */
    static Optional<AttentionScores> of(String value, GraphIndex graph) {
        return of(value, MOST_STEPS, graph);
    }

    private static Optional<AttentionScores> of(String value, int steps, GraphIndex graph) {
        Optional<Node> producer = graph.producer(value)
                .filter(node ->
                        steps > 0 && graph.isReadOnce(value) && node.domain().isEmpty());
        if (producer.isEmpty() || !producer.get().attributes().isEmpty()) {
            return Optional.empty();
        }
        Node node = producer.get();
        return switch (node.opType()) {
            case "MatMul" -> Optional.of(new AttentionScores(node, 1, List.of()));
            case "Mul", "Div" ->
                Scaled.of(node, graph).flatMap(scaled -> of(scaled.value(), steps - 1, graph)
                        .filter(scores -> scores.biases.isEmpty())
                        .map(scores -> new AttentionScores(scores.product, scores.scale * scaled.factor(), List.of())));
            case "Add" -> added(node, 0, steps, graph).or(() -> added(node, 1, steps, graph));
            case "Where" -> filled(node, 1, steps, graph).or(() -> filled(node, 2, steps, graph));
            default -> Optional.empty();
        };
    }

    /** @param bias which operand the bias is */
    private static Optional<AttentionScores> added(Node add, int bias, int steps, GraphIndex graph) {
        String value = add.inputs().get(bias);
        return graph.isFloat(value) && graph.rank(value) == RANK
                ? of(add.inputs().get(1 - bias), steps - 1, graph)
                        .map(scores -> scores.plus(new Bias(value, Optional.empty())))
                : Optional.empty();
    }

    /** @param fill which operand replaces scores */
    private static Optional<AttentionScores> filled(Node where, int fill, int steps, GraphIndex graph) {
        String condition = where.inputs().get(0);
        String number = where.inputs().get(fill);
        boolean fits = graph.type(condition).equals(Optional.of(DataType.BOOL))
                && graph.rank(condition) == RANK
                && graph.isFloat(number)
                && graph.number(number).orElse(0) <= SWALLOWS;
        return fits
                ? of(where.inputs().get(3 - fill), steps - 1, graph)
                        .map(scores -> scores.plus(new Bias(condition, Optional.of(new Fill(number, fill == 1)))))
                : Optional.empty();
    }

    /** Whether each query surely has a score that is a number, as long as queries and keys are numbers. */
    boolean hasKeysForAll(GraphIndex graph) {
        return biases.isEmpty() || biases.size() == 1 && biases.get(0).isFinite(graph);
    }

    private AttentionScores plus(Bias bias) {
        List<Bias> all = new ArrayList<>(biases);
        all.add(bias);
        return new AttentionScores(product, scale, List.copyOf(all));
    }
}
