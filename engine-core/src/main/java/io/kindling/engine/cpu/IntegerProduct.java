package io.kindling.engine.cpu;

import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/** Stacks of 8-bit products {@code [M, K] · [K, N]} with exact 32-bit sums; vectors and stacks are those of NumPy's {@code matmul}. */
final class IntegerProduct {
    private static final int STEP = 32;
    private static final int TILE = TileMath.WIDTH;

    /** Where the sums of columns {@code column} and following of one row go. */
    interface Sink {
        void put(int element, int column, int[] sums, int width);
    }

    private final Tensor a;
    private final Tensor b;
    final int m;
    private final int k;
    final int n;

    /** Which matrix of A, and of B, each product takes. */
    private final int[] stacksA;

    private final int[] stacksB;
    final long[] shape;

    IntegerProduct(Tensor a, Tensor b) {
        this.a = a;
        this.b = b;
        if (a.rank() == 0 || b.rank() == 0 || b.dim(b.rank() == 1 ? 0 : -2) != a.dim(-1)) {
            throw Shapes.invalid(a + " and " + b + " cannot be multiplied");
        }
        k = (int) a.dim(-1);
        m = a.rank() == 1 ? 1 : (int) a.dim(-2);
        n = b.rank() == 1 ? 1 : (int) b.dim(-1);
        long[] batchA = batch(a);
        long[] batchB = batch(b);
        long[] batch = Shapes.broadcast(batchA, batchB);
        stacksA = Shapes.starts(batchA, Shapes.strides(batchA), batch);
        stacksB = Shapes.starts(batchB, Shapes.strides(batchB), batch);
        shape = Shapes.ofProducts(batch, a, m, b, n);
    }

    private static long[] batch(Tensor tensor) {
        return Arrays.copyOf(tensor.shape(), Math.max(0, tensor.rank() - 2));
    }

    void run(KernelPool pool, Tensor zeroA, Tensor zeroB, Sink sink) {
        int tiles = (n + TILE - 1) / TILE;
        pool.run(stacksA.length * tiles, part -> tile(part / tiles, part % tiles * TILE, zeroA, zeroB, sink));
    }

    private void tile(int stack, int column, Tensor zeroA, Tensor zeroB, Sink sink) {
        int width = Math.min(TILE, n - column);
        int stackA = stacksA[stack];
        int stackB = stacksB[stack];
        int stride = (k + STEP - 1) / STEP * STEP;
        Work work = Work.mine();
        int[] rows = work.ints(0, m * stride);
        int[][] tile = work.intRows(1, STEP, TILE);
        int[][] sums = work.intRows(2, m, TILE);
        Arrays.fill(rows, 0, m * stride, 0);
        for (int r = 0; r < m; r++) {
            Arrays.fill(sums[r], 0, TILE, 0);
            int zero = zero(zeroA, r, stackA * m + r);
            for (int i = 0; i < k; i++) {
                rows[r * stride + i] = (int) TensorIo.getLong(a, (stackA * m + r) * k + i) - zero;
            }
        }
        for (int start = 0; start < k; start += STEP) {
            for (int i = 0; i < STEP; i++) {
                Arrays.fill(tile[i], 0, TILE, 0);
            }
            for (int i = 0; i < Math.min(STEP, k - start); i++) {
                int line = (stackB * k + start + i) * n + column;
                for (int j = 0; j < width; j++) {
                    tile[i][j] = (int) TensorIo.getLong(b, line + j) - zero(zeroB, column + j, stackB * n + column + j);
                }
            }
            for (int r = 0; r < m; r++) {
                TileMath.accumulate(rows, r * stride + start, STEP, tile, sums[r]);
            }
        }
        for (int r = 0; r < m; r++) {
            sink.put((stack * m + r) * n + column, column, sums[r], width);
        }
    }

    /** One zero point for all, one a row or column, or one a row or column of each stack. */
    private static int zero(Tensor zeros, int index, int stackedIndex) {
        if (zeros == null) {
            return 0;
        }
        boolean stacked = zeros.rank() > 1 && zeros.elementCount() > Math.max(zeros.dim(-1), zeros.dim(-2));
        int at = zeros.elementCount() == 1 ? 0 : stacked ? stackedIndex : index;
        return (int) TensorIo.getLong(zeros, at);
    }

    /** {@code y = sum · scaleA · scaleB + bias}: one scale of A, one of B or one a column; the bias, which may be null, runs along the columns. */
    void scaled(KernelPool pool, Tensor zeroA, float scaleA, Tensor zeroB, Tensor scaleB, Tensor bias, Tensor y) {
        run(pool, zeroA, zeroB, (element, column, sums, width) -> {
            for (int j = 0; j < width; j++) {
                float right = TensorIo.getFloat(scaleB, scaleB.elementCount() == 1 ? 0 : column + j);
                float value = sums[j] * (scaleA * right);
                TensorIo.putDouble(y, element + j, bias == null ? value : value + TensorIo.getFloat(bias, column + j));
            }
        });
    }
}
