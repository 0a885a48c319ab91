package io.kindling.engine.optimize;

import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import java.util.Arrays;
import java.util.Optional;

/**
 * {@code value · factor + shift} with one constant factor and shift for each channel of {@code [batch, channels, …]}.
 *
 * @param factor of each channel; {@code shift} alike
 */
record ChannelAffine(double[] factor, double[] shift) {
    static ChannelAffine identity(int channels) {
        double[] ones = new double[channels];
        Arrays.fill(ones, 1);
        return new ChannelAffine(ones, new double[channels]);
    }

    /** This, and the next one after it. */
    ChannelAffine then(ChannelAffine next) {
        double[] product = factor.clone();
        double[] sum = next.shift.clone();
        for (int c = 0; c < product.length; c++) {
            product[c] *= next.factor[c];
            sum[c] += shift[c] * next.factor[c];
        }
        return new ChannelAffine(product, sum);
    }

    boolean isFinite() {
        return Arrays.stream(factor).allMatch(Double::isFinite)
                && Arrays.stream(shift).allMatch(Double::isFinite);
    }

    /**
     * What the node makes of its input.
     *
     * @param rank of the input
     */
    static Optional<ChannelAffine> of(Node node, String input, int channels, int rank, GraphIndex graph) {
        return switch (node.operator()) {
            case "BatchNormalization" ->
                node.inputs().get(0).equals(input) ? normalization(node, channels, graph) : Optional.empty();
            case "Mul" ->
                other(node, input, channels, rank, graph).map(c -> new ChannelAffine(c, new double[channels]));
            case "Add" -> other(node, input, channels, rank, graph).map(identity(channels)::shifted);
            case "Div" -> second(node, input, channels, rank, graph).map(c -> map(c, -1));
            case "Sub" ->
                second(node, input, channels, rank, graph)
                        .map(c -> identity(channels).shifted(negated(c)));
            default -> Optional.empty();
        };
    }

    private ChannelAffine shifted(double[] by) {
        return new ChannelAffine(factor, by);
    }

    private static double[] negated(double[] values) {
        return Arrays.stream(values).map(value -> -value).toArray();
    }

    private static ChannelAffine map(double[] values, double exponent) {
        return new ChannelAffine(
                Arrays.stream(values).map(value -> Math.pow(value, exponent)).toArray(), new double[values.length]);
    }

    private static Optional<double[]> other(Node node, String input, int channels, int rank, GraphIndex graph) {
        return GraphIndex.other(node, input)
                .filter(constant -> node.attributes().isEmpty())
                .flatMap(constant -> perChannel(constant, channels, rank, graph));
    }

    private static Optional<double[]> second(Node node, String input, int channels, int rank, GraphIndex graph) {
        return node.inputs().get(0).equals(input) ? other(node, input, channels, rank, graph) : Optional.empty();
    }

    /** The constant's number for each channel, where it broadcasts along the channels alone and adds no axis. */
    private static Optional<double[]> perChannel(String constant, int channels, int rank, GraphIndex graph) {
        Optional<TensorData> data = graph.constant(constant)
                .filter(tensor -> tensor.shape().length <= rank
                        && (tensor.elementCount() == 1 || tensor.elementCount() == channels));
        return data.flatMap(TensorData::floats).flatMap(values -> {
            double[] numbers = new double[channels];
            long[] shape = data.get().shape();
            int axis = shape.length - (rank - 1);
            if (values.length != 1 && (axis < 0 || shape[axis] != channels)) {
                return Optional.empty();
            }
            Arrays.setAll(numbers, c -> values[values.length == 1 ? 0 : c]);
            return Optional.of(numbers);
        });
    }

    /** With the statistics that are given; in training they would be those of the batch. */
    private static Optional<ChannelAffine> normalization(Node node, int channels, GraphIndex graph) {
        double[][] given = new double[4][];
        for (int k = 0; k < given.length; k++) {
            Optional<float[]> values = graph.constant(node.inputs().get(k + 1))
                    .flatMap(TensorData::floats)
                    .filter(floats -> floats.length == channels);
            if (values.isEmpty()) {
                return Optional.empty();
            }
            double[] numbers = new double[channels];
            Arrays.setAll(numbers, c -> values.get()[c]);
            given[k] = numbers;
        }
        if (node.outputs().size() != 1
                || node.intAttribute("training_mode", 0) != 0
                || node.intAttribute("spatial", 1) == 0) {
            return Optional.empty();
        }
        double epsilon = node.floatAttribute("epsilon", 1e-5f);
        double[] factor = new double[channels];
        double[] shift = new double[channels];
        for (int c = 0; c < channels; c++) {
            factor[c] = given[0][c] / Math.sqrt(given[3][c] + epsilon);
            shift[c] = given[1][c] - given[2][c] * factor[c];
        }
        return Optional.of(new ChannelAffine(factor, shift));
    }
}
