package io.kindling.engine.cpu;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Node;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;

/** The activations that recurrent and fused operators name in attributes. */
final class ActivationFunctions {
    private ActivationFunctions() {}

    /**
     * The function of a name; empty where there is none.
     *
     * @param alphas parameters for those functions that have a first one, taken in turn; when used up, the defaults of the
     *     operator of that name hold
     * @param betas the same for second ones
     */
    static Optional<DoubleUnaryOperator> of(String name, Iterator<Float> alphas, Iterator<Float> betas) {
        return Optional.ofNullable(
                switch (name) {
                    case "Relu" -> x -> Math.max(x, 0);
                    case "Sigmoid" -> UnaryKernels::sigmoid;
                    case "Tanh" -> Math::tanh;
                    case "Softplus" -> UnaryKernels::softplus;
                    case "Softsign" -> x -> x / (1 + Math.abs(x));
                    case "LeakyRelu" -> leaky(next(alphas, 0.01f));
                    case "ThresholdedRelu" -> thresholded(next(alphas, 1));
                    case "Elu" -> elu(next(alphas, 1));
                    case "HardSigmoid" -> hardSigmoid(next(alphas, 0.2f), next(betas, 0.5f));
                    case "Affine" -> affine(next(alphas, 1), next(betas, 0));
                    case "ScaledTanh" -> scaledTanh(next(alphas, 1), next(betas, 1));
                    case "Clip" -> clip(next(alphas, Double.NEGATIVE_INFINITY), next(betas, Double.POSITIVE_INFINITY));
                    default -> null;
                });
    }

    /** What the attribute {@code activation} of a fused operator names, which may be more than others name; empty where there is none. */
    static Optional<DoubleUnaryOperator> fused(Node node, Iterator<Float> alphas, Iterator<Float> betas) {
        String name = node.stringAttribute("activation", "");
        if (name.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(fused(name, alphas)
                .or(() -> of(name, alphas, betas))
                .orElseThrow(() -> Unsupported.of(node, "activation " + name + " is not supported")));
    }

    /** What only fused operators name, by the operators of these names. */
    private static Optional<DoubleUnaryOperator> fused(String name, Iterator<Float> alphas) {
        return Optional.ofNullable(
                switch (name) {
                    case "HardSwish" -> UnaryKernels::hardSwish;
                    case "QuickGelu" -> quickGelu(next(alphas, 1.702f));
                    case "Gelu" -> UnaryKernels::gelu;
                    case "FastGelu" -> UnaryKernels::tanhGelu;
                    default -> null;
                });
    }

    /** The values of an attribute that holds one number or several; nothing where it is absent. */
    static Iterator<Float> parameters(Node node, String name) {
        Attribute attribute = node.attribute(name).orElse(null);
        List<Float> values = new ArrayList<>();
        if (attribute instanceof Attribute.FloatValue one) {
            values.add(one.value());
        } else if (attribute instanceof Attribute.FloatsValue several) {
            for (float value : several.values()) {
                values.add(value);
            }
        }
        return values.iterator();
    }

    private static double next(Iterator<Float> values, double absent) {
        return values.hasNext() ? values.next() : absent;
    }

    private static DoubleUnaryOperator quickGelu(double alpha) {
        return x -> x * UnaryKernels.sigmoid(alpha * x);
    }

    private static DoubleUnaryOperator leaky(double alpha) {
        return x -> x < 0 ? alpha * x : x;
    }

    private static DoubleUnaryOperator thresholded(double alpha) {
        return x -> x > alpha ? x : 0;
    }

    private static DoubleUnaryOperator elu(double alpha) {
        return x -> x < 0 ? alpha * Math.expm1(x) : x;
    }

    private static DoubleUnaryOperator hardSigmoid(double alpha, double beta) {
        return x -> Math.max(0, Math.min(1, alpha * x + beta));
    }

    private static DoubleUnaryOperator affine(double alpha, double beta) {
        return x -> alpha * x + beta;
    }

    private static DoubleUnaryOperator scaledTanh(double alpha, double beta) {
        return x -> alpha * Math.tanh(beta * x);
    }

    private static DoubleUnaryOperator clip(double low, double high) {
        return x -> Math.max(low, Math.min(high, x));
    }
}
