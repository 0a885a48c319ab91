package io.kindling.engine.cpu;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/** Pooling over windows ({@link Window}) or whole planes. */
final class PoolKernels {
    private PoolKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("", "AveragePool", 1, PoolKernels::average);
        registrar.register("", "LpPool", 1, PoolKernels::lp);
        registrar.register("", "MaxPool", 1, PoolKernels::max);
        registrar.register("com.microsoft", "NhwcMaxPool", 1, request -> ChannelsLast.wrap(max(request)));
        registrar.register("", "GlobalAveragePool", 1, request -> globalAverage());
        registrar.register(
                "",
                "GlobalMaxPool",
                1,
                request -> global((x, base, size) -> {
                    double max = Double.NEGATIVE_INFINITY;
                    for (int k = 0; k < size; k++) {
                        max = Math.max(max, TensorIo.getDouble(x, base + k));
                    }
                    return max;
                }));
        registrar.register("", "GlobalLpPool", 1, request -> {
            double p = power(request.node());
            return global((x, base, size) -> {
                double sum = 0;
                for (int k = 0; k < size; k++) {
                    sum += Math.pow(Math.abs(TensorIo.getDouble(x, base + k)), p);
                }
                return Math.pow(sum, 1 / p);
            });
        });
    }

    /** The value of one plane of {@code size} elements. */
    private interface Fold {
        double of(Tensor x, int base, int size);
    }

    private static Kernel global(Fold fold) {
        return context -> {
            Tensor x = context.input(0);
            long[] shape = x.shape().clone();
            for (int axis = 2; axis < shape.length; axis++) {
                shape[axis] = 1;
            }
            Tensor y = context.output(0, x.type(), shape);
            int size = Shapes.product(x.shape(), 2, x.rank());
            for (int plane = 0; plane < y.elementCount(); plane++) {
                TensorIo.putDouble(y, plane, fold.of(x, plane * size, size));
            }
        };
    }

    static Kernel globalAverage() {
        return global((x, base, size) -> {
            double sum = 0;
            for (int k = 0; k < size; k++) {
                sum += TensorIo.getDouble(x, base + k);
            }
            return sum / size;
        });
    }

    static Kernel average(KernelRequest request) {
        Node node = request.node();
        boolean ceil = node.intAttribute("ceil_mode", 0) != 0;
        boolean countPadding = node.intAttribute("count_include_pad", 0) != 0;
        return context -> {
            Tensor x = context.input(0);
            Window window = new Window(node, x, null, ceil);
            Tensor y = context.output(0, x.type(), window.outputShape(x.dim(0), x.dim(1)));
            int outputs = window.outputSize();
            for (int k = 0; k < y.elementCount(); k++) {
                int base = k / outputs * window.inputSize();
                double sum = 0;
                int count = 0;
                for (int tap = 0; tap < window.kernelSize(); tap++) {
                    int source = window.source(k % outputs, tap);
                    if (source >= 0) {
                        sum += TensorIo.getDouble(x, base + source);
                        count++;
                    } else if (countPadding && window.inPadded(k % outputs, tap)) {
                        count++;
                    }
                }
                TensorIo.putDouble(y, k, sum / count);
            }
        };
    }

    /** Version 1 wrote it as a float. */
    private static double power(Node node) {
        return node.attribute("p").orElse(null) instanceof Attribute.FloatValue p
                ? p.value()
                : node.intAttribute("p", 2);
    }

    private static Kernel lp(KernelRequest request) {
        Node node = request.node();
        double p = power(node);
        boolean ceil = node.intAttribute("ceil_mode", 0) != 0;
        return context -> {
            Tensor x = context.input(0);
            Window window = new Window(node, x, null, ceil);
            Tensor y = context.output(0, x.type(), window.outputShape(x.dim(0), x.dim(1)));
            int outputs = window.outputSize();
            for (int k = 0; k < y.elementCount(); k++) {
                double sum = 0;
                for (int tap = 0; tap < window.kernelSize(); tap++) {
                    int source = window.source(k % outputs, tap);
                    if (source >= 0) {
                        double value = TensorIo.getDouble(x, k / outputs * window.inputSize() + source);
                        sum += Math.pow(Math.abs(value), p);
                    }
                }
                TensorIo.putDouble(y, k, Math.pow(sum, 1 / p));
            }
        };
    }

    private static Kernel max(KernelRequest request) {
        Node node = request.node();
        boolean ceil = node.intAttribute("ceil_mode", 0) != 0;
        boolean columnMajor = node.intAttribute("storage_order", 0) != 0;
        return context -> {
            Tensor x = context.input(0);
            Window window = new Window(node, x, null, ceil);
            long[] shape = window.outputShape(x.dim(0), x.dim(1));
            Tensor y = context.output(0, x.type(), shape);
            Tensor indices = context.hasOutput(1) ? context.output(1, DataType.INT64, shape) : null;
            int outputs = window.outputSize();
            int inputs = window.inputSize();
            for (int k = 0; k < y.elementCount(); k++) {
                int base = k / outputs * inputs;
                int best = -1;
                for (int tap = 0; tap < window.kernelSize(); tap++) {
                    int source = window.source(k % outputs, tap);
                    if (source >= 0 && (best < 0 || ReduceKernels.compare(x, base + source, base + best) > 0)) {
                        best = source;
                    }
                }
                if (best < 0) {
                    throw Shapes.invalid("a pooling window lies in the padding alone");
                }
                TensorIo.copy(x, base + best, y, k, 1);
                if (indices != null) {
                    indices.longs().put(k, base + (columnMajor ? columnMajor(best, window.input) : best));
                }
            }
        };
    }

    /** A row-major offset as the offset of the same place in column-major order. */
    private static int columnMajor(int offset, int[] dims) {
        int result = 0;
        int rest = offset;
        int size = 1;
        for (int dim : dims) {
            size *= dim;
        }
        for (int axis = dims.length - 1; axis >= 0; axis--) {
            size /= dims[axis];
            result += rest % dims[axis] * size;
            rest /= dims[axis];
        }
        return result;
    }
}
