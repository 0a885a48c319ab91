package io.kindling.engine.cpu;

import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * Attention of whole tensors: the part that {@code Attention}, {@code MultiHeadAttention} and their like share once they have
 * found their operands. Arithmetic: {@link AttentionCore}; query heads share key heads in groups.
 */
final class MaskedAttention {
    /** Adds masks of query row {@code s} to a bias over all positions, which begins as zeros; false where there is none. */
    @FunctionalInterface
    interface Bias {
        boolean addTo(int batch, int head, int s, float[] row);
    }

    /** First position seen, or one past the last. */
    @FunctionalInterface
    interface Limit {
        int of(int batch, int s);
    }

    /** What output {@code scores} shows; the numbers are those of {@code qk_matmul_output_mode}. */
    static final int RAW = 0;

    static final int CAPPED = 1;
    static final int BIASED = 2;
    static final int PROBABILITIES = 3;

    int batch;
    int heads;
    int kvHeads;
    int queries;
    int past;
    int fresh;
    float scale;
    float softcap;
    HeadView query;
    HeadView key;
    HeadView value;
    HeadView pastKey;
    HeadView pastValue;
    HeadView presentKey;
    HeadView presentValue;
    HeadView output;
    float[] queryBias;
    float[] keyBias;
    float[] valueBias;
    Bias bias = (b, h, s, row) -> false;
    Limit first = (b, s) -> 0;
    Limit end = (b, s) -> past + fresh;

    /** The row whose past holds a position of a row's own: another one's where beams share it. */
    Limit pastBatch = (b, position) -> b;

    /** Whether the present holds the past already, so that only fresh rows are written. */
    boolean presentHoldsPast;

    Tensor scores;
    int scoresMode;

    void run(KernelPool pool) {
        pool.run(batch * kvHeads, part -> head(part / kvHeads, part % kvHeads));
    }

    private void head(int b, int kv) {
        int rows = past + fresh;
        int keySize = query.size();
        int valueSize = value.size();
        Work work = Work.mine();
        float[][] keys = work.floatRows(0, keySize, rows);
        float[][] values = work.floatRows(1, rows, valueSize);
        float[] vector = work.floats(2, Math.max(keySize, valueSize));
        for (int r = 0; r < rows; r++) {
            loadRow(b, kv, r, keys, values, vector);
        }
        float[] weights = work.floats(3, Math.max(1, rows));
        float[] result = work.floats(4, valueSize);
        float[] biasRow = work.floats(5, Math.max(1, rows));
        int group = heads / kvHeads;
        for (int h = kv * group; h < (kv + 1) * group; h++) {
            for (int s = 0; s < queries; s++) {
                query.load(b, h, s, vector, 0);
                addTo(vector, keySize, queryBias, h);
                attend(b, h, s, rows, vector, keys, weights, biasRow);
                AttentionCore.combine(weights, 0, rows, values, valueSize, result);
                output.store(result, 0, b, h, s);
            }
        }
    }

    private void loadRow(int b, int kv, int r, float[][] keys, float[][] values, float[] vector) {
        int valueSize = value.size();
        if (r < past) {
            pastKey.load(pastBatch.of(b, r), kv, r, vector, 0);
            pastValue.load(pastBatch.of(b, r), kv, r, values[r], 0);
        } else {
            key.load(b, kv, r - past, vector, 0);
            addTo(vector, key.size(), keyBias, kv);
            value.load(b, kv, r - past, values[r], 0);
            addTo(values[r], valueSize, valueBias, kv);
        }
        AttentionCore.putKey(vector, query.size(), keys, r);
        if (r < past && presentHoldsPast) {
            return;
        }
        if (presentKey != null) {
            presentKey.store(vector, 0, b, kv, r);
        }
        if (presentValue != null) {
            presentValue.store(values[r], 0, b, kv, r);
        }
    }

    private static void addTo(float[] vector, int size, float[] bias, int head) {
        if (bias != null) {
            for (int d = 0; d < size; d++) {
                vector[d] += bias[head * size + d];
            }
        }
    }

    private void attend(
            int b, int h, int s, int rows, float[] vector, float[][] keys, float[] weights, float[] biasRow) {
        int from = Math.max(0, Math.min(rows, first.of(b, s)));
        int to = Math.max(from, Math.min(rows, end.of(b, s)));
        boolean all = scores != null;
        int low = all ? 0 : from;
        int high = all ? rows : to;
        AttentionCore.scores(vector, query.size(), keys, low, high, scale, weights);
        show(RAW, b, h, s, weights, rows);
        AttentionCore.softcap(weights, low, high, softcap);
        show(CAPPED, b, h, s, weights, rows);
        Arrays.fill(biasRow, 0, rows, 0);
        if (bias.addTo(b, h, s, biasRow)) {
            AttentionCore.addBias(weights, low, high, biasRow, 0);
        }
        Arrays.fill(weights, 0, from, Float.NEGATIVE_INFINITY);
        Arrays.fill(weights, to, rows, Float.NEGATIVE_INFINITY);
        show(BIASED, b, h, s, weights, rows);
        AttentionCore.softmax(weights, from, to, 0, AttentionCore.NO_SINK);
        Arrays.fill(weights, 0, from, 0);
        Arrays.fill(weights, to, rows, 0);
        show(PROBABILITIES, b, h, s, weights, rows);
    }

    private void show(int mode, int b, int h, int s, float[] weights, int rows) {
        if (scores != null && scoresMode == mode) {
            TensorIo.store(weights, 0, scores, ((b * heads + h) * queries + s) * rows, rows);
        }
    }
}
