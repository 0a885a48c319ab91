package io.kindling.engine.generate;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.provider.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;

/**
 * A decoder whose next token is the last one plus one, so that answers are known without a model. It records its runs,
 * checks that tokens come in order, and can be held up between steps.
 */
final class SuccessorDecoder implements Decoder {
    static final int VOCABULARY = 128;

    /** A prompt with this id makes the run fail. */
    static final int POISON = 7;

    /** This id's logits are not finite. */
    static final int NOT_FINITE = 8;

    final List<List<Slice>> runs = new ArrayList<>();
    final boolean packs;
    final int capacity;
    final Semaphore gate;
    volatile int open;
    volatile boolean closed;
    private final LogitRows logits = new LogitRows();

    SuccessorDecoder(boolean packs, int capacity, Semaphore gate) {
        this.packs = packs;
        this.capacity = capacity;
        this.gate = gate;
    }

    @Override
    public Optional<DecoderSequence> admit(int[] prompt, int maxTokens) {
        if (open == capacity) {
            return Optional.empty();
        }
        open++;
        return Optional.of(new Fed());
    }

    @Override
    public boolean packsRows() {
        return packs;
    }

    @Override
    public void run(List<Slice> slices) {
        gate.acquireUninterruptibly();
        logits.clear();
        for (Slice slice : slices) {
            if (slice.ids()[slice.from()] == POISON) {
                throw new KindlingException(ErrorCode.SHAPE_OR_TYPE, "poison");
            }
        }
        runs.add(List.copyOf(slices));
        for (Slice slice : slices) {
            Fed fed = (Fed) slice.sequence();
            if (fed.length != slice.from()) {
                throw new IllegalStateException("fed out of order");
            }
            fed.length += slice.count();
            if (slice.sample()) {
                float[] row = new float[VOCABULARY];
                int last = slice.ids()[slice.from() + slice.count() - 1];
                row[(last + 1) % VOCABULARY] = last == NOT_FINITE ? Float.NaN : 1;
                logits.append(Tensor.ofFloats(new long[] {1, 1, VOCABULARY}, row), 0);
            }
        }
    }

    @Override
    public LogitRows logits() {
        return logits;
    }

    /** As if each sequence had one. */
    @Override
    public long pagesInUse() {
        return open;
    }

    @Override
    public long pagesPeak() {
        return 0;
    }

    @Override
    public void close() {
        closed = true;
    }

    private final class Fed implements DecoderSequence {
        private int length;

        @Override
        public int length() {
            return length;
        }

        @Override
        public void close() {
            open--;
        }
    }
}
