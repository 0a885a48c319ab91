package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.PagedAttention;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.metadata.DecoderIo;
import io.kindling.engine.optimize.ragged.Fact.ByLength;
import io.kindling.engine.optimize.ragged.Fact.Fixed;
import io.kindling.engine.optimize.ragged.Fact.Sizes;
import io.kindling.engine.optimize.ragged.Fact.Tokens;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Replaces {@code com.microsoft::GroupQueryAttention} by {@link PagedAttention}, where both compute the same. */
final class AttentionRule {
    private static final int PAST_KEY = 3;
    private static final int PAST_VALUE = 4;
    private static final int SEQLENS = 5;
    private static final int TOTAL = 6;
    private static final int COS = 7;
    private static final int SIN = 8;
    private static final int POSITION_IDS = 9;
    private static final int SINK = 11;
    private static final int QUERY_NORM = 14;
    private static final int KEY_NORM = 15;
    private static final Set<Integer> KNOWN_INPUTS =
            Set.of(0, 1, 2, PAST_KEY, PAST_VALUE, SEQLENS, TOTAL, COS, SIN, POSITION_IDS, SINK, QUERY_NORM, KEY_NORM);

    /** Attributes that mean the same in both operators. */
    private static final Set<String> COPIED = Set.of(
            "num_heads",
            "kv_num_heads",
            "scale",
            "softcap",
            "local_window_size",
            "do_rotary",
            "rotary_interleaved",
            "smooth_softmax");

    /** Attributes whose default alone is followed; pages keep all positions, so that a window-sized cache needs nothing. */
    private static final Map<String, Attribute> DEFAULTS = Map.of(
            "causal", Attribute.of(1L),
            "qk_output", Attribute.of(0L),
            "kv_cache_bit_width", Attribute.of(0L),
            "k_quant_type", Attribute.of("NONE"),
            "v_quant_type", Attribute.of("NONE"));

    private static final Set<String> WITHOUT_EFFECT =
            Set.of("sliding_window_cache", "qk_norm_epsilon", "q_norm_epsilon", "k_norm_epsilon");

    private final DecoderIo io;
    private final PageLayers layers;
    private final LengthSwitch lengths;
    private final Map<String, TensorData> constants;

    /** @param constants takes what the new nodes read */
    AttentionRule(DecoderIo io, PageLayers layers, LengthSwitch lengths, Map<String, TensorData> constants) {
        this.io = io;
        this.layers = layers;
        this.lengths = lengths;
        this.constants = constants;
    }

    static boolean matches(Node node) {
        return node.is("com.microsoft", "GroupQueryAttention");
    }

    /**
     * Adds the packed node, and before it what it leaves to other operators: norms of queries and keys, and rotation by
     * tables that depend on the sequence's length.
     *
     * @param facts what is known of the inputs, null where absent
     */
    void lower(Node node, List<Fact> facts, List<Node> into) {
        requirePlain(node, facts);
        DecoderIo.State key = state(node, PAST_KEY, 1);
        DecoderIo.State value = state(node, PAST_VALUE, 2);
        RaggedModel.Layer pages = layers.add(node, key, value);
        Map<String, Attribute> attributes = new HashMap<>(node.attributes());
        attributes.keySet().retainAll(COPIED);
        boolean rotates = node.intAttribute("do_rotary", 0) != 0;
        boolean byLength = rotates && facts.get(COS) instanceof ByLength;
        AttentionParts parts = new AttentionParts(node, pages, constants, into);
        if (byLength
                || !name(node, QUERY_NORM).isEmpty()
                || !name(node, KEY_NORM).isEmpty()) {
            parts.split();
        }
        parts.normalise(name(node, QUERY_NORM), name(node, KEY_NORM));
        if (byLength) {
            String cos = lengths.rows(node, (ByLength) facts.get(COS), into);
            String sin = lengths.rows(node, (ByLength) facts.get(SIN), into);
            parts.rotate(
                    lengths.firstRow(),
                    cos,
                    sin,
                    2 * ((ByLength) facts.get(COS)).belowShape().get(1));
            attributes.remove("do_rotary");
            attributes.remove("rotary_interleaved");
        }
        String[] inputs = parts.inputs();
        if (rotates && !byLength) {
            inputs[PagedAttention.COS_CACHE] = name(node, COS);
            inputs[PagedAttention.SIN_CACHE] = name(node, SIN);
        }
        inputs[PagedAttention.HEAD_SINK] = name(node, SINK);
        into.add(PageLayers.call(node.name(), inputs, node.outputs().get(0), attributes));
    }

