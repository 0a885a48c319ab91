package io.kindling.engine.cpu;

import java.util.Arrays;

/**
 * Attention of one query vector over the keys and values of one head: the arithmetic that every attention operator shares.
 *
 * <p>A score is summed over the head in ascending order; the softmax sum has {@value #LANES} lanes, position p going to lane
 * p mod {@value #LANES}, added in lane order at the end; the output is summed over positions in ascending order. So the result
 * depends on the query and on the positions it sees, never on how many queries come together, and positions of weight zero
 * change no bit.
 */
final class AttentionCore {
    static final int LANES = 16;

    /** What the softmax sum gets besides the positions; NaN: nothing. */
    static final float NO_SINK = Float.NaN;

    private AttentionCore() {}

    /**
     * Scaled scores {@code scale · q·k} of positions {@code first} to {@code end − 1}.
     *
     * @param keys keys transposed: element d of position p at {@code keys[d][p]}
     */
    static void scores(float[] query, int headSize, float[][] keys, int first, int end, float scale, float[] scores) {
        Arrays.fill(scores, first, end, 0);
        int d = 0;
        for (; d + 3 < headSize; d += 4) {
            TileMath.fourLines(
                    query[d],
                    keys[d],
                    query[d + 1],
                    keys[d + 1],
                    query[d + 2],
                    keys[d + 2],
                    query[d + 3],
                    keys[d + 3],
                    scores,
                    first,
                    end);
        }
        for (; d < headSize; d++) {
            addLine(query[d], keys[d], scores, first, end);
        }
        for (int p = first; p < end; p++) {
            scores[p] *= scale;
        }
    }

    private static void addLine(float factor, float[] line, float[] sums, int first, int end) {
        for (int p = first; p < end; p++) {
            sums[p] += factor * line[p];
        }
    }

    /** {@code cap · tanh(score / cap)} in place; a cap of 0 is none. */
    static void softcap(float[] scores, int first, int end, float cap) {
        if (cap != 0) {
            for (int p = first; p < end; p++) {
                scores[p] = cap * (float) Math.tanh(scores[p] / cap);
            }
        }
    }

    /** Adds element {@code biasOffset + p} of a bias to score p. */
    static void addBias(float[] scores, int first, int end, float[] bias, int biasOffset) {
        for (int p = first; p < end; p++) {
            scores[p] += bias[biasOffset + p];
        }
    }

    /**
     * Softmax in place over positions {@code first} to {@code end − 1}; all zeros where every score is −∞ and there is no sink.
     *
     * @param base absolute position of index 0, which decides the lanes
     * @param sink a logit that takes part in the sum only, or {@link #NO_SINK}
     */
    static void softmax(float[] scores, int first, int end, int base, float sink) {
        boolean hasSink = !Float.isNaN(sink);
        float max = hasSink ? sink : Float.NEGATIVE_INFINITY;
        for (int p = first; p < end; p++) {
            max = Math.max(max, scores[p]);
        }
        if (max == Float.NEGATIVE_INFINITY) {
            Arrays.fill(scores, first, end, 0);
            return;
        }
        float[] lanes = Work.mine().floats(SUM_SLOT, LANES);
        Arrays.fill(lanes, 0, LANES, 0);
        for (int p = first; p < end; p++) {
            float e = (float) Math.exp(scores[p] - max);
            scores[p] = e;
            lanes[base + p & LANES - 1] += e;
        }
        float sum = hasSink ? (float) Math.exp(sink - max) : 0;
        for (int lane = 0; lane < LANES; lane++) {
            sum += lanes[lane];
        }
        float inverse = 1 / sum;
        for (int p = first; p < end; p++) {
            scores[p] *= inverse;
        }
    }

    /** The float slot of {@link Work} that {@link #softmax} takes. */
    static final int SUM_SLOT = 7;

    /** Weighted sum of the value vectors of positions {@code first} to {@code end − 1}. */
    static void combine(float[] weights, int first, int end, float[][] values, int valueSize, float[] output) {
        Arrays.fill(output, 0, valueSize, 0);
        int p = first;
        for (; p + 3 < end; p += 4) {
            TileMath.fourLines(
                    weights[p],
                    values[p],
                    weights[p + 1],
                    values[p + 1],
                    weights[p + 2],
                    values[p + 2],
                    weights[p + 3],
                    values[p + 3],
                    output,
                    0,
                    valueSize);
        }
        for (; p < end; p++) {
            addLine(weights[p], values[p], output, 0, valueSize);
        }
    }

    /** Puts a key vector at position {@code p} of transposed keys. */
    static void putKey(float[] vector, int headSize, float[][] keys, int p) {
        for (int d = 0; d < headSize; d++) {
            keys[d][p] = vector[d];
        }
    }

    /** Rotates the first {@code 2 · half} elements of a head in place; {@code angles} holds {@code half} cosines, then as many sines. */
    static void rotate(float[] vector, int offset, float[] angles, int half, boolean interleaved) {
        for (int k = 0; k < half; k++) {
            int a = offset + (interleaved ? 2 * k : k);
            int b = interleaved ? a + 1 : a + half;
            float x = vector[a];
            float y = vector[b];
            vector[a] = x * angles[k] - y * angles[half + k];
            vector[b] = y * angles[k] + x * angles[half + k];
        }
    }

    /** Root mean square normalisation of one head in place; statistics in double. */
    static void normalise(float[] vector, int offset, int size, float[] weight, float epsilon) {
        double squares = 0;
        for (int k = 0; k < size; k++) {
            squares += (double) vector[offset + k] * vector[offset + k];
        }
        double inverse = 1 / Math.sqrt(squares / size + epsilon);
        for (int k = 0; k < size; k++) {
            vector[offset + k] = (float) (vector[offset + k] * inverse * weight[k]);
        }
    }
}
