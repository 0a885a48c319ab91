package io.kindling.engine.optimize;

import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Node;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Queries, keys or values of attention before their heads are turned first, or where something else stands before that, such as a
 * rotation, with their heads first.
 *
 * @param value {@code [batch, tokens, heads, size]}, or with heads first {@code [batch, heads, tokens, size]}, float32
 * @param scale what they are multiplied with on the way
 */
record HeadOperand(
        String value, boolean headsFirst, Dimension batch, Dimension tokens, long heads, long size, double scale) {
    private static final long[] UNTURNED = {0, 1, 2, 3};
    private static final long[] HEADS_FIRST = {0, 2, 1, 3};

    /**
     * What the value is made of.
     *
     * @param wanted order that axes with tokens first have in the value
     */
    static Optional<HeadOperand> of(String value, long[] wanted, GraphIndex graph) {
        String at = value;
        long[] order = UNTURNED;
        double scale = 1;
        while (!Arrays.equals(order, wanted)) {
            Optional<Node> node = graph.producer(at);
            Optional<long[]> turned = node.flatMap(TransposeFusion::order).filter(axes -> axes.length == wanted.length);
            Optional<Scaled> scaled = node.flatMap(n -> Scaled.of(n, graph));
            if (turned.isPresent()) {
                order = TransposeFusion.compose(turned.get(), order);
                at = node.get().inputs().get(0);
            } else if (scaled.isPresent()) {
                scale *= scaled.get().factor();
                at = scaled.get().value();
            } else {
                boolean headsFirst = Arrays.equals(TransposeFusion.compose(HEADS_FIRST, order), wanted);
                return headsFirst ? of(at, 1, scale, graph) : Optional.empty();
            }
        }
        return of(at, 2, scale, graph);
    }

    /** @param heads the axis of heads */
    private static Optional<HeadOperand> of(String value, int heads, double scale, GraphIndex graph) {
        return graph.shape(value)
                .filter(shape -> graph.isFloat(value) && shape.size() == UNTURNED.length)
                .filter(shape -> isPositive(shape.get(heads)) && isPositive(shape.get(3)))
                .map(shape -> new HeadOperand(
                        value,
                        heads == 1,
                        shape.get(0),
                        shape.get(3 - heads),
                        shape.get(heads).sizeOrMinusOne(),
                        shape.get(3).sizeOrMinusOne(),
                        scale));
    }

    /** Whether there are, for sure, as many tokens in both. */
    boolean isAsLongAs(HeadOperand other) {
        return tokens.equals(other.tokens) && !tokens.equals(Dimension.UNKNOWN);
    }

    private static boolean isPositive(Dimension size) {
        return size.sizeOrMinusOne() > 0;
    }

    /** A value times a constant number. */
    record Scaled(String value, double factor) {
        /** What a product or quotient with a constant of one element is; that adds no axis to a value of rank 4. */
        static Optional<Scaled> of(Node node, GraphIndex graph) {
            if (!node.attributes().isEmpty()) {
                return Optional.empty();
            }
            if (node.is("", "Mul")) {
                return of(node.inputs(), 0, 1, graph).or(() -> of(node.inputs(), 1, 0, graph));
            }
            return node.is("", "Div")
                    ? of(node.inputs(), 0, 1, graph).map(scaled -> new Scaled(scaled.value, 1 / scaled.factor))
                    : Optional.empty();
        }

        private static Optional<Scaled> of(List<String> inputs, int value, int number, GraphIndex graph) {
            String factor = inputs.get(number);
            return graph.number(factor).isPresent() && graph.rank(factor) <= UNTURNED.length
                    ? Optional.of(
                            new Scaled(inputs.get(value), graph.number(factor).getAsDouble()))
                    : Optional.empty();
        }
    }
}
