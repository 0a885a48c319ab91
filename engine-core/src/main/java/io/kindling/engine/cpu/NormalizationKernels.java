package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * Normalisations over the trailing axes: {@code LayerNormalization}, {@code RMSNormalization}, {@code SimplifiedLayerNormalization}
 * and their {@code com.microsoft} forms with a skip connection. Statistics are summed in double, in index order, so a row's
 * result depends on the row alone.
 */
final class NormalizationKernels {
    private NormalizationKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("", "LayerNormalization", 1, request -> plain(request, true));
        registrar.register("", "RMSNormalization", 23, request -> plain(request, false));
        registrar.register("", "SimplifiedLayerNormalization", 1, request -> plain(request, false));
        registrar.register("com.microsoft", "LayerNormalization", 1, request -> plain(request, true));
        registrar.register("com.microsoft", "SimplifiedLayerNormalization", 1, request -> plain(request, false));
        registrar.register("", "InstanceNormalization", 1, NormalizationKernels::instance);
        registrar.register("com.microsoft", "SkipLayerNormalization", 1, request -> skip(request, true));
        registrar.register("com.microsoft", "SkipSimplifiedLayerNormalization", 1, request -> skip(request, false));
    }

    private static Kernel plain(KernelRequest request, boolean centred) {
        Node node = request.node();
        double epsilon = node.floatAttribute("epsilon", 1e-5f);
        long axis = node.intAttribute("axis", -1);
        // The statistics' type is the stash type; the form from before ONNX took the operator in widens them with x.
        DataType stash = DataType.ofCode((int) node.intAttribute("stash_type", DataType.FLOAT.code()))
                .orElseThrow(() -> Unsupported.of(node, "stash_type is no element type"));
        boolean widens = request.opset() < 17;
        return context -> {
            Tensor x = context.input(0);
            Tensor scale = context.input(1);
            Tensor bias = centred && context.hasInput(2) ? context.input(2) : null;
            int first = Shapes.axis(axis, x.rank());
            int size = Shapes.product(x.shape(), first, x.rank());
            int rows = Shapes.product(x.shape(), 0, first);
            Tensor y = context.output(0, scale.type(), x.shape());
            long[] statisticsShape = x.shape().clone();
            Arrays.fill(statisticsShape, first, statisticsShape.length, 1);
            int meanOutput = centred ? 1 : -1;
            int deviationOutput = centred ? 2 : 1;
            DataType statisticsType = widens && x.type() == DataType.DOUBLE ? DataType.DOUBLE : stash;
            Tensor means = optionalOutput(context, meanOutput, statisticsType, statisticsShape);
            Tensor deviations = optionalOutput(context, deviationOutput, statisticsType, statisticsShape);
            Row row = new Row(size, scale, bias, centred, epsilon, broadcastRows(scale, x, first, size));
            for (int r = 0; r < rows; r++) {
                TensorIo.load(x, r * size, row.values, 0, size);
                row.normalise(r);
                TensorIo.store(row.values, 0, y, r * size, size);
                put(means, r, row.mean);
                put(deviations, r, row.inverseDeviation);
            }
        };
    }

    private static Kernel skip(KernelRequest request, boolean centred) {
        double epsilon = request.node().floatAttribute("epsilon", 1e-5f);
        int betaInput = centred ? 3 : -1;
        int biasInput = centred ? 4 : 3;
        return context -> {
            Tensor x = context.input(0);
            Tensor skip = context.input(1);
            Tensor gamma = context.input(2);
            int size = (int) x.dim(-1);
            int rows = TensorIo.count(x) / Math.max(size, 1);
            if (skip.dim(-1) != size || gamma.elementCount() != size) {
                throw Shapes.invalid(
                        "input " + x + ", skip " + skip + " and gamma " + gamma + " must agree in the last axis");
            }
            if (skip.elementCount() > x.elementCount()) {
                throw Shapes.invalid("skip " + skip + " is larger than input " + x + ", over which it may repeat");
            }
            int skipRows = TensorIo.count(skip) / Math.max(size, 1);
            Tensor y = context.output(0, x.type(), x.shape());
            Tensor sum = optionalOutput(context, 3, x.type(), x.shape());
            long[] statisticsShape = x.shape().clone();
            statisticsShape[statisticsShape.length - 1] = 1;
            Tensor means = optionalOutput(context, 1, DataType.FLOAT, statisticsShape);
            Tensor deviations = optionalOutput(context, 2, DataType.FLOAT, statisticsShape);
            Tensor beta = betaInput > 0 && context.hasInput(betaInput) ? context.input(betaInput) : null;
            Tensor bias = context.hasInput(biasInput) ? context.input(biasInput) : null;
            Row row = new Row(size, gamma, beta, centred, epsilon, null);
            Work work = Work.mine();
            float[] total = work.floats(0, size);
            float[] addend = work.floats(1, size);
            float[] biases = work.floats(2, size);
            if (bias != null) {
                TensorIo.load(bias, 0, biases, 0, size);
            }
            for (int r = 0; r < rows; r++) {
                TensorIo.load(x, r * size, total, 0, size);
                TensorIo.load(skip, r % skipRows * size, addend, 0, size);
                for (int k = 0; k < size; k++) {
                    total[k] += addend[k];
                }
                for (int k = 0; bias != null && k < size; k++) {
                    total[k] += biases[k];
                }
                if (sum != null) {
                    TensorIo.store(total, 0, sum, r * size, size);
                }
                for (int k = 0; k < size; k++) {
                    row.values[k] = total[k];
                }
                row.normalise(r);
                TensorIo.store(row.values, 0, y, r * size, size);
                put(means, r, row.mean);
                put(deviations, r, row.inverseDeviation);
            }
        };
    }

    /** Each channel of each sample by its own mean and variance; scale and bias by channel. */
    private static Kernel instance(KernelRequest request) {
        double epsilon = request.node().floatAttribute("epsilon", 1e-5f);
        return context -> {
            Tensor x = context.input(0);
            Tensor scale = context.input(1);
            Tensor bias = context.input(2);
            Tensor y = context.output(0, x.type(), x.shape());
            int channels = (int) x.dim(1);
            int size = Shapes.product(x.shape(), 2, x.rank());
            double[] values = Work.mine().doubles(0, size);
            for (int line = 0; line < x.dim(0) * channels; line++) {
                TensorIo.load(x, line * size, values, 0, size);
                standardise(values, size, epsilon);
                double factor = TensorIo.getDouble(scale, line % channels);
                double shift = TensorIo.getDouble(bias, line % channels);
                for (int k = 0; k < size; k++) {
                    values[k] = values[k] * factor + shift;
                }
                TensorIo.store(values, 0, y, line * size, size);
            }
        };
    }

    /** To mean 0 and variance 1, in place. */
    static void standardise(double[] values, int size, double epsilon) {
        double sum = 0;
        for (int k = 0; k < size; k++) {
            sum += values[k];
        }
        double mean = sum / size;
        double squares = 0;
        for (int k = 0; k < size; k++) {
            squares += (values[k] - mean) * (values[k] - mean);
        }
        double inverse = 1 / Math.sqrt(squares / size + epsilon);
        for (int k = 0; k < size; k++) {
            values[k] = (values[k] - mean) * inverse;
        }
    }

    private static Tensor optionalOutput(KernelContext context, int index, DataType type, long[] shape) {
        return index >= 0 && context.hasOutput(index) ? context.output(index, type, shape) : null;
    }

    private static void put(Tensor statistics, int row, double value) {
        if (statistics != null) {
            TensorIo.putDouble(statistics, row, value);
        }
    }

    /** Where scale is no plain vector of the normalised size: the index of its element for each element of X, else null. */
    private static int[] broadcastRows(Tensor scale, Tensor x, int first, int size) {
        if (scale.elementCount() == size && scale.rank() <= x.rank() - first) {
            return null;
        }
        int[] index = new int[TensorIo.count(x)];
        new BroadcastLoop(x.shape(), scale.shape()).forEach((out, in, count, strides) -> {
            for (int k = 0; k < count; k++) {
                index[out + k] = in[0] + k * strides[0];
            }
        });
        return index;
    }

    /** One row at a time, in place. */
    private static final class Row {
        private final int size;
        private final boolean centred;
        private final double epsilon;
        private final double[] values;
        private final double[] scales;
        private final double[] biases;
        private final int[] scaleIndex;
        private double mean;
        private double inverseDeviation;

        private Row(int size, Tensor scale, Tensor bias, boolean centred, double epsilon, int[] scaleIndex) {
            this.size = size;
            this.centred = centred;
            this.epsilon = epsilon;
            this.scaleIndex = scaleIndex;
            Work work = Work.mine();
            int parameters = TensorIo.count(scale);
            values = work.doubles(0, size);
            scales = work.doubles(1, parameters);
            TensorIo.load(scale, 0, scales, 0, parameters);
            biases = bias == null ? null : work.doubles(2, TensorIo.count(bias));
            if (bias != null) {
                TensorIo.load(bias, 0, biases, 0, TensorIo.count(bias));
            }
        }

        private void normalise(int row) {
            double sum = 0;
            if (centred) {
                for (int k = 0; k < size; k++) {
                    sum += values[k];
                }
            }
            mean = centred ? sum / size : 0;
            double squares = 0;
            for (int k = 0; k < size; k++) {
                double difference = values[k] - mean;
                squares += difference * difference;
            }
            inverseDeviation = 1 / Math.sqrt(squares / size + epsilon);
            for (int k = 0; k < size; k++) {
                int parameter = scaleIndex == null ? k : scaleIndex[row * size + k];
                double value = (values[k] - mean) * inverseDeviation * scales[parameter];
                values[k] = biases == null ? value : value + biases[parameter];
            }
        }
    }
}
