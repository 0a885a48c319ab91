package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;

/**
 * The {@code com.microsoft::QLinear…} operators on 8-bit tensors: each dequantises, computes in float and quantises again. A scale
 * is one number for the whole tensor.
 */
final class QLinearKernels {
    private static final String DOMAIN = "com.microsoft";

    private QLinearKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register(DOMAIN, "QLinearAdd", 1, request -> binary((a, b) -> a + b));
        registrar.register(DOMAIN, "QLinearMul", 1, request -> binary((a, b) -> a * b));
        registrar.register(DOMAIN, "QLinearSigmoid", 1, request -> unary(UnaryKernels::sigmoid));
        registrar.register(DOMAIN, "QLinearLeakyRelu", 1, request -> {
            double alpha = request.node().floatAttribute("alpha", 0.01f);
            return unary(x -> x < 0 ? alpha * x : x);
        });
        registrar.register(DOMAIN, "QLinearWhere", 1, request -> QLinearKernels::where);
        registrar.register(DOMAIN, "QLinearConcat", 1, request -> concat(request.node()));
        registrar.register(DOMAIN, "QLinearSoftmax", 1, request -> {
            Node node = request.node();
            boolean flatten = node.intAttribute("opset", 13) < 13;
            return inFloat(SoftmaxKernels.softmax(node.intAttribute("axis", -1), flatten));
        });
        registrar.register(
                DOMAIN,
                "QLinearAveragePool",
                1,
                request -> inFloat(ChannelsLast.ifAsked(request.node(), PoolKernels.average(request))));
        registrar.register(
                DOMAIN,
                "QLinearGlobalAveragePool",
                1,
                request -> inFloat(ChannelsLast.ifAsked(request.node(), PoolKernels.globalAverage())));
        registrar.register(DOMAIN, "QLinearReduceMean", 1, request -> inFloat(ReduceKernels.mean(request.node())));
    }

    private static Kernel binary(DoubleBinaryOperator operator) {
        return context -> {
            Tensor a = context.input(0);
            Tensor b = context.input(3);
            Quantization qa = Quantization.of(context, 1);
            Quantization qb = Quantization.of(context, 4);
            Quantization qc = Quantization.of(context, 6);
            Tensor c = context.output(0, a.type(), Shapes.broadcast(a.shape(), b.shape()));
            new BroadcastLoop(c.shape(), a.shape(), b.shape()).forEach((out, in, count, strides) -> {
                for (int k = 0; k < count; k++) {
                    double left = qa.get(a, in[0] + k * strides[0]);
                    double right = qb.get(b, in[1] + k * strides[1]);
                    qc.put(c, out + k, operator.applyAsDouble(left, right));
                }
            });
        };
    }

    private static Kernel unary(DoubleUnaryOperator operator) {
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.output(0, x.type(), x.shape());
            Quantization qx = Quantization.of(context, 1);
            Quantization qy = Quantization.of(context, 3);
            byte[] table = new byte[256];
            for (int bits = 0; bits < table.length; bits++) {
                int element = x.type() == DataType.INT8 ? (byte) bits : bits;
                table[bits] = (byte) qy.element(operator.applyAsDouble(qx.number(element)), y.type());
            }
            for (int k = 0; k < x.elementCount(); k++) {
                y.bytes().put(k, table[x.bytes().get(k) & 0xff]);
            }
        };
    }

    private static void where(KernelContext context) {
        Tensor condition = context.input(0);
        Tensor x = context.input(1);
        Tensor y = context.input(4);
        Quantization qx = Quantization.of(context, 2);
        Quantization qy = Quantization.of(context, 5);
        Quantization qz = Quantization.of(context, 7);
        Tensor z = context.output(0, x.type(), Shapes.broadcast(condition.shape(), x.shape(), y.shape()));
        new BroadcastLoop(z.shape(), condition.shape(), x.shape(), y.shape()).forEach((out, in, count, strides) -> {
            for (int k = 0; k < count; k++) {
                boolean first = TensorIo.getLong(condition, in[0] + k * strides[0]) != 0;
                float value = first ? qx.get(x, in[1] + k * strides[1]) : qy.get(y, in[2] + k * strides[2]);
                qz.put(z, out + k, value);
            }
        });
    }

    /** Inputs: scale and zero point of the result, then tensor, scale and zero point of each part. */
    private static Kernel concat(Node node) {
        long axisAttribute = node.intAttribute("axis", 0);
        return context -> {
            Quantization target = Quantization.of(context, 0);
            Tensor first = context.input(2);
            int axis = Shapes.axis(axisAttribute, first.rank());
            long[] shape = first.shape().clone();
            shape[axis] = 0;
            for (int part = 2; part < context.inputCount(); part += 3) {
                shape[axis] += context.input(part).dim(axis);
            }
            Tensor y = context.output(0, context.input(1).type(), shape);
            int line = Shapes.product(shape, axis, shape.length);
            int start = 0;
            for (int part = 2; part < context.inputCount(); part += 3) {
                Tensor x = context.input(part);
                Quantization source = Quantization.of(context, part + 1);
                int size = Shapes.product(x.shape(), axis, x.rank());
                for (int k = 0; k < x.elementCount(); k++) {
                    target.put(y, k / size * line + start + k % size, source.get(x, k));
                }
                start += size;
            }
        };
    }

    /** Runs a float kernel on the dequantised input 0 and quantises what it gives; inputs 1 to 4 are the quantisation. */
    private static Kernel inFloat(Kernel kernel) {
        return context -> {
            FloatContext inner = new FloatContext(context);
            kernel.execute(inner);
            Tensor y = context.output(0, context.input(0).type(), inner.result.shape());
            Quantization quantization = Quantization.of(context, 3);
            for (int k = 0; k < y.elementCount(); k++) {
                quantization.put(y, k, inner.result.floats().get(k));
            }
        };
    }

    private static final class FloatContext extends ForwardingContext {
        private final Tensor input;
        private Tensor result;

        private FloatContext(KernelContext context) {
            super(context);
            Tensor x = context.input(0);
            Quantization quantization = Quantization.of(context, 1);
            input = Tensor.allocateHost(DataType.FLOAT, x.shape());
            for (int k = 0; k < x.elementCount(); k++) {
                input.floats().put(k, quantization.get(x, k));
            }
        }

        @Override
        public int inputCount() {
            return 1;
        }

        @Override
        public boolean hasInput(int index) {
            return index == 0;
        }

        @Override
        public Tensor input(int index) {
            return input;
        }

        @Override
        public Tensor output(int index, DataType type, long... shape) {
            result = Tensor.allocateHost(type, shape);
            return result;
        }
    }
}
