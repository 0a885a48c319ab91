package io.kindling.engine.sample;

import io.kindling.engine.GenerationOptions;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.util.Arrays;
import java.util.BitSet;

/**
 * Chooses tokens: repetition penalty, mask, then, unless greedy, temperature, top-k, top-p, min-p and a draw. The order and meanings
 * are those of Hugging Face's logits processors. Holds scratch memory, so one thread has one sampler.
 */
public final class Sampler {
    private static final int STRIDE = 1024;
    /** Candidates of top-p are first sought among tokens at least this likely, relative to the likeliest. */
    private static final float LIKELY = 1e-3f;

    private float[] scores = new float[0];
    private int[] ids = new int[0];
    private float[] probabilities = new float[0];
    private long[] keys = new long[0];

    /**
     * The next token of a row; {@link SamplerState#accept} must follow.
     *
     * @param logits raw, left as they are
     * @param offset where the row begins
     * @throws KindlingException NON_FINITE_LOGITS when a logit is NaN or +infinity, or all are −infinity
     */
    public int choose(float[] logits, int offset, int vocabulary, SamplerState state) {
        return choose(logits, offset, vocabulary, state, TokenMask.ALL);
    }

    /**
     * The same among some tokens alone: the others count for nothing in temperature, top-k, top-p and min-p.
     *
     * @param allowed at least one of the vocabulary
     * @throws KindlingException NON_FINITE_LOGITS, also when all that are allowed are −infinity
     */
    public int choose(float[] logits, int offset, int vocabulary, SamplerState state, TokenMask allowed) {
        int best = greedy(logits, offset, vocabulary);
        if (state.isPlainGreedy()) {
            return allowed.allows(best) ? best : highest(logits, offset, vocabulary, allowed);
        }
        if (scores.length < vocabulary) {
            scores = new float[vocabulary];
            ids = new int[vocabulary];
            probabilities = new float[vocabulary];
            keys = new long[vocabulary];
        }
        System.arraycopy(logits, offset, scores, 0, vocabulary);
        if (state.hasPenalty()) {
            penalize(state, vocabulary);
            best = greedy(scores, 0, vocabulary);
        }
        if (!allowed.allows(best)) {
            best = highest(scores, 0, vocabulary, allowed);
        }
        if (state.isGreedy()) {
            return best;
        }
        allowed.silence(scores, vocabulary);
        return draw(state, vocabulary, scores[best]);
    }

    private static int highest(float[] logits, int offset, int vocabulary, TokenMask allowed) {
        int best = allowed.highest(logits, offset, vocabulary);
        if (best < 0) {
            throw unsound("nothing but -Infinity for the tokens that may come next");
        }
        return best;
    }

    /**
     * The id with the highest logit, the lowest among equals, relative to {@code offset}.
     *
     * @throws KindlingException NON_FINITE_LOGITS like {@link #choose}
     */
    public static int greedy(float[] logits, int offset, int vocabulary) {
        float highest = Float.NEGATIVE_INFINITY;
        int block = offset;
        int end = offset + vocabulary;
        for (int start = offset; start < end; start += STRIDE) {
            float best = max(logits, start, Math.min(end, start + STRIDE));
            // Also true for NaN, which then stays.
            if (!(best <= highest)) {
                highest = best;
                block = start;
                if (Float.isNaN(best)) {
                    break;
                }
            }
        }
        if (!Float.isFinite(highest)) {
            throw unsound(String.valueOf(highest));
        }
        int index = block;
        while (logits[index] != highest) {
            index++;
        }
        return index - offset;
    }

    private static KindlingException unsound(String held) {
        return new KindlingException(
                ErrorCode.NON_FINITE_LOGITS,
                "the model's logits hold " + held + ": the weights or the precision are at fault; try precision exact");
    }

    /** NaN when one is among them: {@link Math#max} hands it on. */
    private static float max(float[] values, int from, int to) {
        float max = Float.NEGATIVE_INFINITY;
        for (int k = from; k < to; k++) {
            max = Math.max(max, values[k]);
        }
        return max;
    }

    /** Each token of prompt and answer once, however often it occurs (Keskar et al., CTRL, 2019). */
    private void penalize(SamplerState state, int vocabulary) {
        float penalty = (float) state.options().repetitionPenalty();
        BitSet seen = state.seen();
        for (int id = seen.nextSetBit(0); id >= 0 && id < vocabulary; id = seen.nextSetBit(id + 1)) {
            scores[id] = scores[id] > 0 ? scores[id] / penalty : scores[id] * penalty;
        }
    }

