package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.PagedAttention;
import io.kindling.engine.ir.TensorData;
import java.util.List;
import java.util.Map;

/** Query, key and value of a {@code GroupQueryAttention} on their way to pages, {@code [1, T, heads * size]} each. */
final class AttentionParts {
    private static final String MICROSOFT = "com.microsoft";
    private static final String JOINED = "kindling.joined_heads";

    private final Node node;
    private final RaggedModel.Layer pages;
    private final Map<String, TensorData> constants;
    private final List<Node> into;
    private final long heads;
    private String query;
    private String key;
    private String value;

    /**
     * @param constants takes what the new nodes read
     * @param into takes the new nodes
     */
    AttentionParts(Node node, RaggedModel.Layer pages, Map<String, TensorData> constants, List<Node> into) {
        this.node = node;
        this.pages = pages;
        this.constants = constants;
        this.into = into;
        heads = node.intAttribute("num_heads", 0);
        query = node.inputs().get(PagedAttention.QUERY);
        key = node.inputs().get(PagedAttention.KEY);
        value = node.inputs().get(PagedAttention.VALUE);
    }

    /** Takes a packed query apart. */
    void split() {
        if (!key.isEmpty()) {
            return;
        }
        long size = pages.headSize();
        String sizes = "kindling.parts." + heads + "." + pages.kvHeads() + "." + size;
        constants.put(
                sizes,
                TensorData.ofLongs(new long[] {3}, heads * size, pages.kvHeads() * size, pages.kvHeads() * size));
        List<String> parts = List.of(named("query"), named("key"), named("value"));
        into.add(
                new Node(named("parts"), "", "Split", List.of(query, sizes), parts, Map.of("axis", Attribute.of(-1L))));
        query = parts.get(0);
        key = parts.get(1);
        value = parts.get(2);
    }

    /** Normalises every head's vector; an empty name leaves the part as it is. */
    void normalise(String queryWeight, String keyWeight) {
        float epsilon = node.floatAttribute("qk_norm_epsilon", 1e-6f);
        query = normalised(query, "query", queryWeight, heads, node.floatAttribute("q_norm_epsilon", epsilon));
        key = normalised(key, "key", keyWeight, pages.kvHeads(), node.floatAttribute("k_norm_epsilon", epsilon));
    }

    private String normalised(String part, String name, String weight, long count, float epsilon) {
        if (weight.isEmpty()) {
            return part;
        }
        String apart = "kindling.apart." + count;
        constants.put(apart, TensorData.ofLongs(new long[] {4}, 0, 0, count, -1));
        constants.put(JOINED, TensorData.ofLongs(new long[] {3}, 0, 0, -1));
        add("", "Reshape", named(name + ".heads"), Map.of(), part, apart);
        Map<String, Attribute> attributes = Map.of("axis", Attribute.of(-1L), "epsilon", Attribute.of(epsilon));
        add("", "SimplifiedLayerNormalization", named(name + ".normed"), attributes, named(name + ".heads"), weight);
        add("", "Reshape", named(name + ".joined"), Map.of(), named(name + ".normed"), JOINED);
        return named(name + ".joined");
    }

    /**
     * Rotates queries and keys.
     *
     * @param positions rows of the tables
     * @param rotated how much of a head is rotated
     */
    void rotate(String positions, String cos, String sin, long rotated) {
        query = rotated(query, "query", heads, positions, cos, sin, rotated);
        key = rotated(key, "key", pages.kvHeads(), positions, cos, sin, rotated);
    }

    private String rotated(
            String part, String name, long count, String positions, String cos, String sin, long rotated) {
        Map<String, Attribute> attributes = Map.of(
                "num_heads", Attribute.of(count),
                "rotary_embedding_dim", Attribute.of(rotated == pages.headSize() ? 0L : rotated),
                "interleaved", Attribute.of(node.intAttribute("rotary_interleaved", 0)));
        add(MICROSOFT, "RotaryEmbedding", named(name + ".rotated"), attributes, part, positions, cos, sin);
        return named(name + ".rotated");
    }

    /** The inputs of the call on pages. */
    String[] inputs() {
        return PageLayers.inputs(pages, query, key, value);
    }

    private String named(String part) {
        return node.outputs().get(0) + "/kindling." + part;
    }

    private void add(
            String domain, String operator, String output, Map<String, Attribute> attributes, String... inputs) {
        into.add(new Node(output, domain, operator, List.of(inputs), List.of(output), attributes));
    }
}
