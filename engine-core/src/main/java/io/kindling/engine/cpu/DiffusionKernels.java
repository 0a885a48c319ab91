package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/** Fusions of {@code com.microsoft} in diffusion models: {@code BiasAdd}, {@code BiasSplitGelu}, {@code GroupNorm}, {@code SkipGroupNorm}. */
final class DiffusionKernels {
    private DiffusionKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("com.microsoft", "BiasAdd", 1, request -> DiffusionKernels::biasAdd);
        registrar.register("com.microsoft", "BiasSplitGelu", 1, request -> DiffusionKernels::biasSplitGelu);
        registrar.register("com.microsoft", "GroupNorm", 1, request -> groupNorm(request.node(), false));
        registrar.register("com.microsoft", "SkipGroupNorm", 1, request -> groupNorm(request.node(), true));
    }

    /** {@code x + bias + skip}, the bias running along the last axis. */
    private static void biasAdd(KernelContext context) {
        Tensor x = context.input(0);
        Tensor bias = context.input(1);
        Tensor skip = context.input(2);
        Tensor y = context.output(0, x.type(), x.shape());
        int size = TensorIo.count(bias);
        for (int k = 0; k < x.elementCount(); k++) {
            double sum = TensorIo.getDouble(x, k) + TensorIo.getDouble(bias, k % size);
            TensorIo.putDouble(y, k, sum + TensorIo.getDouble(skip, k));
        }
    }

    /** The first half of each biased row times the gelu of the second. */
    private static void biasSplitGelu(KernelContext context) {
        Tensor x = context.input(0);
        Tensor bias = context.input(1);
        int size = (int) x.dim(-1);
        int half = size / 2;
        long[] shape = x.shape().clone();
        shape[shape.length - 1] = half;
        Tensor y = context.output(0, x.type(), shape);
        for (int k = 0; k < y.elementCount(); k++) {
            int at = k / half * size + k % half;
            double left = TensorIo.getDouble(x, at) + TensorIo.getDouble(bias, k % half);
            double right = TensorIo.getDouble(x, at + half) + TensorIo.getDouble(bias, half + k % half);
            TensorIo.putDouble(y, k, left * UnaryKernels.gelu(right));
        }
    }

    /** Over {@code [batch, places…, channels]}, or channels second; the skip may be the same for all places. */
    private static Kernel groupNorm(Node node, boolean skips) {
        int groups = (int) node.intAttribute("groups", 1);
        double epsilon = node.floatAttribute("epsilon", 1e-5f);
        boolean last = node.intAttribute("channels_last", 1) != 0;
        boolean silu = node.intAttribute("activation", 0) != 0;
        return context -> {
            Tensor x = context.input(0);
            int channels = (int) x.dim(last ? -1 : 1);
            if (channels % groups != 0) {
                throw Shapes.invalid("X " + x + " cannot be divided into " + groups + " groups of channels");
            }
            int batch = (int) x.dim(0);
            int places = TensorIo.count(x) / Math.max(1, batch * channels);
            int width = channels / groups;
            Tensor y = context.output(0, x.type(), x.shape());
            Tensor sums = skips && context.hasOutput(1) ? context.output(1, x.type(), x.shape()) : null;
            double[] values = Work.mine().doubles(0, width * places);
            for (int line = 0; line < batch * groups; line++) {
                int b = line / groups;
                int first = line % groups * width;
                for (int k = 0; k < width * places; k++) {
                    int at = at(b, first + k / places, k % places, channels, places, last);
                    values[k] = TensorIo.getDouble(x, at) + (skips ? added(context, b, first + k / places, at) : 0);
                    if (sums != null) {
                        TensorIo.putDouble(sums, at, values[k]);
                    }
                }
                NormalizationKernels.standardise(values, width * places, epsilon);
                for (int k = 0; k < width * places; k++) {
                    int channel = first + k / places;
                    double value = values[k] * TensorIo.getDouble(context.input(1), channel)
                            + TensorIo.getDouble(context.input(2), channel);
                    TensorIo.putDouble(
                            y,
                            at(b, channel, k % places, channels, places, last),
                            silu ? value * UnaryKernels.sigmoid(value) : value);
                }
            }
        };
    }

    private static int at(int b, int channel, int place, int channels, int places, boolean last) {
        return last ? (b * places + place) * channels + channel : (b * channels + channel) * places + place;
    }

    private static double added(KernelContext context, int b, int channel, int at) {
        Tensor skip = context.input(3);
        boolean everywhere = skip.elementCount() == context.input(0).elementCount();
        int channels = TensorIo.count(context.input(1));
        double bias = context.hasInput(4) ? TensorIo.getDouble(context.input(4), channel) : 0;
        return TensorIo.getDouble(skip, everywhere ? at : b * channels + channel) + bias;
    }
}