    /** Output 0: {@code [1, S, num_heads * head]}. */
    Tokens output(Node node) {
        long width = node.intAttribute("num_heads", 0)
                * layers.all().get(layers.all().size() - 1).headSize();
        return new Tokens(List.of(Size.of(1), Size.FED, Size.of(width)), 1);
    }

    private void requirePlain(Node node, List<Fact> facts) {
        for (int k = 0; k < facts.size(); k++) {
            if (facts.get(k) != null && !KNOWN_INPUTS.contains(k)) {
                throw Refusal.at(node, "has an input " + k + ", which packed attention does not take");
            }
        }
        for (int k = PagedAttention.QUERY; k <= PagedAttention.VALUE; k++) {
            boolean separate = k < facts.size() && facts.get(k) != null;
            if ((separate || k == 0) && !isRows(facts.get(k))) {
                throw Refusal.at(
                        node,
                        "has an input " + k + " that is not [1, tokens, features]"
                                + (facts.get(k) instanceof Fact.Mixed mixed ? ": " + mixed.why() : ""));
            }
        }
        for (int k : new int[] {COS, SIN, SINK, QUERY_NORM, KEY_NORM}) {
            boolean table = k == COS || k == SIN;
            boolean constant = k >= facts.size()
                    || facts.get(k) == null
                    || facts.get(k) instanceof Fixed
                    || table && facts.get(COS) instanceof ByLength && facts.get(SIN) instanceof ByLength;
            if (!constant) {
                throw Refusal.at(
                        node,
                        "has an input " + k + " that is not constant"
                                + (facts.get(k) instanceof Fact.Mixed mixed ? ": " + mixed.why() : ""));
            }
        }
        if (!isOne(facts.get(SEQLENS), Size.TOTAL.plus(Size.of(-1))) || !isOne(facts.get(TOTAL), Size.TOTAL)) {
            throw Refusal.at(node, "takes sequence lengths that are not proven to be those of the attention mask");
        }
        if (POSITION_IDS < facts.size()
                && facts.get(POSITION_IDS) != null
                && !io.positionIds().equals(java.util.Optional.of(name(node, POSITION_IDS)))) {
            throw Refusal.at(node, "takes position ids that are not the graph's");
        }
        if (node.outputs().size() > 3) {
            throw Refusal.at(node, "has an output for scores");
        }
        node.attributes().forEach((key, value) -> {
            boolean followed = COPIED.contains(key) || WITHOUT_EFFECT.contains(key) || isDefault(key, value);
            if (!followed) {
                throw Refusal.at(node, "has the attribute " + key + ", which packed attention does not follow");
            }
        });
    }

    private static boolean isDefault(String key, Attribute value) {
        Attribute expected = DEFAULTS.get(key);
        return expected instanceof Attribute.StringValue text
                ? value instanceof Attribute.StringValue found && found.text().equals(text.text())
                : expected != null && expected.equals(value);
    }

    private static boolean isRows(Fact fact) {
        return fact instanceof Tokens tokens
                && tokens.rank() == 3
                && tokens.axis() == 1
                && tokens.perToken() == 1
                && tokens.dims().get(0).is(1);
    }

    private static boolean isOne(Fact fact, Size size) {
        return fact instanceof Sizes sizes && sizes.values().equals(List.of(size));
    }

    private DecoderIo.State state(Node node, int input, int output) {
        String past = name(node, input);
        DecoderIo.State state = io.states().stream()
                .filter(candidate -> candidate.input().equals(past))
                .findFirst()
                .orElseThrow(() -> Refusal.at(node, "takes '" + past + "', which is no state of the decoder"));
        boolean returned =
                output < node.outputs().size() && node.outputs().get(output).equals(state.output());
        if (!returned) {
            throw Refusal.at(node, "does not return the state '" + state.output() + "' itself");
        }
        return state;
    }

    private static String name(Node node, int input) {
        return input < node.inputs().size() ? node.inputs().get(input) : "";
    }
}
