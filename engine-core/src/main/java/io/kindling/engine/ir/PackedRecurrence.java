package io.kindling.engine.ir;

/**
 * The internal operators {@code kindling::LinearAttention} and {@code kindling::CausalConvWithState} (since version 1), which
 * the ragged lowering puts in place of the operators of these names: the same recurrences over packed tokens of many
 * sequences, each with a state of its own.
 *
 * <p>T tokens of S sequences are packed along the axis of the tokens, as {@link PagedAttention} describes them. Inputs 0 to 5
 * and all attributes are those of the exported operator with batch 1, but for the state: it is a tensor {@code [slots, …]}
 * whose rows are read and written <em>in place</em>. A sequence has two of them, one with its state before the run and one
 * for the state behind it, so that a run that fails has changed nothing. A sequence whose first token in the run has
 * position 0 starts with a state of zeros, whatever its slot holds. Behind them come
 *
 * <ol start="6">
 *   <li>{@link #SEQUENCE_SLOT} int32 {@code [S, 2]}: the rows of the states before and behind the run
 *   <li>{@link #TOKEN_SEQUENCE} int32 {@code [T]}
 *   <li>{@link #TOKEN_POSITION} int32 {@code [T]}
 * </ol>
 *
 * <p>Output 0 is that of the exported operator. A token's result depends on its sequence alone, to the same bits, however
 * the sequence was cut into runs.
 */
public final class PackedRecurrence {
    public static final String LINEAR_ATTENTION = "LinearAttention";
    public static final String CAUSAL_CONV = "CausalConvWithState";

    /** The state, where it stands in the exported operators too. */
    public static final int STATE = 3;

    public static final int SEQUENCE_SLOT = 6;
    public static final int TOKEN_SEQUENCE = 7;
    public static final int TOKEN_POSITION = 8;

    private PackedRecurrence() {}
}
