package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/** {@code DFT} and {@code STFT}. Complex numbers are pairs along the last axis; a last axis of 1 holds real numbers. */
final class FourierKernels {
    private FourierKernels() {}

    static void register(CpuKernels.Registrar registrar, KernelPool pool) {
        registrar.register("", "DFT", 17, request -> dft(request, pool, 1));
        registrar.register("", "DFT", 20, request -> dft(request, pool, -2));
        registrar.register("", "STFT", 17, request -> stft(request, pool));
    }

    /** @param absentAxis the axis where neither the attribute (until 19) nor the input (from 20) names one */
    private static Kernel dft(KernelRequest request, KernelPool pool, long absentAxis) {
        Node node = request.node();
        boolean inverse = node.intAttribute("inverse", 0) != 0;
        boolean oneSided = node.intAttribute("onesided", 0) != 0;
        long axisAttribute = node.intAttribute("axis", absentAxis);
        return context -> {
            Tensor x = context.input(0);
            int parts = parts(x);
            int axis =
                    Shapes.axis(context.hasInput(2) ? TensorIo.getLong(context.input(2), 0) : axisAttribute, x.rank());
            if (axis == x.rank() - 1) {
                throw Shapes.invalid("axis " + axis + " of " + x + " holds the parts of complex numbers");
            }
            int given = (int) x.dim(axis);
            boolean toReal = inverse && oneSided;
            int size = Math.toIntExact(
                    context.hasInput(1) ? TensorIo.getLong(context.input(1), 0) : toReal ? 2L * (given - 1) : given);
            if (size < 1) {
                throw Shapes.invalid("the transform of " + x + " along axis " + axis + " would have length " + size);
            }
            int kept = oneSided && !inverse ? size / 2 + 1 : size;
            long[] shape = x.shape().clone();
            shape[axis] = kept;
            shape[x.rank() - 1] = toReal ? 1 : 2;
            Tensor y = context.output(0, x.type(), shape);
            FourierTransform transform = new FourierTransform(size);
            int read = Math.min(given, toReal ? size / 2 + 1 : size);
            int inner = Shapes.product(x.shape(), axis + 1, x.rank() - 1);
            pool.run(Shapes.product(x.shape(), 0, axis) * inner, line -> {
                double[] real = new double[size];
                double[] imaginary = new double[size];
                int from = line / inner * given * inner + line % inner;
                for (int k = 0; k < read; k++) {
                    real[k] = TensorIo.getDouble(x, (from + k * inner) * parts);
                    imaginary[k] = parts == 1 ? 0 : TensorIo.getDouble(x, (from + k * inner) * parts + 1);
                }
                if (toReal) {
                    mirror(real, imaginary);
                }
                if (inverse) {
                    transform.inverse(real, imaginary);
                } else {
                    transform.forward(real, imaginary);
                }
                int to = line / inner * kept * inner + line % inner;
                for (int k = 0; k < kept; k++) {
                    put(y, to + k * inner, real[k], imaginary[k]);
                }
            });
        };
    }

    /** Fills the upper half of the spectrum of a real signal; its ends are real. */
    private static void mirror(double[] real, double[] imaginary) {
        int size = real.length;
        imaginary[0] = 0;
        if (size % 2 == 0) {
            imaginary[size / 2] = 0;
        }
        for (int k = 1; k < (size + 1) / 2; k++) {
            real[size - k] = real[k];
            imaginary[size - k] = -imaginary[k];
        }
    }

    private static void put(Tensor y, int number, double real, double imaginary) {
        if (y.dim(-1) == 1) {
            TensorIo.putDouble(y, number, real);
        } else {
            TensorIo.putDouble(y, 2 * number, real);
            TensorIo.putDouble(y, 2 * number + 1, imaginary);
        }
    }

    private static int parts(Tensor x) {
        if (x.rank() < 2 || x.dim(-1) != 1 && x.dim(-1) != 2) {
            throw Shapes.invalid("the last axis of " + x + " must be 1 (real) or 2 (complex)");
        }
        return (int) x.dim(-1);
    }

    private static Kernel stft(KernelRequest request, KernelPool pool) {
        boolean oneSided = request.node().intAttribute("onesided", 1) != 0;
        return context -> {
            Tensor x = context.input(0);
            int parts = parts(x);
            if (x.rank() != 3) {
                throw Shapes.invalid("signal must be [batch, length, 1 or 2], not " + x);
            }
            int length = (int) x.dim(1);
            int step = Math.toIntExact(TensorIo.getLong(context.input(1), 0));
            Tensor window = context.hasInput(2) ? context.input(2) : null;
            int frame = Math.toIntExact(
                    context.hasInput(3)
                            ? TensorIo.getLong(context.input(3), 0)
                            : window == null ? length : window.elementCount());
            if (step < 1 || frame < 1 || frame > length || window != null && window.elementCount() != frame) {
                throw Shapes.invalid(
                        "frames of " + frame + " every " + step + " with window " + window + " do not fit signal " + x);
            }
            int frames = (length - frame) / step + 1;
            int kept = oneSided ? frame / 2 + 1 : frame;
            Tensor y = context.output(0, x.type(), x.dim(0), frames, kept, 2);
            double[] weights = new double[frame];
            if (window == null) {
                Arrays.fill(weights, 1);
            } else {
                TensorIo.load(window, 0, weights, 0, frame);
            }
            FourierTransform transform = new FourierTransform(frame);
            pool.run((int) x.dim(0) * frames, part -> {
                double[] real = new double[frame];
                double[] imaginary = new double[frame];
                int from = part / frames * length + part % frames * step;
                for (int k = 0; k < frame; k++) {
                    real[k] = weights[k] * TensorIo.getDouble(x, (from + k) * parts);
                    imaginary[k] = parts == 1 ? 0 : weights[k] * TensorIo.getDouble(x, (from + k) * parts + 1);
                }
                transform.forward(real, imaginary);
                for (int k = 0; k < kept; k++) {
                    put(y, part * kept + k, real[k], imaginary[k]);
                }
            });
        };
    }
}
