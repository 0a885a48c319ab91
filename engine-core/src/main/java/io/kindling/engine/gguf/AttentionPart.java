package io.kindling.engine.gguf;

import io.kindling.engine.gguf.DecoderFamily.Trait;
import io.kindling.engine.gguf.WeightRows.Source;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.TensorData;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/** Attention of a layer: one {@code GroupQueryAttention}, which rotates by itself, between its projections. */
final class AttentionPart {
    private static final String MASK = "/model/attn_mask_reformat/attn_mask_subgraph/";
    private static final List<String> ROLES = List.of("q", "k", "v");

    private final DecoderConfig config;
    private final DecoderWeights weights;
    private final GraphParts parts;

    AttentionPart(DecoderConfig config, DecoderWeights weights, GraphParts parts) {
        this.config = config;
        this.weights = weights;
        this.parts = parts;
    }

    /** What all layers share: the tables of RoPE, and of each row the last position and of all the longest length. */
    void addShared(Metadata metadata) throws IOException {
        addTables("", RopeTable.global(metadata, config, weights));
        if (config.family().has(Trait.LOCAL_ROPE) && config.windows().stream().anyMatch(window -> window > 0)) {
            addTables("_local", RopeTable.local(metadata, config));
        }
        String one = parts.constant("/model/constants/INT64/[1]", TensorData.ofLongs(new long[] {1}, 1));
        String index = parts.constant("/model/constants/INT64/1", TensorData.ofLongs(new long[0], 1));
        String sum = parts.node(
                MASK + "ReduceSum",
                "",
                "ReduceSum",
                List.of("attention_mask", one),
                Map.of("keepdims", Attribute.of(0)));
        String last = parts.node(MASK + "Sub", "", "Sub", List.of(sum, one), Map.of());
        parts.node(MASK + "Sub/Cast", "", "Cast", List.of(last), GraphParts.to(DataType.INT32));
        String shape = parts.node(MASK + "Shape", "", "Shape", List.of("attention_mask"), Map.of());
        String total =
                parts.node(MASK + "Gather", "", "Gather", List.of(shape, index), Map.of("axis", Attribute.of(0)));
        parts.node(MASK + "Gather/Cast", "", "Cast", List.of(total), GraphParts.to(DataType.INT32));
    }

    private void addTables(String suffix, RopeTable table) throws IOException {
        int half = table.frequencies().length;
        weights.computed("cos_cache" + suffix, config.context(), half, table.cosines());
        weights.computed("sin_cache" + suffix, config.context(), half, table.sines());
    }

    /** @return what the layer's attention gives for the normalised input, after its output projection */
    String add(int layer, String path, String input) throws IOException {
        List<String> inputs = new ArrayList<>(projections(layer, path, input));
        String pastKey = "past_key_values." + layer + ".key";
        String pastValue = "past_key_values." + layer + ".value";
        parts.input(pastKey, DataType.FLOAT, cacheShape("past_sequence_length"));
        parts.input(pastValue, DataType.FLOAT, cacheShape("past_sequence_length"));
        inputs.addAll(List.of(pastKey, pastValue, MASK + "Sub/Cast/output_0", MASK + "Gather/Cast/output_0"));
        boolean rotates = config.family().rotates(layer);
        int window = config.windows().get(layer);
        if (rotates) {
            String suffix = window > 0 && config.family().has(Trait.LOCAL_ROPE) ? "_local" : "";
            inputs.addAll(List.of("cos_cache" + suffix, "sin_cache" + suffix));
        }
        Map<String, Attribute> attributes = new LinkedHashMap<>();
        attributes.put("num_heads", Attribute.of(config.heads()));
        attributes.put("kv_num_heads", Attribute.of(config.keyValueHeads()));
        attributes.put("scale", Attribute.of(config.scores().scale()));
        attributes.put("local_window_size", Attribute.of(window));
        attributes.put("do_rotary", Attribute.of(rotates ? 1 : 0));
        attributes.put("rotary_interleaved", Attribute.of(0));
        if (config.scores().cap() > 0) {
            attributes.put("softcap", Attribute.of(config.scores().cap()));
        }
        String name = path + "attn/GroupQueryAttention";
        String output = name + "/output_0";
        List<String> presents = List.of("present." + layer + ".key", "present." + layer + ".value");
        parts.node(
                name,
                GraphParts.CONTRIB,
                "GroupQueryAttention",
                inputs,
                attributes,
                List.of(output, presents.get(0), presents.get(1)));
        presents.forEach(present -> parts.output(present, DataType.FLOAT, cacheShape("total_sequence_length")));
        return parts.linear(
                path + "attn/o_proj",
                output,
                config.queryRows(),
                List.of(Source.whole("blk." + layer + ".attn_output.weight", config.hidden())));
    }

