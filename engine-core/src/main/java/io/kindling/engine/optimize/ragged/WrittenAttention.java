package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.PagedAttention;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.optimize.ragged.Fact.Cache;
import io.kindling.engine.optimize.ragged.Fact.Fixed;
import io.kindling.engine.optimize.ragged.Fact.Scores;
import io.kindling.engine.optimize.ragged.Fact.Tokens;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** Puts calls of attention on pages in place of attention that the graph writes out; see {@link CacheRules}. */
final class WrittenAttention {
    private static final long[] HEADS_FIRST = {0, 2, 1, 3};
    private static final String FLAT_SHAPE = "kindling.flat_shape";

    private final PageLayers layers;
    private final Map<String, TensorData> constants;
    private final Function<String, Optional<DataType>> types;
    private final Function<String, Fact> facts;
    private final Map<String, Node> producers = new HashMap<>();
    /** What attention gave, {@code [1, T, heads * size]}. */
    private record Call(String attended, long heads) {}

    /** Results with heads first, by the call they come from. */
    private final Map<String, Call> calls = new HashMap<>();

    /**
     * @param constants takes what the new nodes read
     * @param types element types of the graph's values
     * @param facts what is known of the graph's values
     */
    WrittenAttention(
            PageLayers layers,
            Map<String, TensorData> constants,
            Function<String, Optional<DataType>> types,
            Function<String, Fact> facts) {
        this.layers = layers;
        this.types = types;
        this.facts = facts;
        this.constants = constants;
    }

    /** Tells of a node that stays as it is. */
    void keep(Node node) {
        node.outputs().forEach(output -> producers.put(output, node));
    }

    /** The nodes that compute what {@code node} did. */
    void lower(Node node, CacheRules.Attention attention, List<Node> into) {
        Scores scores = attention.scores();
        Cache values = attention.values();
        if (scores.scale() <= 0) {
            throw Refusal.at(node, "scales scores by " + scores.scale());
        }
        RaggedModel.Layer pages = layers.add(node, scores.keys().state(), values.state());
        String output = node.outputs().get(0);
        String[] inputs = PageLayers.inputs(
                pages,
                flat(scores.query(), output + "/kindling.query", 0, into),
                flat(scores.keys().tokens(), output + "/kindling.key", 0, into),
                flat(values.tokens(), output + "/kindling.value", pages.headSize() - values.size(), into));
        if (!scores.sink().isEmpty()) {
            inputs[PagedAttention.HEAD_SINK] = sink(node, scores, output + "/kindling.sink", into);
        }
        Map<String, Attribute> attributes = new HashMap<>(Map.of(
                "num_heads", Attribute.of(scores.heads()),
                "kv_num_heads", Attribute.of(values.heads()),
                "scale", Attribute.of((float) scores.scale()),
                "local_window_size", Attribute.of(scores.window().orElseThrow())));
        if (scores.softcap() != 0) {
            attributes.put("softcap", Attribute.of((float) scores.softcap()));
        }
        into.add(PageLayers.call(node.name(), inputs, output + "/kindling.attended", attributes));
        String attended = inTypeOf(node, scores.query(), output + "/kindling.attended", pages.type(), into);
        attended = unpadded(attended, scores.heads(), values.size(), pages.headSize(), into);
        calls.put(output, new Call(attended, scores.heads()));
        into.add(heads(calls.get(output), output + "/kindling.heads"));
        into.add(transpose(output + "/kindling.heads", output));
    }

    /** One number a head, which the graph expands to all tokens. */
    private String sink(Node node, Scores scores, String name, List<Node> into) {
        Node expanded = producers.get(scores.sink());
        String source = expanded != null && expanded.is("", "Expand")
                ? expanded.inputs().get(0)
                : "";
        List<Long> heads = List.of(1L, scores.heads(), 1L, 1L);
        boolean constant = facts.apply(source) instanceof Fixed fixed
                && fixed.shape().filter(heads::equals).isPresent();
        if (!constant) {
            throw Refusal.at(node, "has a sink that is not one constant a head");
        }
        String shape = "kindling.sinks." + scores.heads();
        constants.put(shape, TensorData.ofLongs(new long[] {1}, scores.heads()));
        into.add(new Node(name, "", "Reshape", List.of(source, shape), List.of(name), Map.of()));
        return name;
    }

