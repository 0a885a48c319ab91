package io.kindling.engine.cpu;

import io.kindling.engine.ir.PackedRecurrence;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/**
 * The stretches of tokens that a recurrence runs over, and where their states lie: the rows of a batch, or the sequences of
 * {@link PackedRecurrence}.
 *
 * @param tokens in all rows together
 * @param past states before, one row of it a stretch; null for zeros
 * @param present where the states behind go, the same tensor for packed sequences; null where nobody wants them
 * @param packed whether the stretches are packed sequences
 */
record SequenceRuns(int tokens, int batch, Tensor past, Tensor present, boolean packed, KernelContext context) {
    /** One stretch. */
    @FunctionalInterface
    interface Stretch {
        /**
         * @param from first token, counted through all rows
         * @param before row of the past states, −1 where the state is zero
         * @param behind row of the present states
         */
        void run(int from, int to, int before, int behind);
    }

    static boolean isPacked(KernelContext context) {
        return context.inputCount() > PackedRecurrence.TOKEN_POSITION;
    }

    static SequenceRuns rows(KernelContext context, int batch, int length, Tensor present) {
        Tensor past = context.hasInput(PackedRecurrence.STATE) ? context.input(PackedRecurrence.STATE) : null;
        return new SequenceRuns(batch * length, batch, past, present, false, context);
    }

    static SequenceRuns packed(KernelContext context, int tokens) {
        Tensor states = context.input(PackedRecurrence.STATE);
        return new SequenceRuns(tokens, 1, states, states, true, context);
    }

    void each(Stretch stretch) {
        if (!packed) {
            int length = batch == 0 ? 0 : tokens / batch;
            for (int row = 0; row < batch; row++) {
                stretch.run(row * length, (row + 1) * length, past == null ? -1 : row, row);
            }
            return;
        }
        Tensor sequences = context.input(PackedRecurrence.TOKEN_SEQUENCE);
        Tensor slots = context.input(PackedRecurrence.SEQUENCE_SLOT);
        for (int start = 0; start < tokens; ) {
            int sequence = sequences.ints().get(start);
            int end = start + 1;
            while (end < tokens && sequences.ints().get(end) == sequence) {
                end++;
            }
            boolean fresh =
                    context.input(PackedRecurrence.TOKEN_POSITION).ints().get(start) == 0;
            stretch.run(start, end, fresh ? -1 : slot(slots, 2 * sequence), slot(slots, 2 * sequence + 1));
            start = end;
        }
    }

    private int slot(Tensor slots, int index) {
        int slot = slots.ints().get(index);
        if (slot < 0 || slot >= past.dim(0)) {
            throw Shapes.invalid("slot " + slot + " of a sequence is none of the states " + past);
        }
        return slot;
    }
}
