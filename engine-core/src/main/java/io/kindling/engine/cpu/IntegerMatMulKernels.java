package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * Products of 8-bit matrices with exact 32-bit sums: {@code MatMulInteger}, {@code QLinearMatMul} and the {@code com.microsoft} forms
 * that scale the sum.
 */
final class IntegerMatMulKernels {
    private static final int STEP = 32;
    private static final int TILE = TileMath.WIDTH;

    private IntegerMatMulKernels() {}

    static void register(CpuKernels.Registrar registrar, KernelPool pool) {
        registrar.register("", "MatMulInteger", 10, request -> matMulInteger(pool));
        registrar.register("com.microsoft", "MatMulInteger16", 1, request -> matMulInteger(pool));
        registrar.register("", "QLinearMatMul", 10, request -> qLinear(pool));
        registrar.register("com.microsoft", "MatMulIntegerToFloat", 1, request -> toFloat(pool));
        registrar.register("com.microsoft", "DynamicQuantizeMatMul", 1, request -> dynamic(pool));
    }

    /** Where the sums of columns {@code column} and following of one row go. */
    private interface Sink {
        void put(int element, int column, int[] sums, int width);
    }

    private static Kernel matMulInteger(KernelPool pool) {
        return context -> {
            Problem problem = new Problem(context.input(0), context.input(1));
            Tensor y = context.output(0, DataType.INT32, problem.shape);
            Tensor zeroA = context.hasInput(2) ? context.input(2) : null;
            Tensor zeroB = context.hasInput(3) ? context.input(3) : null;
            problem.run(pool, zeroA, zeroB, (element, column, sums, width) -> {
                for (int j = 0; j < width; j++) {
                    y.ints().put(element + j, sums[j]);
                }
            });
        };
    }

    private static Kernel qLinear(KernelPool pool) {
        return context -> {
            Problem problem = new Problem(context.input(0), context.input(3));
            Tensor scaleA = context.input(1);
            Tensor scaleB = context.input(4);
            Tensor scaleY = context.input(6);
            Tensor zeroY = context.input(7);
            Tensor y = context.output(0, zeroY.type(), problem.shape);
            double outputScale = TensorIo.getDouble(scaleY, 0);
            long shift = TensorIo.getLong(zeroY, 0);
            problem.run(pool, context.input(2), context.input(5), (element, column, sums, width) -> {
                int row = element / problem.n % problem.m;
                double left = TensorIo.getDouble(scaleA, scaleA.elementCount() == 1 ? 0 : row);
                for (int j = 0; j < width; j++) {
                    double right = TensorIo.getDouble(scaleB, scaleB.elementCount() == 1 ? 0 : column + j);
                    float scaled = (float) (sums[j] * (left * right / outputScale));
                    TensorIo.putLong(
                            y, element + j, QuantizeKernels.saturated(Math.rint(scaled) + shift, zeroY.type()));
                }
            });
        };
    }

    private static Kernel toFloat(KernelPool pool) {
        return context -> {
            Problem problem = new Problem(context.input(0), context.input(1));
            Tensor zeroA = context.hasInput(4) ? context.input(4) : null;
            Tensor zeroB = context.hasInput(5) ? context.input(5) : null;
            Tensor bias = context.hasInput(6) ? context.input(6) : null;
            Tensor y = context.output(0, context.input(2).type(), problem.shape);
            float scaleA = TensorIo.getFloat(context.input(2), 0);
            scaled(problem, pool, zeroA, scaleA, zeroB, context.input(3), bias, y);
        };
    }

    private static Kernel dynamic(KernelPool pool) {
        return context -> {
            Tensor a = context.input(0);
            Tensor bytes = Tensor.of(DataType.UINT8, a.shape(), context.scratch(0, a.elementCount()));
            Tensor zero = Tensor.allocateHost(DataType.UINT8);
            float scale = QuantizeKernels.dynamic(a, bytes, zero);
            Problem problem = new Problem(bytes, context.input(1));
            Tensor zeroB = context.hasInput(3) ? context.input(3) : null;
            Tensor bias = context.hasInput(4) ? context.input(4) : null;
            Tensor y = context.output(0, a.type(), problem.shape);
            scaled(problem, pool, zero, scale, zeroB, context.input(2), bias, y);
        };
    }

    private static void scaled(
            Problem problem,
            KernelPool pool,
            Tensor zeroA,
            float scaleA,
            Tensor zeroB,
            Tensor scaleB,
            Tensor bias,
            Tensor y) {
        problem.run(pool, zeroA, zeroB, (element, column, sums, width) -> {
            for (int j = 0; j < width; j++) {
                float right = TensorIo.getFloat(scaleB, scaleB.elementCount() == 1 ? 0 : column + j);
                float value = sums[j] * (scaleA * right);
                TensorIo.putDouble(y, element + j, bias == null ? value : value + TensorIo.getFloat(bias, column + j));
            }
        });
    }

    /** Stacks of {@code [M, K] · [K, N]}; B may be one matrix for all. */
    private static final class Problem {
        private final Tensor a;
        private final Tensor b;
        private final int m;
        private final int k;
        private final int n;
        private final int stacks;
        private final boolean sharedB;
        private final long[] shape;

        private Problem(Tensor a, Tensor b) {
            this.a = a;
            this.b = b;
            k = (int) a.dim(-1);
            m = a.rank() == 1 ? 1 : (int) a.dim(-2);
            n = (int) b.dim(-1);
            if (b.rank() < 2 || b.dim(-2) != k) {
                throw Shapes.invalid(a + " and " + b + " cannot be multiplied");
            }
            stacks = a.rank() <= 2 ? 1 : Shapes.product(a.shape(), 0, a.rank() - 2);
            sharedB = b.rank() == 2;
            if (!sharedB && TensorIo.count(b) != stacks * k * n) {
                throw Shapes.invalid(a + " and " + b + " have different stacks");
            }
            shape = a.shape().clone();
            shape[shape.length - 1] = n;
        }

        private void run(KernelPool pool, Tensor zeroA, Tensor zeroB, Sink sink) {
            int tiles = (n + TILE - 1) / TILE;
            pool.run(stacks * tiles, part -> tile(part / tiles, part % tiles * TILE, zeroA, zeroB, sink));
        }

        private void tile(int stack, int column, Tensor zeroA, Tensor zeroB, Sink sink) {
            int width = Math.min(TILE, n - column);
            int stride = (k + STEP - 1) / STEP * STEP;
            Work work = Work.mine();
            int[] rows = work.ints(0, m * stride);
            int[][] tile = work.intRows(1, STEP, TILE);
            int[][] sums = work.intRows(2, m, TILE);
            Arrays.fill(rows, 0, m * stride, 0);
            for (int r = 0; r < m; r++) {
                Arrays.fill(sums[r], 0, TILE, 0);
                int zero = zero(zeroA, r, stack * m + r);
                for (int i = 0; i < k; i++) {
                    rows[r * stride + i] = (int) TensorIo.getLong(a, (stack * m + r) * k + i) - zero;
                }
            }
            for (int start = 0; start < k; start += STEP) {
                for (int i = 0; i < STEP; i++) {
                    Arrays.fill(tile[i], 0, TILE, 0);
                }
                for (int i = 0; i < Math.min(STEP, k - start); i++) {
                    int line = ((sharedB ? 0 : stack * k) + start + i) * n + column;
                    for (int j = 0; j < width; j++) {
                        tile[i][j] =
                                (int) TensorIo.getLong(b, line + j) - zero(zeroB, column + j, stack * n + column + j);
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
    }
}
