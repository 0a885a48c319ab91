package io.kindling.engine.optimize;

import io.kindling.engine.ir.Node;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A product of powers of values, and a number, as the nodes compute it in whatever order: {@code coefficient · Π value^exponent}.
 * Nodes whose results others read too are not looked into.
 */
record Monomial(double coefficient, Map<String, Double> exponents) {
    /** Constants that stand for one number differ by so much, relatively: exporters round them to float32. */
    private static final double ROUNDING = 3e-7;

    /** Nodes that are looked into; a file may chain any number of products. */
    private static final int MOST_NODES = 32;

    /** The product that the value is, whoever else reads it. */
    static Monomial ofResult(Node node, GraphIndex graph) {
        Factors factors = new Factors(graph);
        factors.multiplyNode(node, node.outputs().get(0), 1);
        return factors.product();
    }

    static Monomial of(String value, GraphIndex graph) {
        Factors factors = new Factors(graph);
        factors.multiply(value, 1);
        return factors.product();
    }

    static boolean equal(double number, double expected) {
        return Math.abs(number - expected) <= ROUNDING * Math.abs(expected);
    }

    boolean hasCoefficient(double expected) {
        return equal(coefficient, expected);
    }

    /** Whether it is a number times this power of the value. */
    boolean isPower(String value, double exponent) {
        return exponents.equals(Map.of(value, exponent));
    }

    /** The one value that has the exponent. */
    Optional<String> only(double exponent) {
        var found = exponents.entrySet().stream()
                .filter(entry -> entry.getValue() == exponent)
                .map(Map.Entry::getKey)
                .toList();
        return found.size() == 1 ? Optional.of(found.get(0)) : Optional.empty();
    }

    Monomial times(String value) {
        Map<String, Double> product = new HashMap<>(exponents);
        product.merge(value, 1.0, Double::sum);
        return new Monomial(coefficient, Map.copyOf(product));
    }

    private static final class Factors {
        private final GraphIndex graph;
        private final Map<String, Double> exponents = new HashMap<>();
        private double coefficient = 1;
        private int nodes;

        private Factors(GraphIndex graph) {
            this.graph = graph;
        }

        private Monomial product() {
            exponents.values().removeIf(exponent -> exponent == 0);
            return new Monomial(coefficient, Map.copyOf(exponents));
        }

        private void multiply(String value, double exponent) {
            OptionalDouble number = graph.number(value);
            Optional<Node> producer =
                    graph.producer(value).filter(node -> nodes < MOST_NODES && graph.isReadOnce(value));
            if (number.isPresent()) {
                coefficient *= Math.pow(number.getAsDouble(), exponent);
            } else if (producer.isPresent()) {
                multiplyNode(producer.get(), value, exponent);
            } else {
                exponents.merge(value, exponent, Double::sum);
            }
        }

        private void multiplyNode(Node node, String value, double exponent) {
            nodes++;
            String operator = node.attributes().isEmpty() ? node.operator() : "";
            switch (operator) {
                case "Mul" -> node.inputs().forEach(input -> multiply(input, exponent));
                case "Div" -> {
                    multiply(node.inputs().get(0), exponent);
                    multiply(node.inputs().get(1), -exponent);
                }
                case "Reciprocal" -> multiply(node.inputs().get(0), -exponent);
                case "Neg" -> {
                    coefficient *= Math.pow(-1, exponent);
                    multiply(node.inputs().get(0), exponent);
                }
                // What stands under a root is not looked into: the root of a square is no power.
                case "Sqrt" -> exponents.merge(node.inputs().get(0), exponent / 2, Double::sum);
                case "Pow" -> power(node, value, exponent);
                default -> exponents.merge(value, exponent, Double::sum);
            }
        }

        private void power(Node node, String value, double exponent) {
            OptionalDouble power = graph.number(node.inputs().get(1));
            if (power.isEmpty()) {
                exponents.merge(value, exponent, Double::sum);
            } else if (power.getAsDouble() == Math.rint(power.getAsDouble())) {
                multiply(node.inputs().get(0), exponent * power.getAsDouble());
            } else {
                exponents.merge(node.inputs().get(0), exponent * power.getAsDouble(), Double::sum);
            }
        }
    }
}
