package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;

/** {@code MatMul}, {@code Gemm} and {@code com.microsoft::FusedMatMul}; arithmetic: {@link MatMulCore}. */
final class MatMulKernels {
    private MatMulKernels() {}

    static void register(CpuKernels.Registrar registrar, KernelPool pool) {
        registrar.register("", "MatMul", 1, request -> matMul(pool));
        registrar.register("", "Gemm", 1, request -> gemm(request, pool));
        registrar.register("com.microsoft", "FusedGemm", 1, request -> gemm(request, pool));
        registrar.register("com.microsoft", "FusedMatMul", 1, request -> fused(request, pool));
        registrar.register("com.microsoft", "TransposeMatMul", 1, request -> fused(request, pool));
    }

    static Kernel matMul(KernelPool pool) {
        return context -> new Product(context, false, false).run(pool, 1);
    }

    private static Kernel fused(KernelRequest request, KernelPool pool) {
        Node node = request.node();
        float alpha = node.floatAttribute("alpha", 1);
        boolean transA = node.intAttribute("transA", 0) != 0;
        boolean transB = node.intAttribute("transB", 0) != 0;
        boolean batchA = node.intAttribute("transBatchA", 0) != 0;
        boolean batchB = node.intAttribute("transBatchB", 0) != 0;
        return context -> {
            Product product = new Product(context, transA, transB, batchA, batchB);
            product.run(pool, alpha);
        };
    }

    /** A product of stacks of matrices by NumPy's rules. */
    private static final class Product {
        private final MatMulCore.Matrix a;
        private final MatMulCore.Matrix b;
        private final int[] startsA;
        private final int[] startsB;
        private final int m;
        private final int k;
        private final int n;
        private final Tensor c;

        private Product(KernelContext context, boolean transA, boolean transB) {
            this(context, transA, transB, false, false);
        }

        private Product(KernelContext context, boolean transA, boolean transB, boolean batchA, boolean batchB) {
            View left = new View(context.input(0), transA, batchA, true);
            View right = new View(context.input(1), transB, batchB, false);
            if (left.columns != right.rows) {
                throw Shapes.invalid(left.tensor + " and " + right.tensor + " cannot be multiplied: " + left.columns
                        + " and " + right.rows + " must be equal");
            }
            m = left.rows;
            k = left.columns;
            n = right.columns;
            a = new MatMulCore.Matrix(left.tensor, 0, left.rowStride, left.columnStride);
            b = new MatMulCore.Matrix(right.tensor, 0, right.rowStride, right.columnStride);
            long[] batch = Shapes.broadcast(left.batch, right.batch);
            startsA = Shapes.starts(left.batch, left.batchStrides, batch);
            startsB = Shapes.starts(right.batch, right.batchStrides, batch);
            c = context.output(0, left.tensor.type(), Shapes.ofProducts(batch, left.tensor, m, right.tensor, n));
        }

        private void run(KernelPool pool, float alpha) {
            int parts = MatMulCore.parts(n);
            pool.run(startsA.length * parts, part -> {
                int stack = part / parts;
                MatMulCore.part(
                        a.at(startsA[stack]), b.at(startsB[stack]), m, k, n, alpha, c, stack * m * n, part % parts);
            });
        }
    }

    /** One operand: its matrices and its batch axes. */
    private static final class View {
        private final Tensor tensor;
        private final int rows;
        private final int columns;
        private final int rowStride;
        private final int columnStride;
        private final long[] batch;
        private final int[] batchStrides;

        /** @param transBatch whether the axis of the rows (columns where {@code trans}) is the first one instead */
        private View(Tensor tensor, boolean trans, boolean transBatch, boolean left) {
            this.tensor = tensor;
            long[] shape = tensor.shape();
            int rank = shape.length;
            if (rank == 0) {
                throw Shapes.invalid("a scalar cannot be multiplied as a matrix");
            }
            if (rank == 1) {
                rows = left ? 1 : (int) shape[0];
                columns = left ? (int) shape[0] : 1;
                rowStride = left ? 0 : 1;
                columnStride = left ? 1 : 0;
                batch = Shapes.SCALAR;
                batchStrides = new int[0];
                return;
            }
            int[] strides = Shapes.strides(shape);
            int inner = rank - 1;
            int outer = transBatch ? 0 : rank - 2;
            rows = (int) shape[trans ? inner : outer];
            columns = (int) shape[trans ? outer : inner];
            rowStride = strides[trans ? inner : outer];
            columnStride = strides[trans ? outer : inner];
            int first = transBatch ? 1 : 0;
            batch = Arrays.copyOfRange(shape, first, first + rank - 2);
            batchStrides = Arrays.copyOfRange(strides, first, first + rank - 2);
        }
    }

    private static Kernel gemm(KernelRequest request, KernelPool pool) {
        Node node = request.node();
        float alpha = node.floatAttribute("alpha", 1);
        float beta = node.floatAttribute("beta", 1);
        boolean transA = node.intAttribute("transA", 0) != 0;
        boolean transB = node.intAttribute("transB", 0) != 0;
        Optional<DoubleUnaryOperator> activation = ActivationFunctions.fused(
                node,
                ActivationFunctions.parameters(node, "activation_alpha"),
                ActivationFunctions.parameters(node, "activation_beta"));
        return context -> {
            Product product = new Product(context, transA, transB);
            product.run(pool, alpha);
            if (context.hasInput(2) && beta != 0) {
                addScaled(product.c, context.input(2), beta);
            }
            activation.ifPresent(function -> UnaryKernels.apply(function, product.c));
        };
    }

    private static void addScaled(Tensor target, Tensor addend, float factor) {
        if (factor == 1) {
            Elementwise.binary(BinaryKernels.ADD, target, addend, target);
            return;
        }
        new BroadcastLoop(target.shape(), addend.shape()).forEach((out, in, count, strides) -> {
            for (int i = 0; i < count; i++) {
                int from = in[0] + i * strides[0];
                if (target.type().isFloatingPoint()) {
                    double value = TensorIo.getDouble(target, out + i) + factor * TensorIo.getDouble(addend, from);
                    TensorIo.putDouble(target, out + i, value);
                } else {
                    long value = TensorIo.getLong(target, out + i) + (long) (factor * TensorIo.getLong(addend, from));
                    TensorIo.putLong(target, out + i, value);
                }
            }
        });
    }
}
