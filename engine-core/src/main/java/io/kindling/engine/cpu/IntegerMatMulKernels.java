package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.Tensor;

/**
 * Products of 8-bit matrices with exact 32-bit sums: {@code MatMulInteger}, {@code QLinearMatMul} and the {@code com.microsoft} forms
 * that scale the sum.
 */
final class IntegerMatMulKernels {
    private IntegerMatMulKernels() {}

    static void register(CpuKernels.Registrar registrar, KernelPool pool) {
        registrar.register("", "MatMulInteger", 10, request -> matMulInteger(pool));
        registrar.register("com.microsoft", "MatMulInteger16", 1, request -> matMulInteger(pool));
        registrar.register("", "QLinearMatMul", 10, request -> qLinear(pool));
        registrar.register("com.microsoft", "MatMulIntegerToFloat", 1, request -> toFloat(pool));
        registrar.register("com.microsoft", "DynamicQuantizeMatMul", 1, request -> dynamic(pool));
        registrar.register("com.microsoft", "QGemm", 1, request -> gemm(request.node(), pool));
    }

    private static Kernel matMulInteger(KernelPool pool) {
        return context -> {
            IntegerProduct product = new IntegerProduct(context.input(0), context.input(1));
            Tensor y = context.output(0, DataType.INT32, product.shape);
            Tensor zeroA = context.hasInput(2) ? context.input(2) : null;
            Tensor zeroB = context.hasInput(3) ? context.input(3) : null;
            product.run(pool, zeroA, zeroB, (element, column, sums, width) -> {
                for (int j = 0; j < width; j++) {
                    y.ints().put(element + j, sums[j]);
                }
            });
        };
    }

    private static Kernel qLinear(KernelPool pool) {
        return context -> {
            if (context.input(0).type().isFloatingPoint()) {
                Float8Product.run(context, pool);
                return;
            }
            IntegerProduct product = new IntegerProduct(context.input(0), context.input(3));
            Tensor scaleA = context.input(1);
            Tensor scaleB = context.input(4);
            Tensor scaleY = context.input(6);
            Tensor zeroY = context.input(7);
            Tensor y = context.output(0, zeroY.type(), product.shape);
            double outputScale = TensorIo.getDouble(scaleY, 0);
            long shift = TensorIo.getLong(zeroY, 0);
            product.run(pool, context.input(2), context.input(5), (element, column, sums, width) -> {
                int row = element / product.n % product.m;
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
            IntegerProduct product = new IntegerProduct(context.input(0), context.input(1));
            Tensor zeroA = context.hasInput(4) ? context.input(4) : null;
            Tensor zeroB = context.hasInput(5) ? context.input(5) : null;
            Tensor bias = context.hasInput(6) ? context.input(6) : null;
            Tensor y = context.output(0, context.input(2).type(), product.shape);
            float scaleA = TensorIo.getFloat(context.input(2), 0);
            product.scaled(pool, zeroA, scaleA, zeroB, context.input(3), bias, y);
        };
    }

    private static Kernel dynamic(KernelPool pool) {
        return context -> {
            Tensor a = context.input(0);
            Tensor bytes = Tensor.of(DataType.UINT8, a.shape(), context.scratch(0, a.elementCount()));
            Tensor zero = Tensor.allocateHost(DataType.UINT8);
            float scale = QuantizeKernels.dynamic(a, bytes, zero);
            IntegerProduct product = new IntegerProduct(bytes, context.input(1));
            Tensor zeroB = context.hasInput(3) ? context.input(3) : null;
            Tensor bias = context.hasInput(4) ? context.input(4) : null;
            Tensor y = context.output(0, a.type(), product.shape);
            product.scaled(pool, zero, scale, zeroB, context.input(2), bias, y);
        };
    }

    /** The sum of product and C, whose scale is that of the product, as floats or quantised again. */
    private static Kernel gemm(Node node, KernelPool pool) {
        boolean transA = node.intAttribute("transA", 0) != 0;
        boolean transB = node.intAttribute("transB", 0) != 0;
        float alpha = node.floatAttribute("alpha", 1);
        return context -> {
            Tensor a = transA ? transposed(context.input(0)) : context.input(0);
            Tensor b = transB ? transposed(context.input(3)) : context.input(3);
            IntegerProduct product = new IntegerProduct(a, b);
            Tensor c = context.hasInput(6) ? context.input(6) : null;
            int[] walk = c == null ? new int[2] : Shapes.broadcastStrides(c.shape(), product.shape);
            Quantization target = context.hasInput(7) ? Quantization.of(context, 7) : null;
            DataType type = target == null
                    ? DataType.FLOAT
                    : context.hasInput(8) ? context.input(8).type() : DataType.UINT8;
            Tensor y = context.output(0, type, product.shape);
            float scaleA = alpha * TensorIo.getFloat(context.input(1), 0);
            Tensor scaleB = context.input(4);
            Tensor zeroB = context.hasInput(5) ? context.input(5) : null;
            product.run(pool, context.hasInput(2) ? context.input(2) : null, zeroB, (element, column, sums, width) -> {
                int row = element / product.n;
                for (int j = 0; j < width; j++) {
                    int addend = c == null ? 0 : c.ints().get(row * walk[0] + (column + j) * walk[1]);
                    float scale = scaleA * TensorIo.getFloat(scaleB, scaleB.elementCount() == 1 ? 0 : column + j);
                    float value = (sums[j] + addend) * scale;
                    if (target == null) {
                        y.floats().put(element + j, value);
                    } else {
                        target.put(y, element + j, value);
                    }
                }
            });
        };
    }

    private static Tensor transposed(Tensor matrix) {
        int rows = (int) matrix.dim(0);
        int columns = (int) matrix.dim(1);
        Tensor result = Tensor.allocateHost(matrix.type(), columns, rows);
        for (int k = 0; k < matrix.elementCount(); k++) {
            TensorIo.copy(matrix, k, result, k % columns * rows + k / columns, 1);
        }
        return result;
    }
}
