package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.PackedRecurrence;
import io.kindling.engine.ir.PagedAttention;
import io.kindling.engine.metadata.DecoderIo;
import io.kindling.engine.optimize.ragged.Fact.Fixed;
import io.kindling.engine.optimize.ragged.Fact.Past;
import io.kindling.engine.optimize.ragged.Fact.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Replaces the recurrences of hybrid decoders by {@link PackedRecurrence}, where every sequence has a state of its own. */
final class RecurrenceRule {
    private static final Set<String> OPERATORS =
            Set.of(PackedRecurrence.LINEAR_ATTENTION, PackedRecurrence.CAUSAL_CONV);

    private static final int CONV_WEIGHT = 1;
    private static final int CONV_BIAS = 2;
    private static final int LINEAR_INPUTS = 6;

    private final Map<String, DataType> inputTypes;
    private final List<RaggedModel.SlotState> states = new ArrayList<>();

    RecurrenceRule(Map<String, DataType> inputTypes) {
        this.inputTypes = inputTypes;
    }

    static boolean matches(Node node) {
        return OPERATORS.contains(node.opType())
                && (node.domain().isEmpty() || node.domain().equals("com.microsoft"));
    }

    /** The states that have come to lie in slots so far. */
    List<RaggedModel.SlotState> states() {
        return states;
    }

    /** Output 0. */
    Tokens output(Node node, List<Fact> inputs) {
        Tokens input = (Tokens) inputs.get(0);
        if (node.opType().equals(PackedRecurrence.CAUSAL_CONV)) {
            return input;
        }
        long kvHeads = node.intAttribute("kv_num_heads", 1);
        long heads = Math.max(kvHeads, node.intAttribute("q_num_heads", 1));
        Size values = ((Tokens) inputs.get(2)).dims().get(2);
        return input.withDim(2, Size.of(values.constant() / kvHeads * heads));
    }

    /** The packed node. */
    Node lower(Node node, List<Fact> inputs) {
        boolean conv = node.opType().equals(PackedRecurrence.CAUSAL_CONV);
        if (conv) {
            requireConvolution(node, inputs);
        } else {
            requireLinear(node, inputs);
        }
        if (!(fact(inputs, PackedRecurrence.STATE) instanceof Past past)) {
            throw Refusal.at(node, "does not take a state of the decoder");
        }
        DecoderIo.State state = past.state();
        boolean returned = node.outputs().size() > 1 && node.outputs().get(1).equals(state.output());
        if (!returned || state.kind() != DecoderIo.Kind.FIXED) {
            throw Refusal.at(node, "does not return the state '" + state.output() + "' itself");
        }
        DataType type = inputTypes.get(state.input());
        if (type == null) {
            throw Refusal.at(node, "keeps a state of unknown type");
        }
        if (!conv) {
            // Rounded to less at the end of every run, a state would depend on how its sequence was cut.
            type = DataType.FLOAT;
        }
        String slots = "kindling.states." + states.size();
        List<String> packed = new ArrayList<>(node.inputs());
        packed.set(PackedRecurrence.STATE, slots);
        while (packed.size() < PackedRecurrence.SEQUENCE_SLOT) {
            packed.add("");
        }
        packed.add(RaggedModel.SEQUENCE_SLOT);
        packed.add(RaggedModel.TOKEN_SEQUENCE);
        packed.add(RaggedModel.TOKEN_POSITION);
        states.add(new RaggedModel.SlotState(
                slots, state.initialShape().subList(1, state.initialShape().size()), type));
        return new Node(
                node.name(),
                PagedAttention.DOMAIN,
                node.opType(),
                packed,
                node.outputs().subList(0, 1),
                node.attributes());
    }

    private static void requireConvolution(Node node, List<Fact> inputs) {
        int axis = node.intAttribute("channels_last", 0) != 0 ? 1 : 2;
        requireTokens(node, inputs, 0, axis);
        for (int k = CONV_WEIGHT; k <= CONV_BIAS; k++) {
            if (fact(inputs, k) != null && !(fact(inputs, k) instanceof Fixed)) {
                throw Refusal.at(node, "has an input " + k + " that is not constant");
            }
        }
    }

    private static void requireLinear(Node node, List<Fact> inputs) {
        for (int k = 0; k < Math.min(LINEAR_INPUTS, inputs.size()); k++) {
            if (k != PackedRecurrence.STATE && inputs.get(k) != null) {
                requireTokens(node, inputs, k, 1);
            }
        }
    }

    private static void requireTokens(Node node, List<Fact> inputs, int index, int axis) {
        boolean rows = fact(inputs, index) instanceof Tokens tokens
                && tokens.axis() == axis
                && tokens.perToken() == 1
                && tokens.dims().get(0).is(1);
        if (!rows) {
            throw Refusal.at(
                    node,
                    "has an input " + index + " that is not made of tokens along axis " + axis
                            + (fact(inputs, index) instanceof Fact.Mixed mixed ? ": " + mixed.why() : ""));
        }
    }

    private static Fact fact(List<Fact> inputs, int index) {
        return index < inputs.size() ? inputs.get(index) : null;
    }
}
