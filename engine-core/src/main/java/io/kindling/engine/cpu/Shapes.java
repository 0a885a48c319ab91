package io.kindling.engine.cpu;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/** Arithmetic on axes, shapes and strides. Strides count elements. */
final class Shapes {
    static final long[] SCALAR = {};

    private Shapes() {}

    /** An axis from 0; negative ones count from the end. */
    static int axis(long axis, int rank) {
        if (axis < -rank || axis >= Math.max(rank, 1)) {
            throw invalid("axis " + axis + " is outside a tensor of rank " + rank);
        }
        return (int) (axis < 0 ? axis + rank : axis);
    }

    /** Product of the dimensions from {@code from} to {@code to − 1}. */
    static int product(long[] shape, int from, int to) {
        long product = 1;
        for (int k = from; k < to; k++) {
            product = Math.multiplyExact(product, shape[k]);
        }
        return Math.toIntExact(product);
    }

    static int[] strides(long[] shape) {
        int[] strides = new int[shape.length];
        long stride = 1;
        for (int k = shape.length - 1; k >= 0; k--) {
            strides[k] = Math.toIntExact(stride);
            stride *= shape[k];
        }
        return strides;
    }

    /** The shape that all the given ones broadcast to, by NumPy's rules. */
    static long[] broadcast(long[]... shapes) {
        int rank = 0;
        for (long[] shape : shapes) {
            rank = Math.max(rank, shape.length);
        }
        long[] result = new long[rank];
        Arrays.fill(result, 1);
        for (long[] shape : shapes) {
            int shift = rank - shape.length;
            for (int k = 0; k < shape.length; k++) {
                if (result[shift + k] == 1) {
                    result[shift + k] = shape[k];
                } else if (shape[k] != 1 && shape[k] != result[shift + k]) {
                    throw invalid("shapes " + Arrays.deepToString(shapes) + " do not broadcast");
                }
            }
        }
        return result;
    }

    /** Strides that walk {@code shape} as if it had the broadcast shape: 0 where it repeats. */
    static int[] broadcastStrides(long[] shape, long[] target) {
        int[] own = strides(shape);
        int[] strides = new int[target.length];
        int shift = target.length - shape.length;
        for (int k = 0; k < shape.length; k++) {
            strides[shift + k] = shape[k] == 1 ? 0 : own[k];
        }
        return strides;
    }

    /**
     * Where each place of a batch begins in an operand whose batch repeats by NumPy's rules.
     *
     * @param batch dimensions of the operand's own batch, {@code strides} its strides
     * @param target dimensions that it broadcasts to
     */
    static int[] starts(long[] batch, int[] strides, long[] target) {
        int[] walk = new int[target.length];
        int shift = target.length - batch.length;
        for (int axis = 0; axis < batch.length; axis++) {
            walk[shift + axis] = batch[axis] == 1 ? 0 : strides[axis];
        }
        int[] starts = new int[product(target, 0, target.length)];
        Odometer position = new Odometer(target);
        for (int place = 0; place < starts.length; place++, position.next()) {
            starts[place] = position.offset(walk);
        }
        return starts;
    }

    /**
     * The shape of a stack of products {@code [m, k] · [k, n]}: vectors leave their axis out.
     *
     * @param batch dimensions of the stack
     */
    static long[] ofProducts(long[] batch, Tensor a, long m, Tensor b, long n) {
        int rank = batch.length;
        long[] shape = Arrays.copyOf(batch, rank + 2);
        if (a.rank() > 1) {
            shape[rank++] = m;
        }
        if (b.rank() > 1) {
            shape[rank++] = n;
        }
        return Arrays.copyOf(shape, rank);
    }

    static int[] axes(long[] axes, int rank) {
        int[] result = new int[axes.length];
        for (int k = 0; k < axes.length; k++) {
            result[k] = axis(axes[k], rank);
        }
        return result;
    }

    static KindlingException invalid(String problem) {
        return new KindlingException(ErrorCode.SHAPE_OR_TYPE, problem);
    }
}
