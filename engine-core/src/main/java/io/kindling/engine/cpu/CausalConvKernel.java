package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.PackedRecurrence;
import io.kindling.engine.ir.PagedAttention;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * {@code CausalConvWithState} (since 27, and {@code com.microsoft}) and its form over packed sequences,
 * {@link PackedRecurrence}: depthwise convolution over the last {@code k} positions of each channel, those before the input
 * coming from the state.
 */
final class CausalConvKernel implements Kernel {
    /** Enough work for a thread. */
    private static final int CHANNELS_A_PART = 32;

    private final KernelPool pool;
    private final boolean silu;
    private final int dilation;
    private final boolean channelsLast;

    private CausalConvKernel(Node node, KernelPool pool) {
        this.pool = pool;
        for (String extension :
                new String[] {"state_window", "state_update_capacity", "state_length", "input_channels"}) {
            if (node.intAttribute(extension, 0) != 0) {
                throw Unsupported.of(node, extension + " is not supported; export it with 0");
            }
        }
        if (node.intAttribute("ndim", 1) != 1) {
            throw Unsupported.of(node, "only one spatial axis is supported, not ndim " + node.intAttribute("ndim", 1));
        }
        silu = !node.stringAttribute("activation", "none").equals("none");
        dilation = (int) node.intAttribute("dilation", 1);
        channelsLast = node.intAttribute("channels_last", 0) != 0;
    }

    static void register(CpuKernels.Registrar registrar, KernelPool pool) {
        registrar.register("", "CausalConvWithState", 27, request -> create(request, pool));
        registrar.register("com.microsoft", "CausalConvWithState", 1, request -> create(request, pool));
        registrar.register(PagedAttention.DOMAIN, PackedRecurrence.CAUSAL_CONV, 1, request -> create(request, pool));
    }

    private static Kernel create(KernelRequest request, KernelPool pool) {
        return new CausalConvKernel(request.node(), pool);
    }

    @Override
    public void execute(KernelContext context) {
        Run run = new Run(context);
        pool.run((run.channels + CHANNELS_A_PART - 1) / CHANNELS_A_PART, run::part);
    }

    /** One execution. */
    private final class Run {
        private final Tensor x;
        private final Tensor weight;
        private final Tensor bias;
        private final Tensor y;
        private final int channels;
        private final int length;
        private final int taps;
        private final int carry;
        private final SequenceRuns runs;

        private Run(KernelContext context) {
            x = context.input(0);
            weight = context.input(1);
            bias = context.hasInput(2) ? context.input(2) : null;
            int batch = (int) x.dim(0);
            length = (int) x.dim(channelsLast ? 1 : 2);
            channels = (int) weight.dim(0);
            taps = (int) weight.dim(-1);
            carry = (taps - 1) * dilation;
            y = context.output(0, x.type(), x.shape());
            if (SequenceRuns.isPacked(context)) {
                runs = SequenceRuns.packed(context, length);
            } else {
                Tensor present = context.hasOutput(1) ? context.output(1, x.type(), stateShape()) : null;
                runs = SequenceRuns.rows(context, batch, length, present);
            }
        }

        private long[] stateShape() {
            long[] shape = x.shape().clone();
            shape[channelsLast ? 1 : 2] = carry;
            return shape;
        }

        private void part(int part) {
            int end = Math.min(channels, (part + 1) * CHANNELS_A_PART);
            for (int channel = part * CHANNELS_A_PART; channel < end; channel++) {
                int own = channel;
                runs.each((from, to, before, behind) -> channel(own, from, to, before, behind));
            }
        }

        /** Where a token's element of a channel is. */
        private int at(int token, int channel) {
            return channelsLast
                    ? token * channels + channel
                    : (token / length * channels + channel) * length + token % length;
        }

        private int stateAt(int row, int channel, int t) {
            return row * channels * carry + (channelsLast ? t * channels + channel : channel * carry + t);
        }

        private void channel(int channel, int from, int to, int before, int behind) {
            Work work = Work.mine();
            float[] line = work.floats(0, carry + to - from);
            float[] kernel = work.floats(1, taps);
            TensorIo.load(weight, channel * taps, kernel, 0, taps);
            Arrays.fill(line, 0, carry, 0);
            for (int t = 0; before >= 0 && t < carry; t++) {
                line[t] = TensorIo.getFloat(runs.past(), stateAt(before, channel, t));
            }
            for (int token = from; token < to; token++) {
                line[carry + token - from] = TensorIo.getFloat(x, at(token, channel));
            }
            for (int t = 0; t < to - from; t++) {
                float sum = bias == null ? 0 : TensorIo.getFloat(bias, channel);
                for (int k = 0; k < taps; k++) {
                    sum += kernel[k] * line[t + k * dilation];
                }
                TensorIo.putDouble(y, at(from + t, channel), silu ? sum * UnaryKernels.sigmoid(sum) : sum);
            }
            for (int t = 0; runs.present() != null && t < carry; t++) {
                TensorIo.putDouble(runs.present(), stateAt(behind, channel, t), line[to - from + t]);
            }
        }
    }
}
