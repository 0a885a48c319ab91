package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.DoubleUnaryOperator;

/**
 * Convolutions over any number of spatial axes: {@code Conv}, {@code ConvInteger}, {@code QLinearConv}, {@code FusedConv}. Each output is
 * summed over channels, then kernel places, in ascending order.
 */
final class ConvKernels {
    private ConvKernels() {}

    static void register(CpuKernels.Registrar registrar, KernelPool pool) {
        registrar.register("", "Conv", 1, request -> conv(request, pool));
        registrar.register("com.microsoft", "FusedConv", 1, request -> fused(request, pool));
        registrar.register("", "ConvInteger", 10, request -> convInteger(request, pool));
        registrar.register("", "QLinearConv", 10, request -> qLinearConv(request, pool));
        registrar.register(
                "com.microsoft",
                "QLinearConv",
                1,
                request -> ChannelsLast.ifAsked(request.node(), qLinearConv(request, pool)));
        registrar.register("com.microsoft", "NhwcConv", 1, request -> ChannelsLast.wrap(conv(request, pool)));
        registrar.register("com.microsoft", "NhwcFusedConv", 1, request -> ChannelsLast.wrap(fused(request, pool)));
    }

    private static Kernel conv(KernelRequest request, KernelPool pool) {
        Node node = request.node();
        return context -> {
            Geometry geometry = new Geometry(node, context.input(0), context.input(1));
            Tensor bias = context.hasInput(2) ? context.input(2) : null;
            Tensor y = context.output(0, context.input(0).type(), geometry.outputShape());
            floats(geometry, pool, context.input(0), context.input(1), bias, y);
        };
    }

    private static Kernel fused(KernelRequest request, KernelPool pool) {
        Node node = request.node();
        Iterator<Float> parameters = ActivationFunctions.parameters(node, "activation_params");
        Optional<DoubleUnaryOperator> activation = ActivationFunctions.fused(node, parameters, parameters);
        return context -> {
            Geometry geometry = new Geometry(node, context.input(0), context.input(1));
            Tensor bias = context.hasInput(2) ? context.input(2) : null;
            Tensor y = context.output(0, context.input(0).type(), geometry.outputShape());
            floats(geometry, pool, context.input(0), context.input(1), bias, y);
            if (context.hasInput(3)) {
                Elementwise.binary(BinaryKernels.ADD, y, context.input(3), y);
            }
            activation.ifPresent(function -> UnaryKernels.apply(function, y));
        };
    }

    /** Sizes of one convolution. */
    private static final class Geometry {
        private final Window window;
        private final int groups;
        private final int batch;
        private final int channels;
        private final int groupChannels;
        private final int filters;
        private final int taps;
        private final int outputs;
        private final int inputs;
        private final int[] sources;

        private Geometry(Node node, Tensor x, Tensor w) {
            if (x.rank() != w.rank() || x.rank() < 3) {
                throw Shapes.invalid("X " + x + " and W " + w + " must have one rank, from 3");
            }
            window = new Window(node, x, Arrays.copyOfRange(w.shape(), 2, w.rank()), false);
            groups = (int) node.intAttribute("group", 1);
            batch = (int) x.dim(0);
            channels = (int) x.dim(1);
            groupChannels = (int) w.dim(1);
            filters = (int) w.dim(0);
            if (channels != groupChannels * groups || filters % groups != 0) {
                throw Shapes.invalid("X " + x + " and W " + w + " do not fit " + groups + " groups");
            }
            window.requireFilters(w);
            taps = window.kernelSize();
            outputs = window.outputSize();
            inputs = window.inputSize();
            sources = window.sources();
        }

        private long[] outputShape() {
            return window.outputShape(batch, filters);
        }

        private int firstChannel(int filter) {
            return filter / (filters / groups) * groupChannels;
        }
    }

    private static void floats(Geometry g, KernelPool pool, Tensor x, Tensor w, Tensor bias, Tensor y) {
        if (x.type() == DataType.DOUBLE) {
            doubles(g, pool, x, w, bias, y);
            return;
        }
        pool.run(g.batch * g.filters, part -> {
            int b = part / g.filters;
            int filter = part % g.filters;
            Work work = Work.mine();
            float[] sums = work.floats(0, g.outputs);
            float[] plane = work.floats(1, g.inputs);
            float[] weights = work.floats(2, g.taps);
            Arrays.fill(sums, 0, g.outputs, bias == null ? 0 : TensorIo.getFloat(bias, filter));
            for (int c = 0; c < g.groupChannels; c++) {
                TensorIo.load(x, (b * g.channels + g.firstChannel(filter) + c) * g.inputs, plane, 0, g.inputs);
                TensorIo.load(w, (filter * g.groupChannels + c) * g.taps, weights, 0, g.taps);
                for (int tap = 0; tap < g.taps; tap++) {
                    float weight = weights[tap];
                    int line = tap * g.outputs;
                    for (int out = 0; out < g.outputs; out++) {
                        int source = g.sources[line + out];
                        if (source >= 0) {
                            sums[out] += weight * plane[source];
                        }
                    }
                }
            }
            TensorIo.store(sums, 0, y, part * g.outputs, g.outputs);
        });
    }

