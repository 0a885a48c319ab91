package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/** Applies operations to broadcast tensors in stretches that stay in the first-level cache. */
final class Elementwise {
    static final int CHUNK = 1024;

    private Elementwise() {}

    /** Whether kernels compute the type in float. */
    static boolean inFloat(DataType type) {
        return type == DataType.FLOAT || type == DataType.FLOAT16 || type == DataType.BFLOAT16;
    }

    /** {@code z = x op y}, z having the broadcast shape; x and y of equal type. Results are converted to z's type, BOOL included. */
    static void binary(BinaryOp op, Tensor x, Tensor y, Tensor z) {
        if (x.type() != y.type()) {
            throw Shapes.invalid("operands have types " + x + " and " + y + ", which must be equal");
        }
        new BroadcastLoop(z.shape(), x.shape(), y.shape()).forEach((out, in, count, strides) -> {
            for (int done = 0; done < count; done += CHUNK) {
                int n = Math.min(CHUNK, count - done);
                int left = in[0] + done * strides[0];
                int right = in[1] + done * strides[1];
                if (inFloat(x.type())) {
                    floats(op, x, left, strides[0], y, right, strides[1], z, out + done, n);
                } else if (x.type() == DataType.DOUBLE) {
                    doubles(op, x, left, strides[0], y, right, strides[1], z, out + done, n);
                } else {
                    longs(op.longsFor(x.type()), x, left, strides[0], y, right, strides[1], z, out + done, n);
                }
            }
        });
    }

    private static void floats(
            BinaryOp op, Tensor x, int left, int stepX, Tensor y, int right, int stepY, Tensor z, int out, int n) {
        Work work = Work.mine();
        float[] a = work.floats(0, CHUNK);
        float[] b = work.floats(1, CHUNK);
        load(x, left, stepX, a, n);
        load(y, right, stepY, b, n);
        op.floats().apply(a, b, a, n);
        if (z.type() == DataType.BOOL) {
            for (int k = 0; k < n; k++) {
                z.bytes().put(out + k, (byte) (a[k] == 0 ? 0 : 1));
            }
        } else {
            TensorIo.store(a, 0, z, out, n);
        }
    }

    private static void doubles(
            BinaryOp op, Tensor x, int left, int stepX, Tensor y, int right, int stepY, Tensor z, int out, int n) {
        for (int k = 0; k < n; k++) {
            double value = op.doubles()
                    .apply(x.doubles().get(left + k * stepX), y.doubles().get(right + k * stepY));
            if (z.type() == DataType.BOOL) {
                z.bytes().put(out + k, (byte) (value == 0 ? 0 : 1));
            } else {
                z.doubles().put(out + k, value);
            }
        }
    }

    private static void longs(
            BinaryOp.Longs op,
            Tensor x,
            int left,
            int stepX,
            Tensor y,
            int right,
            int stepY,
            Tensor z,
            int out,
            int n) {
        for (int k = 0; k < n; k++) {
            TensorIo.putLong(
                    z,
                    out + k,
                    op.apply(TensorIo.getLong(x, left + k * stepX), TensorIo.getLong(y, right + k * stepY)));
        }
    }

    /** Reads {@code n} elements, or one element {@code n} times where {@code step} is 0. */
    static void load(Tensor tensor, int start, int step, float[] target, int n) {
        if (step == 0) {
            TensorIo.load(tensor, start, target, 0, 1);
            Arrays.fill(target, 1, n, target[0]);
        } else {
            TensorIo.load(tensor, start, target, 0, n);
        }
    }
}
