package io.kindling.engine.gguf;

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
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The decoder as a graph, in the shape and with the names of ONNX Runtime GenAI's model builder: one
 * {@code GroupQueryAttention} a layer, which rotates by itself, residual sums in {@code SkipSimplifiedLayerNormalization}.
 */
final class LlamaGraph {
    private static final String CONTRIB = "com.microsoft";
    private static final int ACCURACY_INT8 = 4;
    private static final String MASK = "/model/attn_mask_reformat/attn_mask_subgraph/";

    private final LlamaConfig config;
    private final LlamaWeights weights;
    private final Graph.Builder graph;

    LlamaGraph(LlamaConfig config, LlamaWeights weights, Graph.Builder graph) {
        this.config = config;
        this.weights = weights;
        this.graph = graph;
    }

    Graph build() throws IOException {
        input("input_ids", DataType.INT64, Dimension.of("batch_size"), Dimension.of("sequence_length"));
        input("attention_mask", DataType.INT64, Dimension.of("batch_size"), Dimension.of("total_sequence_length"));
        ropeTables();
        maskLengths();
        boolean tied = !weights.has("output.weight");
        String residual = embedding(tied);
        String branch = null;
        for (int layer = 0; layer < config.layers(); layer++) {
            String path = "/model/layers." + layer + "/";
            String[] normed = norm(path + "input_layernorm", "blk." + layer + ".attn_norm.weight", residual, branch);
            String attended = attention(layer, path, normed[0]);
            String[] after =
                    norm(path + "post_attention_layernorm", "blk." + layer + ".ffn_norm.weight", normed[1], attended);
            branch = mlp("blk." + layer + ".", path + "mlp/", after[0]);
            residual = after[1];
        }
        String path = "/model/layers." + config.layers() + "/final_norm_layernorm";
        String last = norm(path, "output_norm.weight", residual, branch)[0];
        String head = tied ? "token_embd.weight" : "output.weight";
        WeightRows rows = weights.matrix(head, config.hidden(), config.vocabulary());
        boolean shared = tied && isGatheredInBlocks(rows.type());
        linear(
                "/lm_head/MatMul",
                last,
                rows,
                shared ? "model.embed_tokens.weight" : "lm_head.MatMul.weight",
                shared,
                "logits");
        output("logits", Dimension.of("sequence_length"), Dimension.of(config.vocabulary()));
        return graph.build();
    }

    private void ropeTables() throws IOException {
        int half = config.headSize() / 2;
        float[] factors = new float[half];
        Arrays.fill(factors, 1);
        if (weights.has("rope_freqs.weight")) {
            factors = weights.values("rope_freqs.weight", half);
        }
        float[] frequencies = new float[half];
        for (int i = 0; i < half; i++) {
            double power = Math.pow(config.ropeBase(), 2.0 * i / config.headSize());
            frequencies[i] = (float) (1 / power / factors[i] / config.ropeScale());
        }
        // Angles in float32, as the models were trained.
        weights.computed("cos_cache", config.context(), half, (position, target) -> {
            for (float frequency : frequencies) {
                target.putFloat((float) Math.cos(position * frequency));
            }
        });
        weights.computed("sin_cache", config.context(), half, (position, target) -> {
            for (float frequency : frequencies) {
                target.putFloat((float) Math.sin(position * frequency));
            }
        });
    }

    /** Last position of each row and the longest length, from the mask. */
    private void maskLengths() {
        constant("/model/constants/INT64/[1]", TensorData.ofLongs(new long[] {1}, 1));
        constant("/model/constants/INT64/1", TensorData.ofLongs(new long[0], 1));
        node(
                MASK + "ReduceSum",
                "",
                "ReduceSum",
                List.of("attention_mask", "/model/constants/INT64/[1]"),
                Map.of("keepdims", Attribute.of(0)));
        node(MASK + "Sub", "", "Sub", List.of(MASK + "ReduceSum/output_0", "/model/constants/INT64/[1]"), Map.of());
        node(MASK + "Sub/Cast", "", "Cast", List.of(MASK + "Sub/output_0"), to(DataType.INT32));
        node(MASK + "Shape", "", "Shape", List.of("attention_mask"), Map.of());
        node(
                MASK + "Gather",
                "",
                "Gather",
                List.of(MASK + "Shape/output_0", "/model/constants/INT64/1"),
                Map.of("axis", Attribute.of(0)));
        node(MASK + "Gather/Cast", "", "Cast", List.of(MASK + "Gather/output_0"), to(DataType.INT32));
    }

