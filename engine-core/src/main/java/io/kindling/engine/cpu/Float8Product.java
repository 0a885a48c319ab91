package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/** {@code QLinearMatMul} of 8-bit floats: the factors are dequantised to float, the product is divided by its scale and rounded. */
final class Float8Product {
    private Float8Product() {}

    static void run(KernelContext context, KernelPool pool) {
        Inner inner = new Inner(context);
        MatMulKernels.matMul(pool).execute(inner);
        Tensor zero = context.input(7);
        Tensor y = context.output(0, zero.type(), inner.product.shape());
        double scale = TensorIo.getDouble(context.input(6), 0);
        double shift = TensorIo.getDouble(zero, 0);
        for (int k = 0; k < y.elementCount(); k++) {
            float value = (float) (inner.product.floats().get(k) / scale + shift);
            SmallFloats.put(y, k, SmallFloats.encode(y.type(), value, true));
        }
    }

    /** What a plain matrix product sees. */
    private static final class Inner extends ForwardingContext {
        private final Tensor a;
        private final Tensor b;
        private Tensor product;

        private Inner(KernelContext context) {
            super(context);
            Tensor left = context.input(0);
            a = dequantised(left, context.input(1), context.input(2), (int) left.dim(-1));
            b = dequantised(context.input(3), context.input(4), context.input(5), 1);
        }

        /** @param run how many neighbouring elements share a scale where there is one a row (of a) or column (of b) */
        private static Tensor dequantised(Tensor x, Tensor scale, Tensor zero, int run) {
            Tensor result = Tensor.allocateHost(DataType.FLOAT, x.shape());
            int scales = TensorIo.count(scale);
            for (int k = 0; k < x.elementCount(); k++) {
                int at = k / run % scales;
                double shift = TensorIo.getDouble(zero, zero.elementCount() == 1 ? 0 : at);
                result.floats().put(k, (float) ((TensorIo.getDouble(x, k) - shift) * TensorIo.getDouble(scale, at)));
            }
            return result;
        }

        @Override
        public Tensor input(int index) {
            return index == 0 ? a : b;
        }

        @Override
        public Tensor output(int index, DataType type, long... shape) {
            product = Tensor.allocateHost(type, shape);
            return product;
        }
    }
}