    private int draw(SamplerState state, int vocabulary, float highest) {
        GenerationOptions options = state.options();
        int count = keepTopK(vocabulary, options.topK());
        soften(count, highest, (float) options.temperature());
        if (options.topP() < 1) {
            count = keepTopP(count, options.topP());
        }
        if (options.minP() > 0) {
            count = keepMinP(count, options.minP());
        }
        return categorical(count, state.uniform());
    }

    /** Lists the ids, in order, whose score is finite and not below the k-th highest; ties may make them more than k. */
    private int keepTopK(int vocabulary, int k) {
        float kth = k > 0 && k < vocabulary ? kthHighest(vocabulary, k) : Float.NEGATIVE_INFINITY;
        float least = Math.max(kth, -Float.MAX_VALUE);
        int count = 0;
        for (int id = 0; id < vocabulary; id++) {
            if (scores[id] >= least) {
                ids[count++] = id;
            }
        }
        return count;
    }

    /** With a min-heap of k scores in {@link #probabilities}: nearly every token costs one comparison. */
    private float kthHighest(int vocabulary, int k) {
        float[] heap = probabilities;
        System.arraycopy(scores, 0, heap, 0, k);
        for (int parent = k / 2 - 1; parent >= 0; parent--) {
            sink(heap, parent, k);
        }
        for (int id = k; id < vocabulary; id++) {
            if (scores[id] > heap[0]) {
                heap[0] = scores[id];
                sink(heap, 0, k);
            }
        }
        return heap[0];
    }

    private static void sink(float[] heap, int from, int size) {
        int parent = from;
        float value = heap[from];
        for (int child = 2 * parent + 1; child < size; child = 2 * parent + 1) {
            if (child + 1 < size && heap[child + 1] < heap[child]) {
                child++;
            }
            if (value <= heap[child]) {
                break;
            }
            heap[parent] = heap[child];
            parent = child;
        }
        heap[parent] = value;
    }

    /** Turns scores into weights relative to the likeliest token, whose weight is 1. */
    private void soften(int count, float highest, float temperature) {
        for (int k = 0; k < count; k++) {
            probabilities[k] = (float) Math.exp((scores[ids[k]] - highest) / temperature);
        }
    }

    /** Keeps the smallest set of likeliest tokens whose probability reaches p; of equals the lower id comes first. */
    private int keepTopP(int count, double p) {
        double total = 0;
        double likely = 0;
        for (int k = 0; k < count; k++) {
            total += probabilities[k];
            likely += probabilities[k] >= LIKELY ? probabilities[k] : 0;
        }
        double wanted = p * total;
        int candidates = 0;
        for (int k = 0; k < count; k++) {
            if (likely < wanted || probabilities[k] >= LIKELY) {
                // Positive floats order like their bits; counting down from the largest puts them first.
                keys[candidates++] = (long) (Integer.MAX_VALUE - Float.floatToIntBits(probabilities[k])) << 32 | k;
            }
        }
        Arrays.sort(keys, 0, candidates);
        double sum = 0;
        int kept = 0;
        while (kept < candidates && (sum < wanted || kept == 0)) {
            sum += probabilities[(int) keys[kept++]];
        }
        for (int k = 0; k < kept; k++) {
            keys[k] = (int) keys[k];
        }
        Arrays.sort(keys, 0, kept);
        for (int k = 0; k < kept; k++) {
            int index = (int) keys[k];
            ids[k] = ids[index];
            probabilities[k] = probabilities[index];
        }
        return kept;
    }

    /** Drops tokens less likely than {@code minP} times the likeliest, whose weight is 1. */
    private int keepMinP(int count, double minP) {
        int kept = 0;
        for (int k = 0; k < count; k++) {
            if (probabilities[k] >= minP) {
                ids[kept] = ids[k];
                probabilities[kept++] = probabilities[k];
            }
        }
        return kept;
    }

    /** Inverts the distribution function in the order of ids. */
    private int categorical(int count, double uniform) {
        double total = 0;
        for (int k = 0; k < count; k++) {
            total += probabilities[k];
        }
        double wanted = uniform * total;
        double sum = 0;
        for (int k = 0; k < count; k++) {
            sum += probabilities[k];
            if (wanted < sum) {
                return ids[k];
            }
        }
        return ids[count - 1];
    }
}
