package io.kindling.engine.sample;

import io.kindling.engine.GenerationOptions;
import io.kindling.engine.random.Philox;
import java.util.BitSet;

/** What sampling remembers of one row: its options, its random stream and the tokens it has seen. Not thread-safe. */
public final class SamplerState {
    private final GenerationOptions options;
    private final long rowKey;
    private final BitSet seen = new BitSet();
    private long step;

    /**
     * @param rowKey the caller's key of the row, or {@link RowKeys} of its prompt
     * @param prompt ids that the repetition penalty counts as seen
     */
    public SamplerState(GenerationOptions options, long rowKey, int[] prompt) {
        this.options = options;
        this.rowKey = rowKey;
        if (hasPenalty()) {
            for (int id : prompt) {
                seen.set(id);
            }
        }
    }

    /** Takes the token that was fed after a choice, which forced continuations choose themselves. */
    public void accept(int token) {
        step++;
        if (hasPenalty()) {
            seen.set(token);
        }
    }

    /** Whether the highest raw logit is the choice, so that a device may take it. */
    public boolean isPlainGreedy() {
        return isGreedy() && !hasPenalty();
    }

    boolean isGreedy() {
        return options.temperature() == 0;
    }

    boolean hasPenalty() {
        return options.repetitionPenalty() != 1;
    }

    GenerationOptions options() {
        return options;
    }

    BitSet seen() {
        return seen;
    }

    /** A number in [0, 1) that depends on seed, row and step alone. */
    double uniform() {
        return Philox.uniform(options.seed(), rowKey, step);
    }
}
