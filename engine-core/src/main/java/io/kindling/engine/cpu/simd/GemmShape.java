package io.kindling.engine.cpu.simd;

import java.util.Arrays;

/**
 * The sizes of one product of stacks of matrices by NumPy's rules, and where its operands' matrices begin. Strides count elements.
 *
 * @param output shape of the result
 * @param stacks dimensions of the stack: one product of {@code [m, k] · [k, n]} for each place
 * @param stackA strides of A along {@code stacks}, 0 where it repeats
 */
record GemmShape(
        long[] output, long m, long n, long k, Matrix a, Matrix b, long[] stacks, long[] stackA, long[] stackB) {

    /** Strides from one row to the next, and from one column to the next. */
    record Matrix(long row, long column) {
        /** @param columns of the tensor as it lies, before it is transposed */
        static Matrix of(long columns, boolean transposed) {
            return transposed ? new Matrix(1, columns) : new Matrix(columns, 1);
        }
    }

    private static final long[] NONE = {};

    /**
     * @param transA whether the last two axes of A are exchanged; has no meaning for rank 1
     * @return null where the shapes cannot be multiplied
     */
    static GemmShape of(long[] a, boolean transA, long[] b, boolean transB) {
        if (a.length == 0 || b.length == 0) {
            return null;
        }
        boolean turnA = transA && a.length > 1;
        boolean turnB = transB && b.length > 1;
        long lastA = a[a.length - 1];
        long lastB = b.length > 1 ? b[b.length - 1] : 1;
        long firstA = a.length > 1 ? a[a.length - 2] : 1;
        long firstB = b.length > 1 ? b[b.length - 2] : b[0];
        long m = turnA ? lastA : firstA;
        long k = turnA ? firstA : lastA;
        long n = turnB ? firstB : lastB;
        long[] batchA = Arrays.copyOf(a, Math.max(0, a.length - 2));
        long[] batchB = Arrays.copyOf(b, Math.max(0, b.length - 2));
        long[] stacks = broadcast(batchA, batchB);
        if (k != (turnB ? lastB : firstB) || stacks == null) {
            return null;
        }
        long[] output = Arrays.copyOf(stacks, stacks.length + 2);
        int rank = stacks.length;
        if (a.length > 1) {
            output[rank++] = m;
        }
        if (b.length > 1) {
            output[rank++] = n;
        }
        Matrix matrixA = Matrix.of(lastA, turnA);
        Matrix matrixB = Matrix.of(lastB, turnB);
        output = Arrays.copyOf(output, rank);
        if (!turnA && count(batchB) == 1) {
            // One B for all of A: its stack is one taller matrix.
            return new GemmShape(output, m * count(batchA), n, k, matrixA, matrixB, NONE, NONE, NONE);
        }
        long[] stackA = strides(batchA, m * k, stacks.length);
        long[] stackB = strides(batchB, k * n, stacks.length);
        return new GemmShape(output, m, n, k, matrixA, matrixB, stacks, stackA, stackB);
    }

    private static long[] broadcast(long[] a, long[] b) {
        long[] result = new long[Math.max(a.length, b.length)];
        for (int axis = 1; axis <= result.length; axis++) {
            long left = axis <= a.length ? a[a.length - axis] : 1;
            long right = axis <= b.length ? b[b.length - axis] : 1;
            if (left != right && left != 1 && right != 1) {
                return null;
            }
            result[result.length - axis] = left == 1 ? right : left;
        }
        return result;
    }

    private static long[] strides(long[] batch, long size, int rank) {
        long[] strides = new long[rank];
        long stride = size;
        for (int axis = 1; axis <= batch.length; axis++) {
            long dimension = batch[batch.length - axis];
            strides[rank - axis] = dimension == 1 ? 0 : stride;
            stride *= dimension;
        }
        return strides;
    }

    /** Number of products. */
    long count() {
        return count(stacks);
    }

    private static long count(long[] dimensions) {
        long count = 1;
        for (long dimension : dimensions) {
            count *= dimension;
        }
        return count;
    }

    /** Where A of product {@code index} begins. */
    long startA(long index) {
        return start(index, stackA);
    }

    /** Where B of product {@code index} begins. */
    long startB(long index) {
        return start(index, stackB);
    }

    private long start(long index, long[] strides) {
        long start = 0;
        long rest = index;
        for (int axis = stacks.length - 1; axis >= 0; axis--) {
            start += rest % stacks[axis] * strides[axis];
            rest /= stacks[axis];
        }
        return start;
    }
}
