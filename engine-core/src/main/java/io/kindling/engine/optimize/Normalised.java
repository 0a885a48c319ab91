package io.kindling.engine.optimize;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.optimize.Fusion.Replacement;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A float32 value divided by the root of its mean square along its last axis: {@code value · weight / √(mean(value²) + epsilon)}.
 *
 * @param weight a vector, or empty for none
 */
record Normalised(String value, Optional<String> weight, float epsilon) {
    /**
     * The variance of something: {@code mean(value²) + epsilon} along the last axis.
     *
     * @param value of which it is the mean square
     */
    record Variance(String value, float epsilon) {
        static Optional<Variance> of(String sum, GraphIndex graph) {
            return graph.plain(sum, "Add").filter(add -> graph.isReadOnce(sum)).flatMap(add -> of(
                            add.inputs().get(0), add.inputs().get(1), graph)
                    .or(() -> of(add.inputs().get(1), add.inputs().get(0), graph)));
        }

        private static Optional<Variance> of(String mean, String epsilon, GraphIndex graph) {
            double number = graph.number(epsilon).orElse(-1);
            return graph.producer(mean, "ReduceMean")
                    .filter(reduction -> number >= 0 && graph.isReadOnce(mean) && graph.reducesLastAxis(reduction))
                    .map(reduction -> Monomial.of(reduction.inputs().get(0), graph))
                    .filter(square ->
                            square.hasCoefficient(1) && square.exponents().size() == 1)
                    .flatMap(square -> square.only(2))
                    .map(value -> new Variance(value, (float) number));
        }
    }

    /** What the product is, if it is such a value. */
    static Optional<Normalised> of(Monomial product, GraphIndex graph) {
        Map<String, Double> exponents = product.exponents();
        return product.only(-0.5)
                .flatMap(deviation -> Variance.of(deviation, graph))
                .filter(variance -> product.hasCoefficient(1)
                        && graph.isFloat(variance.value)
                        && graph.width(variance.value) > 0
                        && exponents.getOrDefault(variance.value, 0.0) == 1)
                .flatMap(variance -> {
                    List<String> others = exponents.keySet().stream()
                            .filter(factor -> exponents.get(factor) != -0.5 && !factor.equals(variance.value))
                            .toList();
                    boolean weighted = others.size() == 1
                            && exponents.get(others.get(0)) == 1
                            && graph.isVector(others.get(0), graph.width(variance.value));
                    return others.isEmpty() || weighted
                            ? Optional.of(new Normalised(
                                    variance.value, others.stream().findFirst(), variance.epsilon))
                            : Optional.empty();
                });
    }

    /** What the value is less its mean along the last axis, if it is that of anything. */
    static Optional<String> centred(String value, GraphIndex graph) {
        return graph.plain(value, "Sub")
                .filter(sub -> isMean(sub.inputs().get(1), sub.inputs().get(0), graph))
                .map(sub -> sub.inputs().get(0));
    }

    /** Whether {@code mean} is that of {@code x} along the last axis. */
    static boolean isMean(String mean, String x, GraphIndex graph) {
        return graph.producer(mean, "ReduceMean")
                .filter(reduction -> reduction.inputs().get(0).equals(x) && graph.reducesLastAxis(reduction))
                .isPresent();
    }

    /**
     * An operator in place of the last node of a stretch.
     *
     * @param bias a vector, or empty for none
     */
    Replacement by(String opType, String x, Optional<String> bias, Node last, GraphIndex graph) {
        Map<String, TensorData> constants = new HashMap<>();
        String scale = weight.orElseGet(() -> {
            String ones = graph.fresh(last.outputs().get(0) + "/ones");
            float[] values = new float[Math.toIntExact(graph.width(x))];
            Arrays.fill(values, 1);
            constants.put(ones, TensorData.ofFloats(new long[] {values.length}, values));
            return ones;
        });
        List<String> inputs = bias.map(b -> List.of(x, scale, b)).orElse(List.of(x, scale));
        Map<String, Attribute> attributes = Map.of("axis", Attribute.of(-1L), "epsilon", Attribute.of(epsilon));
        Node operator = new Node(last.name(), "", opType, inputs, last.outputs(), attributes);
        return new Replacement(List.of(operator), constants);
    }
}
