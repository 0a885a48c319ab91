package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/** What undoes a sliding window: {@code Col2Im} and {@code MaxUnpool}. */
final class FoldKernels {
    private FoldKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("", "Col2Im", 18, FoldKernels::col2Im);
        registrar.register("", "MaxUnpool", 9, FoldKernels::maxUnpool);
    }

    /** {@code [N, C · taps, blocks]} to {@code [N, C, image…]}: what several blocks give to one place is added. */
    private static Kernel col2Im(KernelRequest request) {
        Node node = request.node();
        return context -> {
            Tensor x = context.input(0);
            long[] image = TensorIo.longs(context.input(1));
            Window window = new Window(node, image, TensorIo.longs(context.input(2)));
            int taps = window.kernelSize();
            int blocks = window.outputSize();
            if (x.rank() != 3 || x.dim(1) % taps != 0 || x.dim(2) != blocks) {
                throw Shapes.invalid("input " + x + " does not hold " + blocks + " blocks of " + taps
                        + " elements for an image of " + Arrays.toString(image));
            }
            int channels = (int) x.dim(1) / taps;
            Tensor y = context.output(0, x.type(), window.imageShape(x.dim(0), channels));
            int size = window.inputSize();
            int[] sources = window.sources();
            // A complex number is two real ones, which are added by themselves.
            int parts = ComplexNumbers.is(x.type()) ? 2 : 1;
            Tensor from = parts == 2 ? ComplexNumbers.parts(x) : x;
            Tensor to = parts == 2 ? ComplexNumbers.parts(y) : y;
            boolean floating = from.type().isFloatingPoint();
            double[] sums = new double[floating ? size * parts : 0];
            long[] longSums = new long[floating ? 0 : size];
            for (int plane = 0; plane < x.dim(0) * channels; plane++) {
                Arrays.fill(sums, 0);
                Arrays.fill(longSums, 0);
                for (int k = 0; k < taps * blocks * parts; k++) {
                    int target = sources[k / parts] * parts + k % parts;
                    if (target >= 0 && floating) {
                        sums[target] += TensorIo.getDouble(from, plane * taps * blocks * parts + k);
                    } else if (target >= 0) {
                        longSums[target] += TensorIo.getLong(from, plane * taps * blocks + k);
                    }
                }
                if (floating) {
                    TensorIo.store(sums, 0, to, plane * sums.length, sums.length);
                } else {
                    TensorIo.store(longSums, 0, to, plane * size, size);
                }
            }
        };
    }

    /** Indices count in the tensor that the pooling attributes imply; a larger output_shape holds it at its start. */
    private static Kernel maxUnpool(KernelRequest request) {
        Node node = request.node();
        long[] kernel = node.intsAttribute("kernel_shape").orElseThrow(() -> Shapes.invalid("kernel_shape is missing"));
        return context -> {
            Tensor x = context.input(0);
            int rank = x.rank() - 2;
            if (kernel.length != rank) {
                throw Shapes.invalid("kernel_shape of " + kernel.length + " axes does not fit X " + x);
            }
            long[] strides = node.intsAttribute("strides").orElse(null);
            long[] pads = node.intsAttribute("pads").orElse(new long[2 * rank]);
            long[] implied = x.shape().clone();
            for (int axis = 0; axis < rank; axis++) {
                long stride = strides == null ? 1 : strides[axis];
                implied[axis + 2] = (x.dim(axis + 2) - 1) * stride - pads[axis] - pads[axis + rank] + kernel[axis];
            }
            long[] shape = context.hasInput(2) ? TensorIo.longs(context.input(2)) : implied;
            if (shape.length != implied.length) {
                throw Shapes.invalid("output_shape " + Arrays.toString(shape) + " does not fit X " + x);
            }
            Tensor y = context.output(0, x.type(), shape);
            TensorIo.clear(y, 0, TensorIo.count(y));
            long size = Tensor.count(implied);
            int[] targets = Shapes.strides(shape);
            for (int k = 0; k < x.elementCount(); k++) {
                long rest = GatherKernels.index(TensorIo.getLong(context.input(1), k), size);
                int to = 0;
                boolean inside = true;
                for (int axis = implied.length - 1; axis >= 0; axis--) {
                    long at = rest % implied[axis];
                    inside &= at < shape[axis];
                    to += (int) at * targets[axis];
                    rest /= implied[axis];
                }
                if (inside) {
                    TensorIo.copy(x, k, y, to, 1);
                }
            }
        };
    }
}
