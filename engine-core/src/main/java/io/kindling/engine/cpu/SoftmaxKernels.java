package io.kindling.engine.cpu;

import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * {@code Softmax}, {@code LogSoftmax} and {@code Hardmax}. Until opset 12 they work on the tensor flattened at {@code axis} (default 1),
 * from 13 on along the axis (default −1). Sums are in double, in index order.
 */
final class SoftmaxKernels {
    /** One line of values, in place. */
    private interface Line {
        void apply(double[] values, int count);
    }

    private SoftmaxKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        both(registrar, "Softmax", SoftmaxKernels::softmax);
        both(registrar, "LogSoftmax", SoftmaxKernels::logSoftmax);
        both(registrar, "Hardmax", SoftmaxKernels::hardmax);
    }

    private static void both(CpuKernels.Registrar registrar, String name, Line line) {
        registrar.register("", name, 1, request -> kernel(request.node().intAttribute("axis", 1), line, true));
        registrar.register("", name, 13, request -> kernel(request.node().intAttribute("axis", -1), line, false));
    }

    /** @param flatten whether all axes from {@code axis} on are one line */
    static Kernel softmax(long axis, boolean flatten) {
        return kernel(axis, SoftmaxKernels::softmax, flatten);
    }

    private static Kernel kernel(long axisAttribute, Line line, boolean flatten) {
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.output(0, x.type(), x.shape());
            int axis = Shapes.axis(axisAttribute, x.rank());
            int outer = Shapes.product(x.shape(), 0, axis);
            int size = flatten ? Shapes.product(x.shape(), axis, x.rank()) : x.rank() == 0 ? 1 : (int) x.dim(axis);
            int inner = flatten || x.rank() == 0 ? 1 : Shapes.product(x.shape(), axis + 1, x.rank());
            double[] values = Work.mine().doubles(0, size);
            for (int o = 0; o < outer; o++) {
                for (int i = 0; i < inner; i++) {
                    int base = o * size * inner + i;
                    if (inner == 1) {
                        TensorIo.load(x, base, values, 0, size);
                        line.apply(values, size);
                        TensorIo.store(values, 0, y, base, size);
                    } else {
                        for (int k = 0; k < size; k++) {
                            values[k] = TensorIo.getDouble(x, base + k * inner);
                        }
                        line.apply(values, size);
                        for (int k = 0; k < size; k++) {
                            TensorIo.putDouble(y, base + k * inner, values[k]);
                        }
                    }
                }
            }
        };
    }

    private static double max(double[] values, int count) {
        double max = Double.NEGATIVE_INFINITY;
        for (int k = 0; k < count; k++) {
            max = Math.max(max, values[k]);
        }
        return max;
    }

    static void softmax(double[] values, int count) {
        double max = max(values, count);
        double sum = 0;
        for (int k = 0; k < count; k++) {
            values[k] = Math.exp(values[k] - max);
            sum += values[k];
        }
        for (int k = 0; k < count; k++) {
            values[k] /= sum;
        }
    }

    private static void logSoftmax(double[] values, int count) {
        double max = max(values, count);
        double sum = 0;
        for (int k = 0; k < count; k++) {
            sum += Math.exp(values[k] - max);
        }
        double shift = max + Math.log(sum);
        for (int k = 0; k < count; k++) {
            values[k] -= shift;
        }
    }

    private static void hardmax(double[] values, int count) {
        int best = 0;
        for (int k = 1; k < count; k++) {
            if (values[k] > values[best]) {
                best = k;
            }
        }
        Arrays.fill(values, 0, count, 0);
        if (count > 0) {
            values[best] = 1;
        }
    }
}