    /**
     * Attention answers in the type it is asked in; what is written out may go from one precision to the other on the way.
     *
     * @return the answer in the type that {@code node} gave
     */
    private String inTypeOf(Node node, String query, String attended, DataType pages, List<Node> into) {
        Optional<DataType> asked = types.apply(query);
        Optional<DataType> wanted = types.apply(node.outputs().get(0));
        boolean known = asked.isPresent() && wanted.isPresent();
        if (known ? asked.equals(wanted) : pages == DataType.FLOAT) {
            return attended;
        }
        if (!known) {
            throw Refusal.at(node, "works in types that cannot be told, on states of " + pages.onnxName());
        }
        String cast = attended + ".cast";
        Map<String, Attribute> to =
                Map.of("to", Attribute.of((long) wanted.get().code()));
        into.add(new Node(cast, "", "Cast", List.of(attended), List.of(cast), to));
        return cast;
    }

    static Tokens output(CacheRules.Attention attention) {
        return new Tokens(
                List.of(
                        Size.of(1),
                        Size.of(attention.scores().heads()),
                        Size.FED,
                        Size.of(attention.values().size())),
                2);
    }

    /** The node without the two transpositions that cancel where it turns a result back. */
    Optional<Node> turnedBack(Node node) {
        return isHeadsFirst(node) && calls.containsKey(node.inputs().get(0))
                ? Optional.of(
                        heads(calls.get(node.inputs().get(0)), node.outputs().get(0)))
                : Optional.empty();
    }

    /**
     * {@code [1, T, heads * (size + padding)]} of {@code [1, heads, T, size]}. Pages have keys and values of one size;
     * values that are shorter than keys, as those of latent attention, end in zeros.
     */
    private String flat(String value, String name, long padding, List<Node> into) {
        String tokensFirst = name + ".tokens";
        Node producer = producers.get(value);
        if (producer != null && isHeadsFirst(producer)) {
            tokensFirst = producer.inputs().get(0);
        } else {
            into.add(transpose(value, tokensFirst));
        }
        if (padding > 0) {
            String pads = "kindling.pads." + padding;
            constants.put(pads, TensorData.ofLongs(new long[] {8}, 0, 0, 0, 0, 0, 0, 0, padding));
            String padded = name + ".padded";
            into.add(new Node(padded, "", "Pad", List.of(tokensFirst, pads), List.of(padded), Map.of()));
            tokensFirst = padded;
        }
        constants.put(FLAT_SHAPE, TensorData.ofLongs(new long[] {3}, 0, 0, -1));
        into.add(new Node(name, "", "Reshape", List.of(tokensFirst, FLAT_SHAPE), List.of(name), Map.of()));
        return name;
    }

    /** What attention gave without the ends that stand for padding. */
    private String unpadded(String attended, long heads, long size, long padded, List<Node> into) {
        if (size == padded) {
            return attended;
        }
        String apart = attended + ".apart";
        into.add(heads(new Call(attended, heads), apart));
        constants.put("kindling.from", TensorData.ofLongs(new long[] {1}, 0));
        constants.put("kindling.size." + size, TensorData.ofLongs(new long[] {1}, size));
        constants.put("kindling.last", TensorData.ofLongs(new long[] {1}, 3));
        String cut = attended + ".cut";
        List<String> bounds = List.of(apart, "kindling.from", "kindling.size." + size, "kindling.last");
        into.add(new Node(cut, "", "Slice", bounds, List.of(cut), Map.of()));
        String joined = attended + ".joined";
        into.add(new Node(joined, "", "Reshape", List.of(cut, FLAT_SHAPE), List.of(joined), Map.of()));
        return joined;
    }

    private static boolean isHeadsFirst(Node node) {
        return node.is("", "Transpose")
                && node.intsAttribute("perm")
                        .filter(order -> Arrays.equals(order, HEADS_FIRST))
                        .isPresent();
    }

    private Node heads(Call call, String output) {
        String shape = "kindling.heads_shape." + call.heads();
        constants.put(shape, TensorData.ofLongs(new long[] {4}, 0, 0, call.heads(), -1));
        return new Node(output, "", "Reshape", List.of(call.attended(), shape), List.of(output), Map.of());
    }

    private static Node transpose(String input, String output) {
        return new Node(
                output, "", "Transpose", List.of(input), List.of(output), Map.of("perm", Attribute.of(HEADS_FIRST)));
    }
}
