package io.kindling.engine.optimize;

import io.kindling.engine.ir.Node;
import java.util.Optional;
import java.util.OptionalDouble;

/** Constant bounds of a Clip, which are attributes until opset 11 and inputs since; infinite where there is none. */
record ClipBounds(float low, float high) {
    static Optional<ClipBounds> of(Node node, GraphIndex graph) {
        if (!node.is("", "Clip")) {
            return Optional.empty();
        }
        OptionalDouble low = bound(node, 1, "min", Float.NEGATIVE_INFINITY, graph);
        OptionalDouble high = bound(node, 2, "max", Float.POSITIVE_INFINITY, graph);
        return low.isPresent() && high.isPresent()
                ? Optional.of(new ClipBounds((float) low.getAsDouble(), (float) high.getAsDouble()))
                : Optional.empty();
    }

    private static OptionalDouble bound(Node node, int input, String attribute, float absent, GraphIndex graph) {
        boolean given =
                input < node.inputs().size() && !node.inputs().get(input).isEmpty();
        return given
                ? graph.number(node.inputs().get(input))
                : OptionalDouble.of(node.floatAttribute(attribute, absent));
    }
}
