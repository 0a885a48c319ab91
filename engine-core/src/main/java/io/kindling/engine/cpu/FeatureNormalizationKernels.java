package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/** Operators on feature maps {@code [batch, channels, …]}: normalisations, norms along an axis, {@code PRelu}, {@code Dropout}. */
final class FeatureNormalizationKernels {
    private static final Kernel PARAMETRIC_RELU = BinaryKernels.binary(
            BinaryOp.of(
                    (double x, double slope) -> x < 0 ? x * slope : x,
                    (x, slope) -> x < 0 ? x * slope : x,
                    (x, slope) -> x),
            null);

    private FeatureNormalizationKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("", "BatchNormalization", 1, FeatureNormalizationKernels::batch);
        registrar.register("", "GroupNormalization", 18, request -> group(request, true));
        registrar.register("", "GroupNormalization", 21, request -> group(request, false));
        registrar.register("", "MeanVarianceNormalization", 9, FeatureNormalizationKernels::meanVariance);
        registrar.register("", "LpNormalization", 1, FeatureNormalizationKernels::lp);
        registrar.register("", "LRN", 1, FeatureNormalizationKernels::localResponse);
        registrar.register(
                "",
                "PRelu",
                1,
                // One slope a channel, which lie along axis 1.
                request -> context -> (context.input(1).elementCount() == 1
                                ? PARAMETRIC_RELU
                                : LegacyBroadcast.from(1, PARAMETRIC_RELU))
                        .execute(context));
        registrar.register("", "PRelu", 7, request -> PARAMETRIC_RELU);
        registrar.register("", "Dropout", 1, FeatureNormalizationKernels::dropout);
    }

    /**
     * Statistics are given, or in training those of the batch. Until version 13 training is known by the outputs beyond the first;
     * until version 8 {@code spatial = 0} gave each place of a sample statistics of its own.
     */
    private static Kernel batch(KernelRequest request) {
        Node node = request.node();
        boolean spatial = node.intAttribute("spatial", 1) != 0;
        double epsilon = node.floatAttribute("epsilon", 1e-5f);
        double momentum = node.floatAttribute("momentum", 0.9f);
        boolean training = request.opset() >= 14
                ? node.intAttribute("training_mode", 0) != 0
                : node.outputs().size() > 1;
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.output(0, x.type(), x.shape());
            int channels = x.rank() < 2 ? 1 : Shapes.product(x.shape(), 1, spatial ? 2 : x.rank());
            int size = x.rank() < 2 || !spatial ? 1 : Shapes.product(x.shape(), 2, x.rank());
            int batch = (int) x.dim(0);
            // Mean and variance as they run on, and behind them in older versions those of the batch.
            Tensor[] statistics = new Tensor[4];
            for (int k = 0; training && k < statistics.length; k++) {
                Tensor like = context.input(3 + k % 2);
                statistics[k] = context.hasOutput(k + 1) ? context.output(k + 1, like.type(), like.shape()) : null;
            }
            for (int c = 0; c < channels; c++) {
                double mean = TensorIo.getDouble(context.input(3), c);
                double variance = TensorIo.getDouble(context.input(4), c);
                if (training) {
                    double oldMean = mean;
                    double oldVariance = variance;
                    mean = mean(x, batch, channels, c, size, 0, 1);
                    variance = mean(x, batch, channels, c, size, mean, 2);
                    put(statistics[0], c, oldMean * momentum + mean * (1 - momentum));
                    put(statistics[1], c, oldVariance * momentum + variance * (1 - momentum));
                    put(statistics[2], c, mean);
                    put(statistics[3], c, variance);
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

    /** @param byGroup whether scale and bias have one element a group, not one a channel */
    private static Kernel group(KernelRequest request, boolean byGroup) {
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
                    int group = line % groups;
                    int parameter = byGroup ? group : group * (channels / groups) + k / places;
                    values[k] = values[k] * TensorIo.getDouble(context.input(1), parameter)
                            + TensorIo.getDouble(context.input(2), parameter);
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

    /** Inference, which versions before 12 always mean here, leaves the data alone; training drops elements by a generator seeded with the attribute or the session's seed. */
    private static Kernel dropout(KernelRequest request) {
        long seed = request.node().intAttribute("seed", RandomKernels.sessionSeed(request));
        boolean legacyMask = request.opset() < 10;
        return context -> dropout(context, new RandomKernels.Draws(seed, context.bodyRuns()), legacyMask);
    }

    private static void dropout(KernelContext context, RandomKernels.Draws draws, boolean legacyMask) {
        Tensor x = context.input(0);
        Tensor y = context.output(0, x.type(), x.shape());
        boolean training = context.hasInput(2) && TensorIo.getLong(context.input(2), 0) != 0;
        double ratio = training ? (context.hasInput(1) ? TensorIo.getDouble(context.input(1), 0) : 0.5) : 0;
        // Until version 9 the mask had the type of the data.
        DataType maskType = legacyMask ? x.type() : DataType.BOOL;
        Tensor mask = context.hasOutput(1) ? context.output(1, maskType, x.shape()) : null;
        if (ratio == 0) {
            TensorIo.copy(x, 0, y, 0, TensorIo.count(x));
        }
        for (int k = 0; k < x.elementCount() && (mask != null || ratio != 0); k++) {
            boolean keep = ratio == 0 || draws.uniform(k) >= ratio;
            if (ratio != 0) {
                double value = keep ? TensorIo.getDouble(x, k) / (1 - ratio) : 0;
                CastKernels.put(y, k, value, true, "up");
            }
            if (mask != null) {
                TensorIo.putNumber(mask, k, keep ? 1 : 0);
            }
        }
    }
}
