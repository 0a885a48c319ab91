package io.kindling.engine.cpu.simd;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Node;
import java.util.Optional;

/**
 * An activation that C computes, alone or on the way.
 *
 * @param alpha first parameter, named as in the operator; {@code beta} alike
 */
record Activation(Kind kind, float alpha, float beta) {
    /** In the order of {@code activation.h}. */
    enum Kind {
        NONE,
        RELU,
        TANH,
        SIGMOID,
        LEAKY_RELU,
        CLIP,
        HARD_SIGMOID,
        HARD_SWISH,
        QUICK_GELU
    }

    /** What the attribute {@code activation} of {@code FusedConv} names, with {@code activation_params}; empty where C has none. */
    static Optional<Activation> named(Node node) {
        Attribute given = node.attribute("activation_params").orElse(null);
        float[] parameters = given instanceof Attribute.FloatsValue several
                ? several.values()
                : given instanceof Attribute.FloatValue one ? new float[] {one.value()} : new float[0];
        return of(
                node.stringAttribute("activation", ""),
                parameters.length > 0 ? Optional.of(parameters[0]) : Optional.empty(),
                parameters.length > 1 ? Optional.of(parameters[1]) : Optional.empty());
    }

    /** What a node computes that is an activation itself; bounds of {@code Clip} only where attributes give them. */
    static Optional<Activation> of(Node node) {
        boolean clips = node.opType().equals("Clip");
        return of(node.opType(), parameter(node, clips ? "min" : "alpha"), parameter(node, clips ? "max" : "beta"));
    }

    private static Optional<Float> parameter(Node node, String name) {
        return node.attribute(name).map(given -> node.floatAttribute(name, 0));
    }

    /** Parameters that are absent are those of the operator of that name. */
    private static Optional<Activation> of(String name, Optional<Float> alpha, Optional<Float> beta) {
        return Optional.ofNullable(
                switch (name) {
                    case "" -> new Activation(Kind.NONE, 0, 0);
                    case "Relu" -> new Activation(Kind.RELU, 0, 0);
                    case "Tanh" -> new Activation(Kind.TANH, 0, 0);
                    case "Sigmoid" -> new Activation(Kind.SIGMOID, 0, 0);
                    case "LeakyRelu" -> new Activation(Kind.LEAKY_RELU, alpha.orElse(0.01f), 0);
                    case "Clip" ->
                        new Activation(
                                Kind.CLIP, alpha.orElse(Float.NEGATIVE_INFINITY), beta.orElse(Float.POSITIVE_INFINITY));
                    case "HardSigmoid" -> new Activation(Kind.HARD_SIGMOID, alpha.orElse(0.2f), beta.orElse(0.5f));
                    case "HardSwish" -> new Activation(Kind.HARD_SWISH, 0, 0);
                    case "QuickGelu" -> new Activation(Kind.QUICK_GELU, alpha.orElse(1.702f), 0);
                    default -> null;
                });
    }
}
