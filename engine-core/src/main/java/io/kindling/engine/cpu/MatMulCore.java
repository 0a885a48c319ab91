package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * Dense matrix products {@code C[M, N] = alpha · A[M, K] · B[K, N]} of any numeric type: float32 sums for the types up to 32
 * bits, double sums for DOUBLE, integers modulo their width. Each element is summed over k in ascending order.
 */
final class MatMulCore {
    private static final int TILE = TileMath.WIDTH;
    private static final int STEP = 32;
    private static final int ROWS = 64;

    /** A matrix inside a tensor: element (r, c) at {@code offset + r · rowStride + c · columnStride}. */
    record Matrix(Tensor tensor, int offset, int rowStride, int columnStride) {
        Matrix at(int newOffset) {
            return new Matrix(tensor, newOffset, rowStride, columnStride);
        }
    }

    private MatMulCore() {}

    /** Parts that {@link #part} divides a product of {@code n} columns into. */
    static int parts(int n) {
        return (n + TILE - 1) / TILE;
    }

    /** Columns {@code part · TILE} and following of C, which is dense from {@code offset} on. */
    static void part(Matrix a, Matrix b, int m, int k, int n, float alpha, Tensor c, int offset, int part) {
        int column = part * TILE;
        int width = Math.min(TILE, n - column);
        DataType type = c.type();
        if (Elementwise.inFloat(type)) {
            floats(a, b, m, k, n, alpha, c, offset, column, width);
        } else {
            for (int row = 0; row < m; row++) {
                for (int j = column; j < column + width; j++) {
                    if (type == DataType.DOUBLE) {
                        c.doubles().put(offset + row * n + j, alpha * doubleDot(a, b, row, j, k));
                    } else {
                        long sum = longDot(a, b, row, j, k);
                        TensorIo.putLong(c, offset + row * n + j, alpha == 1 ? sum : (long) (alpha * sum));
                    }
                }
            }
        }
    }

    private static double doubleDot(Matrix a, Matrix b, int row, int column, int k) {
        double sum = 0;
        for (int i = 0; i < k; i++) {
            sum += a.tensor.doubles().get(a.offset + row * a.rowStride + i * a.columnStride)
                    * b.tensor.doubles().get(b.offset + i * b.rowStride + column * b.columnStride);
        }
        return sum;
    }

    private static long longDot(Matrix a, Matrix b, int row, int column, int k) {
        long sum = 0;
        for (int i = 0; i < k; i++) {
            sum += TensorIo.getLong(a.tensor, a.offset + row * a.rowStride + i * a.columnStride)
                    * TensorIo.getLong(b.tensor, b.offset + i * b.rowStride + column * b.columnStride);
        }
        return sum;
    }

    private static void floats(
            Matrix a, Matrix b, int m, int k, int n, float alpha, Tensor c, int offset, int column, int width) {
        Work work = Work.mine();
        int stride = (k + STEP - 1) / STEP * STEP;
        float[] rows = work.floats(0, ROWS * stride);
        float[][] tile = work.floatRows(1, STEP, TILE);
        float[][] sums = work.floatRows(2, ROWS, TILE);
        float[] line = work.floats(3, Math.max(k, TILE));
        for (int row = 0; row < m; row += ROWS) {
            int count = Math.min(ROWS, m - row);
            for (int r = 0; r < count; r++) {
                loadLine(a.tensor, a.offset + (row + r) * a.rowStride, a.columnStride, rows, r * stride, k);
                Arrays.fill(rows, r * stride + k, (r + 1) * stride, 0);
            }
            for (int r = 0; r < count; r++) {
                Arrays.fill(sums[r], 0, TILE, 0);
            }
            for (int start = 0; start < k; start += STEP) {
                loadTile(b, start, Math.min(STEP, k - start), column, width, tile, line);
                for (int r = 0; r < count; r++) {
                    TileMath.accumulate(rows, r * stride + start, STEP, tile, sums[r]);
                }
            }
            for (int r = 0; r < count; r++) {
                if (alpha != 1) {
                    for (int j = 0; j < width; j++) {
                        sums[r][j] *= alpha;
                    }
                }
                TensorIo.store(sums[r], 0, c, offset + (row + r) * n + column, width);
            }
        }
    }

    private static void loadTile(Matrix b, int start, int step, int column, int width, float[][] tile, float[] line) {
        for (int i = 0; i < STEP; i++) {
            Arrays.fill(tile[i], 0, TILE, 0);
        }
        if (b.columnStride == 1) {
            for (int i = 0; i < step; i++) {
                TensorIo.load(b.tensor, b.offset + (start + i) * b.rowStride + column, tile[i], 0, width);
            }
            return;
        }
        for (int j = 0; j < width; j++) {
            loadLine(
                    b.tensor,
                    b.offset + start * b.rowStride + (column + j) * b.columnStride,
                    b.rowStride,
                    line,
                    0,
                    step);
            for (int i = 0; i < step; i++) {
                tile[i][j] = line[i];
            }
        }
    }

    private static void loadLine(Tensor tensor, int start, int stride, float[] target, int offset, int count) {
        if (stride == 1) {
            TensorIo.load(tensor, start, target, offset, count);
        } else {
            for (int i = 0; i < count; i++) {
                target[offset + i] = TensorIo.getFloat(tensor, start + i * stride);
            }
        }
    }
}
