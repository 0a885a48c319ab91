package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;

/** Small fused operators: gated and biased activations, and the causal convolution of hybrid decoders. */
final class ContribKernels {
    private ContribKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("com.microsoft", "BiasGelu", 1, request -> biased(UnaryKernels::gelu));
        registrar.register("com.microsoft", "FastGelu", 1, request -> biased(UnaryKernels::tanhGelu));
        registrar.register("", "SwiGLU", 28, request -> swiGlu(request.node()));
        registrar.register("", "CausalConvWithState", 27, ContribKernels::causalConv);
        registrar.register("com.microsoft", "CausalConvWithState", 1, ContribKernels::causalConv);
    }

    /** {@code f(x + bias)}, the bias running along the last axis. */
    private static Kernel biased(DoubleUnaryOperator function) {
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.output(0, x.type(), x.shape());
            int size = (int) x.dim(-1);
            Work work = Work.mine();
            float[] line = work.floats(0, size);
            float[] bias = work.floats(1, size);
            Arrays.fill(bias, 0, size, 0);
            if (context.hasInput(1)) {
                TensorIo.load(context.input(1), 0, bias, 0, size);
            }
            for (int start = 0; start < x.elementCount(); start += size) {
                TensorIo.load(x, start, line, 0, size);
                for (int k = 0; k < size; k++) {
                    line[k] = (float) function.applyAsDouble(line[k] + bias[k]);
                }
                TensorIo.store(line, 0, y, start, size);
            }
        };
    }

    private static Kernel swiGlu(Node node) {
        double alpha = node.floatAttribute("alpha", 1);
        BinaryOp op = BinaryOp.of((double a, double b) -> a * UnaryKernels.sigmoid(alpha * a) * b, null, null);
        return BinaryKernels.binary(op, null);
    }

    /** Depthwise convolution over the last {@code k} positions of each channel, those before the input coming from the state. */
    private static Kernel causalConv(KernelRequest request) {
        Node node = request.node();
        boolean silu = !node.stringAttribute("activation", "none").equals("none");
        int dilation = (int) node.intAttribute("dilation", 1);
        boolean channelsLast = node.intAttribute("channels_last", 0) != 0;
        return context -> {
            Tensor x = context.input(0);
            Tensor weight = context.input(1);
            Tensor bias = context.hasInput(2) ? context.input(2) : null;
            Tensor past = context.hasInput(3) ? context.input(3) : null;
            int channels = (int) x.dim(channelsLast ? 2 : 1);
            int length = (int) x.dim(channelsLast ? 1 : 2);
            int taps = (int) weight.dim(-1);
            int carry = (taps - 1) * dilation;
            Tensor y = context.output(0, x.type(), x.shape());
            Tensor present = null;
            if (context.hasOutput(1)) {
                present = channelsLast
                        ? context.output(1, x.type(), x.dim(0), carry, channels)
                        : context.output(1, x.type(), x.dim(0), channels, carry);
            }
            float[] line = Work.mine().floats(0, carry + length);
            for (int row = 0; row < x.dim(0) * channels; row++) {
                int base = channelsLast ? row / channels * length * channels + row % channels : row * length;
                int step = channelsLast ? channels : 1;
                Arrays.fill(line, 0, carry, 0);
                int stateBase = channelsLast ? row / channels * carry * channels + row % channels : row * carry;
                for (int t = 0; past != null && t < carry; t++) {
                    line[t] = TensorIo.getFloat(past, stateBase + t * step);
                }
                for (int t = 0; t < length; t++) {
                    line[carry + t] = TensorIo.getFloat(x, base + t * step);
                }
                int channel = row % channels;
                for (int t = 0; t < length; t++) {
                    float sum = bias == null ? 0 : TensorIo.getFloat(bias, channel);
                    for (int k = 0; k < taps; k++) {
                        sum += TensorIo.getFloat(weight, channel * taps + k) * line[t + k * dilation];
                    }
                    double value = silu ? sum * UnaryKernels.sigmoid(sum) : sum;
                    TensorIo.putDouble(y, base + t * step, value);
                }
                for (int t = 0; present != null && t < carry; t++) {
                    TensorIo.putDouble(present, stateBase + t * step, line[length + t]);
                }
            }
        };
    }
}
