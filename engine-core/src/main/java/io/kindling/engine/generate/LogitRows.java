package io.kindling.engine.generate;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.Half;
import io.kindling.engine.provider.Tensor;
import java.nio.FloatBuffer;
import java.nio.ShortBuffer;

/** Rows of float32 logits on the Java heap, reused from step to step. */
final class LogitRows {
    private float[][] rows = new float[0][];
    private int count;

    void clear() {
        count = 0;
    }

    int count() {
        return count;
    }

    float[] row(int index) {
        return rows[index];
    }

    /** Appends row {@code index} of a tensor seen as {@code [rows, vocabulary]}; float16 and bfloat16 are widened. */
    void append(Tensor logits, long index) {
        int vocabulary = Math.toIntExact(logits.dim(-1));
        int offset = Math.toIntExact(index * vocabulary);
        if (count == rows.length) {
            rows = java.util.Arrays.copyOf(rows, Math.max(4, 2 * rows.length));
        }
        if (rows[count] == null || rows[count].length != vocabulary) {
            rows[count] = new float[vocabulary];
        }
        float[] row = rows[count++];
        switch (logits.type()) {
            case FLOAT -> {
                FloatBuffer source = logits.floats();
                source.get(offset, row);
            }
            case FLOAT16 -> {
                ShortBuffer source = logits.shorts();
                for (int k = 0; k < vocabulary; k++) {
                    row[k] = Half.toFloat(source.get(offset + k));
                }
            }
            case BFLOAT16 -> {
                ShortBuffer source = logits.shorts();
                for (int k = 0; k < vocabulary; k++) {
                    row[k] = Float.intBitsToFloat(source.get(offset + k) << 16);
                }
            }
            default ->
                throw new KindlingException(
                        ErrorCode.UNSUPPORTED,
                        "logits of type " + logits.type().onnxName()
                                + " are not supported; export the decoder with float32, float16 or bfloat16 logits");
        }
    }
}
