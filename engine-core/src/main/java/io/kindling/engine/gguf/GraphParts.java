package io.kindling.engine.gguf;

import io.kindling.engine.gguf.WeightRows.Source;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Pieces that decoders are made of: each adds its nodes and weights to a graph and names its output. */
final class GraphParts {
    static final String CONTRIB = "com.microsoft";
    private static final int ACCURACY_INT8 = 4;

    private final Graph.Builder graph;
    private final DecoderWeights weights;
    private final float epsilon;

    GraphParts(Graph.Builder graph, DecoderWeights weights, float epsilon) {
        this.graph = graph;
        this.weights = weights;
        this.epsilon = epsilon;
    }

    /** A node of one output, which is named after it. */
    String node(String path, String domain, String type, List<String> inputs, Map<String, Attribute> attributes) {
        return node(path, domain, type, inputs, attributes, path + "/output_0");
    }

    String node(
            String path,
            String domain,
            String type,
            List<String> inputs,
            Map<String, Attribute> attributes,
            String output) {
        node(path, domain, type, inputs, attributes, List.of(output));
        return output;
    }

    void node(
            String path,
            String domain,
            String type,
            List<String> inputs,
            Map<String, Attribute> attributes,
            List<String> outputs) {
        graph.nodes().add(new Node(path, domain, type, inputs, outputs, attributes));
    }

    /** @return the name */
    String constant(String name, TensorData value) {
        graph.initializers().put(name, value);
        return name;
    }

    void input(String name, DataType type, Dimension... shape) {
        graph.inputs().add(port(name, type, shape));
    }

    void output(String name, DataType type, Dimension... shape) {
        graph.outputs().add(port(name, type, shape));
    }

    private static ValueInfo port(String name, DataType type, Dimension... shape) {
        return new ValueInfo(name, ValueType.TensorType.of(type, List.of(shape)));
    }

    static Map<String, Attribute> to(DataType type) {
        return Map.of("to", Attribute.of(type.code()));
    }

    /** The value times a number; the value itself for 1. */
    String scaled(String path, String value, float factor) {
        return factor == 1 ? value : scaled(path, value, factor, path + "/output_0");
    }

    String scaled(String path, String value, float factor, String output) {
        String constant = constant(path + "/factor", TensorData.ofFloats(new long[0], factor));
        return node(path, "", "Mul", List.of(value, constant), Map.of(), output);
    }

    /** RMS norm over the last axis. */
    String norm(String path, String weight, int size, String value) throws IOException {
        return node(
                path + "/LayerNorm",
                "",
                "SimplifiedLayerNormalization",
                List.of(value, normWeight(path, weight, size)),
                Map.of("epsilon", Attribute.of(epsilon), "axis", Attribute.of(-1), "stash_type", Attribute.of(1)),
                path + "/output_0");
    }

    /**
     * RMS norm of {@code residual + branch}.
     *
     * @return the norm, then the sum
     */
    List<String> skipNorm(String path, String weight, int size, String residual, String branch) throws IOException {
        String sum = path + "/output_3";
        node(
                path + "/SkipLayerNorm",
                CONTRIB,
                "SkipSimplifiedLayerNormalization",
                List.of(residual, branch, normWeight(path, weight, size)),
                Map.of("epsilon", Attribute.of(epsilon)),
                List.of(path + "/output_0", "", "", sum));
        return List.of(path + "/output_0", sum);
    }

    private String normWeight(String path, String weight, int size) throws IOException {
        String name = dotted(path) + ".weight";
        weights.vector(name, List.of(Source.whole(weight, size)));
        return name;
    }

    /** {@code /model/layers.0/x} as the name of a weight. */
    static String dotted(String path) {
        return path.substring(1).replace('/', '.');
    }

    /** The product with rows of weights, which get the name of the path, and the sum with a bias where the file has one. */
    String linear(String path, String input, int columns, List<Source> sources) throws IOException {
        WeightRows rows = weights.matrix(columns, sources);
        String name = dotted(path);
        String product =
                product(path + "/MatMul", input, rows, name + ".MatMul.weight", false, path + "/MatMul/output_0");
        List<Source> biases = biases(sources);
        if (biases.stream().noneMatch(bias -> weights.has(bias.tensor()))) {
            return product;
        }
        String bias = name + ".Add.bias";
        weights.vector(bias, biases);
        return node(path + "/Add", "", "Add", List.of(product, bias), Map.of());
    }

    static List<Source> biases(List<Source> sources) {
        return sources.stream()
                .map(source -> new Source(
                        source.tensor().replaceFirst("weight$", "bias"),
                        source.all(),
                        source.first(),
                        source.rows(),
                        source.order()))
                .toList();
    }

    /** @param written whether the weight is an initializer already */
    String product(String path, String input, WeightRows rows, String weight, boolean written, String output)
            throws IOException {
        if (FloatCodec.isFloat(rows.type())) {
            weights.transposed(rows, weight);
            return node(path, "", "MatMul", List.of(input, weight), Map.of(), output);
        }
        BlockCodec codec = written ? new BlockCodec(rows) : weights.blocks(rows, weight);
        List<String> inputs = new ArrayList<>(List.of(input, weight + "_codes", weight + "_scales"));
        if (codec.hasZeroPoints()) {
            inputs.add(weight + "_zero_points");
        }
        Map<String, Attribute> attributes = new LinkedHashMap<>();
        attributes.put("K", Attribute.of(rows.columns()));
        attributes.put("N", Attribute.of(rows.rows()));
        attributes.put("bits", Attribute.of(codec.bits()));
        attributes.put("block_size", Attribute.of(codec.groupSize()));
        attributes.put("accuracy_level", Attribute.of(ACCURACY_INT8));
        return node(path + "_Q" + codec.bits(), CONTRIB, "MatMulNBits", inputs, attributes, output);
    }
}
