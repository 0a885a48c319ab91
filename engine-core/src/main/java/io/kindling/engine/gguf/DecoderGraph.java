package io.kindling.engine.gguf;

import io.kindling.engine.gguf.DecoderFamily.Trait;
import io.kindling.engine.gguf.WeightRows.Source;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * The decoder as a graph, in the shape and with the names of ONNX Runtime GenAI's model builder. One builder makes all
 * families; what sets them apart is in {@link DecoderConfig} and {@link DecoderFamily}.
 */
final class DecoderGraph {
    private static final String TABLE = "model.embed_tokens.weight";

    private final DecoderConfig config;
    private final DecoderWeights weights;
    private final Graph.Builder graph;
    private final GraphParts parts;
    private final AttentionPart attention;

    DecoderGraph(DecoderConfig config, DecoderWeights weights, Graph.Builder graph) {
        this.config = config;
        this.weights = weights;
        this.graph = graph;
        parts = new GraphParts(graph, weights, config.epsilon());
        attention = new AttentionPart(config, weights, parts);
    }

    Graph build(Metadata metadata) throws IOException {
        Dimension batch = Dimension.of("batch_size");
        parts.input("input_ids", DataType.INT64, batch, Dimension.of("sequence_length"));
        parts.input("attention_mask", DataType.INT64, batch, Dimension.of("total_sequence_length"));
        attention.addShared(metadata);
        boolean tied = !weights.has("output.weight");
        String residual = embedding();
        String branch = null;
        for (int layer = 0; layer < config.layers(); layer++) {
            String path = "/model/layers." + layer + "/";
            String source = "blk." + layer + ".";
            List<String> before = norm(path + "input_layernorm", source + "attn_norm.weight", residual, branch);
            String attended = attention.add(layer, path, before.get(0));
            attended = branch(path + "attn", source + "post_attention_norm.weight", attended);
            List<String> after =
                    norm(path + "post_attention_layernorm", source + "ffn_norm.weight", before.get(1), attended);
            branch = branch(path + "mlp", source + "post_ffw_norm.weight", mlp(source, path + "mlp/", after.get(0)));
            residual = after.get(1);
        }
        String path = "/model/layers." + config.layers() + "/final_norm_layernorm";
        logits(norm(path, "output_norm.weight", residual, branch).get(0), tied);
        graph.outputs()
                .add(
                        0,
                        new ValueInfo(
                                "logits",
                                ValueType.TensorType.of(
                                        DataType.FLOAT,
                                        List.of(
                                                batch,
                                                Dimension.of("sequence_length"),
                                                Dimension.of(config.vocabulary())))));
        return graph.build();
    }

    /** The norm of the sum, then the sum; before the first layer there is no branch. */
    private List<String> norm(String path, String weight, String residual, String branch) throws IOException {
        return branch == null
                ? List.of(parts.norm(path, weight, config.hidden(), residual), residual)
                : parts.skipNorm(path, weight, config.hidden(), residual, branch);
    }

    /** What a layer's half gives, made ready to be added. */
    private String branch(String path, String postNorm, String value) throws IOException {
        String normed = config.family().has(Trait.POST_NORMS)
                ? parts.norm(path + "/post_norm", postNorm, config.hidden(), value)
                : value;
        return parts.scaled(path + "/residual_scale", normed, config.scales().residual());
    }

    private static boolean isGatheredInBlocks(GgufType type) {
        return BlockLayout.of(type).filter(layout -> !layout.hasOffsets()).isPresent();
    }

    private WeightRows table() {
        return weights.matrix("token_embd.weight", config.hidden(), config.vocabulary());
    }

    /** Rows of the embedding; with a tied output, its blocks are shared by both. */
    private String embedding() throws IOException {
        WeightRows rows = table();
        String path = "/model/embed_tokens/";
        String gathered;
        if (isGatheredInBlocks(rows.type())) {
            BlockCodec codec = weights.blocks(rows, TABLE);
            long bytes = (long) codec.groupsPerRow() * codec.codeBytesPerGroup();
            String shape = parts.constant(
                    "/model/constants/embed_tokens_shape", TensorData.ofLongs(new long[] {2}, rows.rows(), bytes));
            String flat = parts.node(path + "Reshape", "", "Reshape", List.of(TABLE + "_codes", shape), Map.of());
            gathered = parts.node(
                    path + "GatherBlockQuantized",
                    GraphParts.CONTRIB,
                    "GatherBlockQuantized",
                    List.of(flat, "input_ids", TABLE + "_scales"),
                    Map.of(
                            "bits", Attribute.of(codec.bits()),
                            "block_size", Attribute.of(codec.groupSize()),
                            "gather_axis", Attribute.of(0),
                            "quantize_axis", Attribute.of(1)));
        } else {
            DataType type = weights.table(rows, TABLE);
            gathered = parts.node(path + "Gather", "", "Gather", List.of(TABLE, "input_ids"), Map.of());
            if (type != DataType.FLOAT) {
                gathered = parts.node(path + "Cast", "", "Cast", List.of(gathered), GraphParts.to(DataType.FLOAT));
            }
        }
        return parts.scaled(path + "Mul", gathered, config.scales().embedding());
    }

    private String mlp(String source, String path, String input) throws IOException {
        int inner = config.feedForward();
        Source gate = Source.whole(source + "ffn_gate.weight", inner);
        Source up = Source.whole(source + "ffn_up.weight", inner);
        if (!weights.has(gate.tensor())) {
            gate = new Source(up.tensor(), 2 * inner, 0, inner, row -> row);
            up = new Source(up.tensor(), 2 * inner, inner, inner, row -> row);
        }
        String gated = parts.linear(path + "gate_proj", input, config.hidden(), List.of(gate));
        String raised = parts.linear(path + "up_proj", input, config.hidden(), List.of(up));
        String product =
                parts.node(path + "Mul", "", "Mul", List.of(activated(path + "act_fn/", gated), raised), Map.of());
        Source down = Source.whole(source + "ffn_down.weight", config.hidden());
        return parts.linear(path + "down_proj", product, inner, List.of(down));
    }

    private String activated(String path, String value) {
        if (config.family().has(Trait.GELU)) {
            return parts.node(path + "Gelu", "", "Gelu", List.of(value), Map.of("approximate", Attribute.of("tanh")));
        }
        String sigmoid = parts.node(path + "Sigmoid", "", "Sigmoid", List.of(value), Map.of());
        return parts.node(path + "Mul", "", "Mul", List.of(value, sigmoid), Map.of());
    }

    private void logits(String input, boolean tied) throws IOException {
        WeightRows rows = tied ? table() : weights.matrix("output.weight", config.hidden(), config.vocabulary());
        boolean shared = tied && isGatheredInBlocks(rows.type());
        float cap = config.scales().logitsCap();
        float divisor = config.scales().logits();
        boolean plain = cap == 0 && divisor == 1;
        String path = "/lm_head/";
        String product = parts.product(
                path + "MatMul",
                input,
                rows,
                shared ? TABLE : "lm_head.MatMul.weight",
                shared,
                plain ? "logits" : path + "MatMul/output_0");
        if (cap > 0) {
            String small = parts.scaled(path + "cap/Div", product, 1 / divisor / cap);
            String tanh = parts.node(path + "cap/Tanh", "", "Tanh", List.of(small), Map.of());
            parts.scaled(path + "cap/Mul", tanh, cap, "logits");
        } else if (!plain) {
            parts.scaled(path + "scale", product, 1 / divisor, "logits");
        }
    }
}