    private static boolean isGatheredInBlocks(GgufType type) {
        return BlockLayout.of(type).filter(layout -> !layout.hasOffsets()).isPresent();
    }

    /** Rows of the embedding; with a tied output, its blocks are shared by both. */
    private String embedding(boolean tied) throws IOException {
        WeightRows rows = weights.matrix("token_embd.weight", config.hidden(), config.vocabulary());
        String path = "/model/embed_tokens/";
        String table = "model.embed_tokens.weight";
        if (isGatheredInBlocks(rows.type())) {
            BlockCodec codec = weights.blocks(rows, table);
            String shape = "/model/constants/embed_tokens_shape";
            long bytes = (long) codec.groupsPerRow() * codec.codeBytesPerGroup();
            constant(shape, TensorData.ofLongs(new long[] {2}, rows.rows(), bytes));
            String flat = node(path + "Reshape", "", "Reshape", List.of(table + "_codes", shape), Map.of());
            return node(
                    path + "GatherBlockQuantized",
                    CONTRIB,
                    "GatherBlockQuantized",
                    List.of(flat, "input_ids", table + "_scales"),
                    Map.of(
                            "bits", Attribute.of(codec.bits()),
                            "block_size", Attribute.of(codec.groupSize()),
                            "gather_axis", Attribute.of(0),
                            "quantize_axis", Attribute.of(1)));
        }
        DataType type = weights.table(rows, table);
        String gathered = node(path + "Gather", "", "Gather", List.of(table, "input_ids"), Map.of());
        return type == DataType.FLOAT
                ? gathered
                : node(path + "Cast", "", "Cast", List.of(gathered), to(DataType.FLOAT));
    }

    /** Normalises {@code residual + branch}: the result, then the sum. */
    private String[] norm(String path, String weight, String residual, String branch) throws IOException {
        String name = path.substring(1).replace('/', '.') + ".weight";
        weights.vector(weight, config.hidden(), name);
        String output = path + "/output_0";
        if (branch == null) {
            graph.nodes()
                    .add(new Node(
                            path + "/LayerNorm",
                            "",
                            "SimplifiedLayerNormalization",
                            List.of(residual, name),
                            List.of(output),
                            Map.of(
                                    "epsilon", Attribute.of(config.epsilon()),
                                    "axis", Attribute.of(-1),
                                    "stash_type", Attribute.of(1))));
            return new String[] {output, residual};
        }
        String sum = path + "/output_3";
        graph.nodes()
                .add(new Node(
                        path + "/SkipLayerNorm",
                        CONTRIB,
                        "SkipSimplifiedLayerNormalization",
                        List.of(residual, branch, name),
                        List.of(output, "", "", sum),
                        Map.of("epsilon", Attribute.of(config.epsilon()))));
        return new String[] {output, sum};
    }

    private String attention(int layer, String path, String input) throws IOException {
        String source = "blk." + layer + ".";
        String[] names = {source + "attn_q.weight", source + "attn_k.weight", source + "attn_v.weight"};
        String prefix = "model.layers." + layer + ".attn.";
        List<String> inputs = new ArrayList<>();
        boolean oneType =
                weights.type(names[0]) == weights.type(names[1]) && weights.type(names[0]) == weights.type(names[2]);
        if (oneType && !weights.has(source + "attn_q.bias")) {
            WeightRows rows = weights.queryKeyValue(source);
            inputs.addAll(List.of(projection(path + "attn/qkv_proj", input, rows, prefix + "qkv_proj"), "", ""));
        } else {
            String[] roles = {"q", "k", "v"};
            for (int i = 0; i < roles.length; i++) {
                int rows = i == 0 ? config.queryRows() : config.keyValueRows();
                WeightRows weight = weights.query(names[i], rows, i < 2);
                String projected =
                        projection(path + "attn/" + roles[i] + "_proj", input, weight, prefix + roles[i] + "_proj");
                inputs.add(
                        biased(source + "attn_" + roles[i] + ".bias", rows, i < 2, path, prefix, roles[i], projected));
            }
        }
        String pastKey = "past_key_values." + layer + ".key";
        String pastValue = "past_key_values." + layer + ".value";
        for (String past : List.of(pastKey, pastValue)) {
            input(past, DataType.FLOAT, cacheShape("past_sequence_length"));
        }
        inputs.addAll(List.of(pastKey, pastValue, MASK + "Sub/Cast/output_0", MASK + "Gather/Cast/output_0"));
        inputs.addAll(List.of("cos_cache", "sin_cache"));
        String output = path + "attn/GroupQueryAttention/output_0";
        List<String> presents = List.of("present." + layer + ".key", "present." + layer + ".value");
        graph.nodes()
                .add(new Node(
                        path + "attn/GroupQueryAttention",
                        CONTRIB,
                        "GroupQueryAttention",
                        inputs,
                        List.of(output, presents.get(0), presents.get(1)),
                        Map.of(
                                "num_heads", Attribute.of(config.heads()),
                                "kv_num_heads", Attribute.of(config.keyValueHeads()),
                                "scale", Attribute.of((float) (1 / Math.sqrt(config.headSize()))),
                                "local_window_size", Attribute.of(-1),
                                "do_rotary", Attribute.of(1),
                                "rotary_interleaved", Attribute.of(0))));
        for (String present : presents) {
            graph.outputs()
                    .add(new ValueInfo(
                            present,
                            ValueType.TensorType.of(DataType.FLOAT, List.of(cacheShape("total_sequence_length")))));
        }
        WeightRows rows = weights.matrix(source + "attn_output.weight", config.queryRows(), config.hidden());
        return projection(path + "attn/o_proj", output, rows, prefix + "o_proj");
    }

