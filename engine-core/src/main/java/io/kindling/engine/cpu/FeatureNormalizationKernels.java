package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/** Operators on feature maps {@code [batch, channels, …]}: normalisations, norms along an axis, {@code PRelu}, {@code Dropout}. */
final class FeatureNormalizationKernels {
    private FeatureNormalizationKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("", "BatchNormalization", 7, FeatureNormalizationKernels::batch);
        registrar.register("", "GroupNormalization", 21, FeatureNormalizationKernels::group);
        registrar.register("", "MeanVarianceNormalization", 9, FeatureNormalizationKernels::meanVariance);
        registrar.register("", "LpNormalization", 1, FeatureNormalizationKernels::lp);
        registrar.register("", "LRN", 1, FeatureNormalizationKernels::localResponse);
        registrar.register(
                "",
                "PRelu",
                7,
                request -> BinaryKernels.binary(
                        BinaryOp.of(
                                (double x, double slope) -> x < 0 ? x * slope : x,
                                (x, slope) -> x < 0 ? x * slope : x,
                                (x, slope) -> x),
                        null));
        registrar.register("", "Dropout", 7, FeatureNormalizationKernels::dropout);
    }

    private static Kernel batch(KernelRequest request) {
        Node node = request.node();
        double epsilon = node.floatAttribute("epsilon", 1e-5f);
        double momentum = node.floatAttribute("momentum", 0.9f);
        boolean training = node.intAttribute("training_mode", 0) != 0;
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.output(0, x.type(), x.shape());
            int channels = x.rank() < 2 ? 1 : (int) x.dim(1);
            int size = x.rank() < 2 ? 1 : Shapes.product(x.shape(), 2, x.rank());
            int batch = (int) x.dim(0);
            Tensor runningMean = training && context.hasOutput(1)
                    ? context.output(1, context.input(3).type(), channels)
                    : null;
            Tensor runningVariance = training && context.hasOutput(2)
                    ? context.output(2, context.input(4).type(), channels)
                    : null;
            for (int c = 0; c < channels; c++) {
                double mean = TensorIo.getDouble(context.input(3), c);
                double variance = TensorIo.getDouble(context.input(4), c);
                if (training) {
                    double oldMean = mean;
                    double oldVariance = variance;
                    mean = mean(x, batch, channels, c, size, 0, 1);
                    variance = mean(x, batch, channels, c, size, mean, 2);
                    put(runningMean, c, oldMean * momentum + mean * (1 - momentum));
                    put(runningVariance, c, oldVariance * momentum + variance * (1 - momentum));
                }
                double factor = TensorIo.getDouble(context.input(1), c) / Math.sqrt(variance + epsilon);
                double shift = TensorIo.getDouble(context.input(2), c);
                for (int b = 0; b < batch; b++) {
                    int base = (b * channels + c) * size;
                    for (int k = base; k < base + size; k++) {
                        TensorIo.putDouble(y, k, (TensorIo.getDouble(x, k) - mean) * factor + shift);
                    }
                }
            }
        };
    }

    private static void put(Tensor tensor, int index, double value) {
        if (tensor != null) {
            TensorIo.putDouble(tensor, index, value);
        }
    }

    /** Mean over batch and places of a power of the difference from {@code centre}. */
    private static double mean(Tensor x, int batch, int channels, int c, int size, double centre, int power) {
        double sum = 0;
        for (int b = 0; b < batch; b++) {
            int base = (b * channels + c) * size;
            for (int k = base; k < base + size; k++) {
                double difference = TensorIo.getDouble(x, k) - centre;
                sum += power == 1 ? difference : difference * difference;
            }
        }
        return sum / ((double) batch * size);
    }

    private static Kernel group(KernelRequest request) {
        double epsilon = request.node().floatAttribute("epsilon", 1e-5f);
        int groups = (int) request.node().intAttribute("num_groups", 1);
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.output(0, x.type(), x.shape());
            int channels = (int) x.dim(1);
            int places = Shapes.product(x.shape(), 2, x.rank());
            int size = channels / groups * places;
            double[] values = Work.mine().doubles(0, size);
            for (int line = 0; line < x.dim(0) * groups; line++) {
                TensorIo.load(x, line * size, values, 0, size);
                NormalizationKernels.standardise(values, size, epsilon);
                for (int k = 0; k < size; k++) {
                    int channel = line % groups * (channels / groups) + k / places;
                    values[k] = values[k] * TensorIo.getDouble(context.input(1), channel)
                            + TensorIo.getDouble(context.input(2), channel);
                }
                TensorIo.store(values, 0, y, line * size, size);
            }
        };
    }

    /** {@code (x − mean) / (deviation + 1e-9)} over axes, as the operator's function body has it. */
    private static Kernel meanVariance(KernelRequest request) {
        long[] axes = request.node().intsAttribute("axes").orElse(new long[] {0, 2, 3});
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.output(0, x.type(), x.shape());
            boolean[] reduced = new boolean[x.rank()];
            for (int axis : Shapes.axes(axes, x.rank())) {
                reduced[axis] = true;
            }
            int[] elements = ReduceKernels.offsets(x.shape(), reduced, true);
            double[] values = Work.mine().doubles(0, elements.length);
            for (int base : ReduceKernels.offsets(x.shape(), reduced, false)) {
                double sum = 0;
                for (int k = 0; k < elements.length; k++) {
                    values[k] = TensorIo.getDouble(x, base + elements[k]);
                    sum += values[k];
                }
                double mean = sum / elements.length;
                double squares = 0;
                for (int k = 0; k < elements.length; k++) {
                    values[k] -= mean;
                    squares += values[k] * values[k];
                }
                double deviation = Math.sqrt(squares / elements.length);
                for (int k = 0; k < elements.length; k++) {
                    TensorIo.putDouble(y, base + elements[k], values[k] / (deviation + 1e-9));
                }
            }
        };
    }

    private static Kernel lp(KernelRequest request) {
        long axisAttribute = request.node().intAttribute("axis", -1);
        boolean absolute = request.node().intAttribute("p", 2) == 1;
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.output(0, x.type(), x.shape());
            int axis = Shapes.axis(axisAttribute, x.rank());
            int size = (int) x.dim(axis);
            int inner = Shapes.product(x.shape(), axis + 1, x.rank());
            for (int line = 0; line < TensorIo.count(x) / Math.max(1, size); line++) {
                int base = line / inner * size * inner + line % inner;
                double sum = 0;
                for (int k = 0; k < size; k++) {
                    double value = TensorIo.getDouble(x, base + k * inner);
                    sum += absolute ? Math.abs(value) : value * value;
                }
                double norm = absolute ? sum : Math.sqrt(sum);
                for (int k = 0; k < size; k++) {
                    double value = TensorIo.getDouble(x, base + k * inner);
                    TensorIo.putDouble(y, base + k * inner, norm == 0 ? 0 : value / norm);
                }
            }
        };
    }

    private static Kernel localResponse(KernelRequest request) {
        Node node = request.node();
        double alpha = node.floatAttribute("alpha", 1e-4f);
        double beta = node.floatAttribute("beta", 0.75f);
        double bias = node.floatAttribute("bias", 1);
        int window = (int) node.intAttribute("size", 1);
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.output(0, x.type(), x.shape());
            int channels = (int) x.dim(1);
            int places = Shapes.product(x.shape(), 2, x.rank());
            for (int k = 0; k < x.elementCount(); k++) {
                int c = k / places % channels;
                double sum = 0;
                for (int o = Math.max(0, c - (window - 1) / 2); o <= Math.min(channels - 1, c + window / 2); o++) {
                    double value = TensorIo.getDouble(x, k + (o - c) * places);
                    sum += value * value;
                }
                TensorIo.putDouble(y, k, TensorIo.getDouble(x, k) / Math.pow(bias + alpha / window * sum, beta));
            }
        };
    }

    /** Inference leaves the data alone; training drops elements by a generator seeded with the attribute or the session's seed. */
    private static Kernel dropout(KernelRequest request) {
        long seed = request.node().intAttribute("seed", RandomKernels.sessionSeed(request));
        return context -> dropout(context, new RandomKernels.Draws(seed, context.bodyRuns()));
    }

    private static void dropout(KernelContext context, RandomKernels.Draws draws) {
        Tensor x = context.input(0);
        Tensor y = context.output(0, x.type(), x.shape());
        boolean training = context.hasInput(2) && TensorIo.getLong(context.input(2), 0) != 0;
        double ratio = training ? (context.hasInput(1) ? TensorIo.getDouble(context.input(1), 0) : 0.5) : 0;
        Tensor mask = context.hasOutput(1) ? context.output(1, DataType.BOOL, x.shape()) : null;
        for (int k = 0; k < x.elementCount(); k++) {
            boolean keep = ratio == 0 || draws.uniform(k) >= ratio;
            double value = TensorIo.getDouble(x, k);
            TensorIo.putDouble(y, k, keep ? value / (1 - ratio) : 0);
            if (mask != null) {
                mask.bytes().put(k, (byte) (keep ? 1 : 0));
            }
        }
    }
}
