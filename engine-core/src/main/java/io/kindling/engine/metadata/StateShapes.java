package io.kindling.engine.metadata;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.ValueType.TensorType;
import io.kindling.engine.metadata.DecoderIo.Kind;
import io.kindling.engine.metadata.DecoderIo.State;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Makes states of paired ports: which axis grows, and what a state is before the first token.
 *
 * @param kvHeads what metadata says of axis 1 of keys and values, for graphs that leave it open
 * @param headSize what metadata says of their last axis; graphs of the genai exporter name it {@code kv_cache_dim}
 */
record StateShapes(Ports ports, OptionalInt kvHeads, OptionalInt headSize) {
    private static final int ATTENTION_RANK = 4;
    private static final int PAST_KEY_INPUT = 3;
    private static final int PAST_VALUE_INPUT = 4;

    /** @throws KindlingException UNRESOLVED when a size of the initial state is nowhere told */
    State state(String input, String output, Kind kind, int layer) {
        List<Dimension> shape = shape(input);
        OptionalInt window = slidingWindow(input);
        int axis = kind == Kind.FIXED || window.isPresent() ? -1 : growingAxis(input, output, shape);
        List<Long> initial = new ArrayList<>();
        for (int k = 0; k < shape.size(); k++) {
            initial.add(initialSize(input, shape, k, axis, window));
        }
        return new State(input, output, axis < 0 ? Kind.FIXED : kind, layer, axis, initial);
    }

    private List<Dimension> shape(String input) {
        return ports.inputType(input)
                .flatMap(TensorType::shape)
                .orElseThrow(() -> unresolved(input, "the graph declares no shape for it"));
    }

    /** The axis that is open and whose size differs between past and present; −1 when every size is fixed. */
    private int growingAxis(String input, String output, List<Dimension> past) {
        List<Dimension> present =
                ports.outputType(output).flatMap(TensorType::shape).orElse(List.of());
        List<Integer> open = new ArrayList<>();
        for (int k = 1; k < past.size(); k++) {
            boolean same = k < present.size()
                    && past.get(k) instanceof Dimension.Symbol
                    && past.get(k).equals(present.get(k));
            if (!(past.get(k) instanceof Dimension.Known) && !same) {
                open.add(k);
            }
        }
        if (open.size() == 1) {
            return open.get(0);
        }
        if (past.size() == ATTENTION_RANK && (open.isEmpty() ? !allKnown(past) : open.contains(2))) {
            return 2;
        }
        if (open.isEmpty()) {
            return -1;
        }
        throw unresolved(input, "more than one of its axes may grow: " + past);
    }

    private static boolean allKnown(List<Dimension> shape) {
        return shape.stream().skip(1).allMatch(dimension -> dimension instanceof Dimension.Known);
    }

    private long initialSize(String input, List<Dimension> shape, int axis, int growing, OptionalInt window) {
        if (axis == growing) {
            return 0;
        }
        if (shape.get(axis) instanceof Dimension.Known known) {
            return known.size();
        }
        if (axis == 0) {
            return 1;
        }
        if (axis == 2 && window.isPresent()) {
            return window.getAsInt();
        }
        if (axis == 1 && kvHeads.isPresent()) {
            return kvHeads.getAsInt();
        }
        if (axis == shape.size() - 1 && headSize.isPresent()) {
            return headSize.getAsInt();
        }
        throw unresolved(
                input,
                "axis " + axis + " of its shape " + shape
                        + " is open; declare head_size and num_key_value_heads in genai_config.json, or "
                        + "head_dim and num_kv_heads in inference_metadata.yaml");
    }

    /**
     * The rows of a windowed cache: {@code com.microsoft::GroupQueryAttention} with {@code sliding_window_cache} takes and gives
     * a buffer of constant size.
     */
    private OptionalInt slidingWindow(String input) {
        for (Node node : ports.graph().nodes()) {
            if (node.opType().equals("GroupQueryAttention") && node.intAttribute("sliding_window_cache", 0) == 1) {
                for (int k = PAST_KEY_INPUT;
                        k <= PAST_VALUE_INPUT && k < node.inputs().size();
                        k++) {
                    if (node.inputs().get(k).equals(input)) {
                        return OptionalInt.of(Math.toIntExact(node.intAttribute("local_window_size", -1)));
                    }
                }
            }
        }
        return OptionalInt.empty();
    }

    private static KindlingException unresolved(String input, String problem) {
        return new KindlingException(
                ErrorCode.UNRESOLVED, "cannot tell the initial shape of the state '" + input + "': " + problem);
    }
}