    private Dimension[] cacheShape(String length) {
        return new Dimension[] {
            Dimension.of("batch_size"),
            Dimension.of(config.keyValueHeads()),
            Dimension.of(length),
            Dimension.of(config.headSize())
        };
    }

    /** Query, key and value, or all in the first where they can be one product. */
    private List<String> projections(int layer, String path, String input) throws IOException {
        List<Source> sources = sources("blk." + layer + ".");
        boolean normed = config.family().has(Trait.QUERY_KEY_NORMS);
        long biases = GraphParts.biases(sources).stream()
                .filter(bias -> weights.has(bias.tensor()))
                .count();
        if (!normed && weights.areOfOneType(sources) && biases % sources.size() == 0) {
            return List.of(parts.linear(path + "attn/qkv_proj", input, config.hidden(), sources), "", "");
        }
        List<String> results = new ArrayList<>();
        for (int i = 0; i < sources.size(); i++) {
            String role = ROLES.get(i);
            List<Source> source = List.of(sources.get(i));
            String projected = parts.linear(path + "attn/" + role + "_proj", input, config.hidden(), source);
            results.add(normed && i < 2 ? headNorm(layer, path, role, projected) : projected);
        }
        return results;
    }

    private List<Source> sources(String block) {
        int query = config.queryRows();
        int keyValue = config.keyValueRows();
        boolean paired = config.family().has(Trait.PAIRED_ROWS);
        IntUnaryOperator order = paired ? WeightRows.undoRopePairing(config.headSize()) : IntUnaryOperator.identity();
        String fused = block + "attn_qkv.weight";
        if (weights.has(fused)) {
            int all = query + 2 * keyValue;
            return List.of(
                    new Source(fused, all, 0, query, order),
                    new Source(fused, all, query, keyValue, order),
                    new Source(fused, all, query + keyValue, keyValue, IntUnaryOperator.identity()));
        }
        return List.of(
                new Source(block + "attn_q.weight", query, 0, query, order),
                new Source(block + "attn_k.weight", keyValue, 0, keyValue, order),
                Source.whole(block + "attn_v.weight", keyValue));
    }

    /** RMS norm of each head: {@code [batch, tokens, heads * size]} as {@code [batch, tokens * heads, size]} and back. */
    private String headNorm(int layer, String path, String role, String value) throws IOException {
        int size = config.headSize();
        String name = path + "attn/" + role + "_norm";
        String apart = parts.constant("/model/constants/head_shape", TensorData.ofLongs(new long[] {3}, 0, -1, size));
        int width = role.equals("q") ? config.queryRows() : config.keyValueRows();
        String together =
                parts.constant("/model/constants/" + role + "_shape", TensorData.ofLongs(new long[] {3}, 0, -1, width));
        String heads = parts.node(name + "/Reshape_1", "", "Reshape", List.of(value, apart), Map.of());
        String normed = parts.norm(name, "blk." + layer + ".attn_" + role + "_norm.weight", size, heads);
        return parts.node(name + "/Reshape_2", "", "Reshape", List.of(normed, together), Map.of());
    }
}
