package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.OnnxModel;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A decoder that runs on the packed tokens of many sequences. Its inputs are T tokens of S sequences:
 *
 * <ul>
 *   <li>{@link #tokenInput} and {@link #positionIds} {@code [1, T]}, of the exported graph's types
 *   <li>{@link #BLOCK_TABLE} int32 {@code [S, blocks]}, {@link #TOKEN_SEQUENCE} and {@link #TOKEN_POSITION} int32
 *       {@code [T]}, as {@link io.kindling.engine.ir.PagedAttention} describes them
 *   <li>{@link #SAMPLE_ROWS} int64 {@code [R]}: indices of the tokens whose logits are wanted
 *   <li>the pages of every layer, which the graph writes in place
 *   <li>with a {@link #longFrom} only, {@link #TOKEN_SPAN} int32 {@code [T]}: how long its sequence was when the exported
 *       graph would have been fed the token, which is the whole prompt at once, then one token after the other
 *   <li>where it has states in slots, {@link #SEQUENCE_SLOT} int32 {@code [S, 2]} and the slots, which it writes in place
 * </ul>
 *
 * Its one output is {@link #logits} {@code [1, R, vocabulary]}.
 *
 * @param longFrom the length from which keys of a sequence differ from those of a shorter one with the same beginning
 */
public record RaggedModel(
        OnnxModel model,
        String tokenInput,
        Optional<String> positionIds,
        String logits,
        List<Layer> layers,
        List<SlotState> states,
        OptionalLong longFrom) {
    public static final String BLOCK_TABLE = "kindling.block_table";
    public static final String TOKEN_SEQUENCE = "kindling.token_sequence";
    public static final String TOKEN_POSITION = "kindling.token_position";
    public static final String TOKEN_SPAN = "kindling.token_span";
    public static final String SEQUENCE_SLOT = "kindling.sequence_slot";
    public static final String SAMPLE_ROWS = "kindling.sample_rows";

    /**
     * The cache of one attention node.
     *
     * @param keyPages input {@code [pages, kvHeads, headSize, 16]}
     * @param valuePages input {@code [pages, kvHeads, 16, headSize]}
     */
    public record Layer(String keyPages, String valuePages, long kvHeads, long headSize, DataType type) {}

    /**
     * A state of constant size; a sequence has two slots of it, as {@link io.kindling.engine.ir.PackedRecurrence} says.
     *
     * @param input {@code [slots, shape…]}
     */
    public record SlotState(String input, List<Long> shape, DataType type) {
        public SlotState {
            shape = List.copyOf(shape);
        }

        /** Bytes of one slot. */
        public long byteSize() {
            return type.byteSize(shape.stream().reduce(1L, Math::multiplyExact));
        }
    }

    public RaggedModel {
        layers = List.copyOf(layers);
        states = List.copyOf(states);
    }
}
