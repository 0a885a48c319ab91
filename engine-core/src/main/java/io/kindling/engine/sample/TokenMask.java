package io.kindling.engine.sample;

import java.util.BitSet;

/** The tokens that may come next. Immutable. */
public final class TokenMask {
    /** Every token. */
    public static final TokenMask ALL = new TokenMask(null);

    /** A bit a token; null allows all. */
    private final long[] words;

    private TokenMask(long[] words) {
        this.words = words;
    }

    /** @param ids of the tokens that are allowed */
    public static TokenMask of(BitSet ids) {
        return new TokenMask(ids.toLongArray());
    }

    public boolean allows(int id) {
        return words == null || id >> 6 < words.length && (words[id >> 6] >>> id & 1) != 0;
    }

    /** Whether none of the first {@code vocabulary} tokens is allowed. */
    public boolean isEmpty(int vocabulary) {
        return next(0, vocabulary) < 0;
    }

    /** Memory that it takes. */
    public long bytes() {
        return words == null ? 0 : 8L * words.length;
    }

    /** The allowed id with the highest logit, the lowest among equals, relative to {@code offset}; −1 when all are −infinity. */
    int highest(float[] logits, int offset, int vocabulary) {
        float highest = Float.NEGATIVE_INFINITY;
        int best = -1;
        for (int id = next(0, vocabulary); id >= 0; id = next(id + 1, vocabulary)) {
            if (logits[offset + id] > highest) {
                highest = logits[offset + id];
                best = id;
            }
        }
        return best;
    }

    /** Sets the scores of tokens that are not allowed to −infinity. */
    void silence(float[] scores, int vocabulary) {
        if (words == null) {
            return;
        }
        for (int start = 0; start < vocabulary; start += 64) {
            long word = start >> 6 < words.length ? words[start >> 6] : 0;
            int end = Math.min(64, vocabulary - start);
            for (int k = 0; k < end && word != -1; k++) {
                if ((word >>> k & 1) == 0) {
                    scores[start + k] = Float.NEGATIVE_INFINITY;
                }
            }
        }
    }

    /** The first allowed id from {@code from} on and below {@code end}; −1 when there is none. */
    private int next(int from, int end) {
        if (words == null) {
            return from < end ? from : -1;
        }
        int word = from >> 6;
        if (word >= words.length) {
            return -1;
        }
        long bits = words[word] & -1L << from;
        while (bits == 0) {
            if (++word == words.length) {
                return -1;
            }
            bits = words[word];
        }
        int id = (word << 6) + Long.numberOfTrailingZeros(bits);
        return id < end ? id : -1;
    }
}