    private String biased(
            String source, int size, boolean rotated, String path, String prefix, String role, String projected)
            throws IOException {
        if (!weights.has(source)) {
            return projected;
        }
        String bias = prefix + role + "_proj.Add.bias";
        weights.vector(source, size, rotated ? WeightRows.undoRopePairing(config.headSize()) : row -> row, bias);
        return node(path + "attn/" + role + "_proj/Add", "", "Add", List.of(projected, bias), Map.of());
    }

    private Dimension[] cacheShape(String length) {
        return new Dimension[] {
            Dimension.of("batch_size"),
            Dimension.of(config.keyValueHeads()),
            Dimension.of(length),
            Dimension.of(config.headSize())
        };
    }

    private String mlp(String source, String path, String input) throws IOException {
        String prefix = path.substring(1).replace('/', '.');
        WeightRows gate = weights.matrix(source + "ffn_gate.weight", config.hidden(), config.feedForward());
        String gated = projection(path + "gate_proj", input, gate, prefix + "gate_proj");
        WeightRows up = weights.matrix(source + "ffn_up.weight", config.hidden(), config.feedForward());
        String raised = projection(path + "up_proj", input, up, prefix + "up_proj");
        String sigmoid = node(path + "act_fn/Sigmoid", "", "Sigmoid", List.of(gated), Map.of());
        String activated = node(path + "act_fn/Mul", "", "Mul", List.of(gated, sigmoid), Map.of());
        String product = node(path + "Mul", "", "Mul", List.of(activated, raised), Map.of());
        WeightRows down = weights.matrix(source + "ffn_down.weight", config.feedForward(), config.hidden());
        return projection(path + "down_proj", product, down, prefix + "down_proj");
    }

    private String projection(String path, String input, WeightRows rows, String weight) throws IOException {
        String output = path + "/MatMul/output_0";
        linear(path + "/MatMul", input, rows, weight + ".MatMul.weight", false, output);
        return output;
    }

    /** @param written whether the weight is an initializer already */
    private void linear(String path, String input, WeightRows rows, String weight, boolean written, String output)
            throws IOException {
        if (FloatCodec.isFloat(rows.type())) {
            weights.transposed(rows, weight);
            graph.nodes().add(new Node(path, "", "MatMul", List.of(input, weight), List.of(output), Map.of()));
            return;
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
        String name = path + "_Q" + codec.bits();
        graph.nodes().add(new Node(name, CONTRIB, "MatMulNBits", inputs, List.of(output), attributes));
    }

    private String node(
            String path, String domain, String type, List<String> inputs, Map<String, Attribute> attributes) {
        String output = path + "/output_0";
        graph.nodes().add(new Node(path, domain, type, inputs, List.of(output), attributes));
        return output;
    }

    private void constant(String name, TensorData value) {
        graph.initializers().put(name, value);
    }

    private static Map<String, Attribute> to(DataType type) {
        return Map.of("to", Attribute.of(type.code()));
    }

    private void input(String name, DataType type, Dimension... shape) {
        graph.inputs().add(new ValueInfo(name, ValueType.TensorType.of(type, List.of(shape))));
    }

    private void output(String name, Dimension... rest) {
        List<Dimension> shape = new ArrayList<>(List.of(Dimension.of("batch_size")));
        shape.addAll(List.of(rest));
        graph.outputs().add(0, new ValueInfo(name, ValueType.TensorType.of(DataType.FLOAT, shape)));
    }
}