    private static void doubles(Geometry g, KernelPool pool, Tensor x, Tensor w, Tensor bias, Tensor y) {
        pool.run(g.batch * g.filters, part -> {
            int filter = part % g.filters;
            int base = (part / g.filters * g.channels + g.firstChannel(filter)) * g.inputs;
            for (int out = 0; out < g.outputs; out++) {
                double sum = bias == null ? 0 : bias.doubles().get(filter);
                for (int i = 0; i < g.groupChannels * g.taps; i++) {
                    int source = g.sources[i % g.taps * g.outputs + out];
                    if (source >= 0) {
                        sum += w.doubles().get(filter * g.groupChannels * g.taps + i)
                                * x.doubles().get(base + i / g.taps * g.inputs + source);
                    }
                }
                y.doubles().put(part * g.outputs + out, sum);
            }
        });
    }

    /** Exact sums of centred integers; padding counts as the zero point. */
    private static long integerSum(Geometry g, Tensor x, long zeroX, Tensor w, long zeroW, int b, int filter, int out) {
        long sum = 0;
        int base = (b * g.channels + g.firstChannel(filter)) * g.inputs;
        for (int i = 0; i < g.groupChannels * g.taps; i++) {
            int source = g.sources[i % g.taps * g.outputs + out];
            if (source >= 0) {
                sum += (TensorIo.getLong(w, filter * g.groupChannels * g.taps + i) - zeroW)
                        * (TensorIo.getLong(x, base + i / g.taps * g.inputs + source) - zeroX);
            }
        }
        return sum;
    }

    private static long zero(KernelContext context, int input, int filter) {
        if (!context.hasInput(input)) {
            return 0;
        }
        Tensor zeros = context.input(input);
        return TensorIo.getLong(zeros, zeros.elementCount() == 1 ? 0 : filter);
    }

    private static Kernel convInteger(KernelRequest request, KernelPool pool) {
        Node node = request.node();
        return context -> {
            Tensor x = context.input(0);
            Tensor w = context.input(1);
            Geometry g = new Geometry(node, x, w);
            Tensor y = context.output(0, DataType.INT32, g.outputShape());
            long zeroX = zero(context, 2, 0);
            pool.run(g.batch * g.filters, part -> {
                int filter = part % g.filters;
                long zeroW = zero(context, 3, filter);
                for (int out = 0; out < g.outputs; out++) {
                    y.ints().put(part * g.outputs + out, (int)
                            integerSum(g, x, zeroX, w, zeroW, part / g.filters, filter, out));
                }
            });
        };
    }

    private static Kernel qLinearConv(KernelRequest request, KernelPool pool) {
        Node node = request.node();
        return context -> {
            Tensor x = context.input(0);
            Tensor w = context.input(3);
            Tensor scaleW = context.input(4);
            Tensor bias = context.hasInput(8) ? context.input(8) : null;
            Geometry g = new Geometry(node, x, w);
            DataType type = context.input(7).type();
            Tensor y = context.output(0, type, g.outputShape());
            double scaleX = TensorIo.getDouble(context.input(1), 0);
            double scaleY = TensorIo.getDouble(context.input(6), 0);
            long zeroX = zero(context, 2, 0);
            long zeroY = zero(context, 7, 0);
            pool.run(g.batch * g.filters, part -> {
                int filter = part % g.filters;
                long zeroW = zero(context, 5, filter);
                double scale = TensorIo.getDouble(scaleW, scaleW.elementCount() == 1 ? 0 : filter) * scaleX / scaleY;
                for (int out = 0; out < g.outputs; out++) {
                    long sum = integerSum(g, x, zeroX, w, zeroW, part / g.filters, filter, out)
                            + (bias == null ? 0 : TensorIo.getLong(bias, filter));
                    long value = QuantizeKernels.saturated(Math.rint((float) (sum * scale)) + zeroY, type);
                    TensorIo.putLong(y, part * g.outputs + out, value);
                }
            });
        };
    }
}
