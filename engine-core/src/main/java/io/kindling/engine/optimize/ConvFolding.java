package io.kindling.engine.optimize;

import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.optimize.Fusion.Replacement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Factors and shifts of channels behind a convolution, BatchNormalization among them, go into its weights and bias, where nobody else
 * reads these. Float32 alone, and weights that the model file itself holds.
 */
final class ConvFolding implements IndexedPass {
    /** Nodes in a row that are folded; a file may chain any number. */
    private static final int MOST_STEPS = 8;

    /** Above it folding would take much memory for a weight that a file was mapped for. */
    private static final long MAX_BYTES = 64 << 20;

    @Override
    public String name() {
        return "conv_folding";
    }

    @Override
    public Graph apply(Graph graph, GraphIndex index) {
        return Fusion.apply(graph, index, ConvFolding::replace);
    }

    private static Optional<Replacement> replace(Node last, GraphIndex graph) {
        List<Node> chain = new ArrayList<>();
        Optional<Node> at = Optional.of(last).filter(ConvFolding::isAffine);
        for (int step = 0; step < MOST_STEPS && at.isPresent(); step++) {
            chain.add(0, at.get());
            Optional<Node> before = at.get().inputs().stream()
                    .filter(graph::isReadOnce)
                    .flatMap(input -> graph.producer(input).stream())
                    .filter(node -> node.domain().isEmpty())
                    .findFirst();
            Optional<Node> convolution = before.filter(ConvFolding::isConvolution);
            if (convolution.isPresent()) {
                return folded(convolution.get(), chain, graph);
            }
            at = before.filter(ConvFolding::isAffine);
        }
        return Optional.empty();
    }

    private static boolean isConvolution(Node node) {
        return node.opType().equals("Conv") || node.opType().equals("ConvTranspose");
    }

    private static boolean isAffine(Node node) {
        return switch (node.operator()) {
            case "BatchNormalization", "Mul", "Add", "Div", "Sub" -> true;
            default -> false;
        };
    }

    private static Optional<Replacement> folded(Node convolution, List<Node> chain, GraphIndex graph) {
        String weight = convolution.inputs().get(1);
        Optional<TensorData> w = graph.constant(weight)
                .filter(data -> graph.isReadOnce(weight) && data.shape().length > 2 && data.byteSize() <= MAX_BYTES);
        if (w.isEmpty()) {
            return Optional.empty();
        }
        boolean transposed = convolution.opType().equals("ConvTranspose");
        long groups = Math.max(1, convolution.intAttribute("group", 1));
        long[] shape = w.get().shape();
        int channels = Math.toIntExact(transposed ? shape[1] * groups : shape[0]);
        ChannelAffine all = ChannelAffine.identity(channels);
        Node before = convolution;
        for (Node node : chain) {
            Optional<ChannelAffine> one =
                    ChannelAffine.of(node, before.outputs().get(0), channels, shape.length, graph);
            if (one.isEmpty()) {
                return Optional.empty();
            }
            all = all.then(one.get());
            before = node;
        }
        return all.isFinite() ? folded(convolution, before, w.get(), all, graph) : Optional.empty();
    }

    private static Optional<Replacement> folded(
            Node convolution, Node last, TensorData w, ChannelAffine affine, GraphIndex graph) {
        boolean biased =
                convolution.inputs().size() > 2 && !convolution.inputs().get(2).isEmpty();
        Optional<float[]> bias = biased
                ? graph.constant(convolution.inputs().get(2)).flatMap(TensorData::floats)
                : Optional.of(new float[affine.factor().length]);
        Optional<float[]> weights = w.floats();
        if (bias.filter(values -> values.length == affine.factor().length).isEmpty() || weights.isEmpty()) {
            return Optional.empty();
        }
        float[] shifted = new float[affine.shift().length];
        for (int c = 0; c < shifted.length; c++) {
            shifted[c] = (float) (bias.get()[c] * affine.factor()[c] + affine.shift()[c]);
        }
        scale(weights.get(), w.shape(), convolution, affine.factor());
        Map<String, TensorData> constants = new HashMap<>();
        String weightName = graph.fresh(last.outputs().get(0) + "/weight");
        String biasName = graph.fresh(last.outputs().get(0) + "/bias");
        constants.put(weightName, TensorData.ofFloats(w.shape(), weights.get()));
        constants.put(biasName, TensorData.ofFloats(new long[] {shifted.length}, shifted));
        Node node = new Node(
                convolution.name(),
                "",
                convolution.opType(),
                List.of(convolution.inputs().get(0), weightName, biasName),
                last.outputs(),
                convolution.attributes());
        return Optional.of(new Replacement(List.of(node), constants));
    }

    /** Conv has {@code [filters, …]}, ConvTranspose {@code [channels, filters of a group, …]}. */
    private static void scale(float[] weights, long[] shape, Node convolution, double[] factor) {
        boolean transposed = convolution.opType().equals("ConvTranspose");
        int first = (int) shape[0];
        int second = (int) shape[1];
        int groupChannels = first / (int) Math.max(1, convolution.intAttribute("group", 1));
        int taps = first * second == 0 ? 0 : weights.length / first / second;
        for (int k = 0; k < weights.length; k++) {
            int a = k / taps / second;
            int filter = transposed ? a / groupChannels * second + k / taps % second : a;
            weights[k] = (float) (weights[k] * factor[filter]);
        }
    }
}
