package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * {@code DeformConv} over any number of spatial axes: a convolution whose taps are moved by {@code offset [N, offset groups · taps · rank,
 * out…]} and weighted by {@code mask [N, offset groups · taps, out…]}; between places X is interpolated linearly, outside it is 0.
 */
final class DeformConvKernel implements Kernel {
    private final Node node;
    private final KernelPool pool;
    private final int groups;
    private final int offsetGroups;

    private DeformConvKernel(Node node, KernelPool pool) {
        this.node = node;
        this.pool = pool;
        groups = (int) node.intAttribute("group", 1);
        offsetGroups = (int) node.intAttribute("offset_group", 1);
    }

    static Kernel create(KernelRequest request, KernelPool pool) {
        return new DeformConvKernel(request.node(), pool);
    }

    @Override
    public void execute(KernelContext context) {
        Tensor x = context.input(0);
        Tensor w = context.input(1);
        Tensor offset = context.input(2);
        Tensor bias = context.hasInput(3) ? context.input(3) : null;
        Tensor mask = context.hasInput(4) ? context.input(4) : null;
        if (x.rank() < 3 || w.rank() != x.rank()) {
            throw Shapes.invalid("X " + x + " and W " + w + " must have one rank, from 3");
        }
        Window window = new Window(node, x, Arrays.copyOfRange(w.shape(), 2, w.rank()), false);
        window.requireFilters(w);
        int channels = (int) x.dim(1);
        int filters = (int) w.dim(0);
        int taps = window.kernelSize();
        int outputs = window.outputSize();
        boolean fits = w.dim(1) * groups == channels
                && filters % groups == 0
                && channels % offsetGroups == 0
                && offset.elementCount() == x.dim(0) * offsetGroups * taps * window.rank * outputs
                && (mask == null || mask.elementCount() == x.dim(0) * offsetGroups * taps * outputs);
        if (!fits) {
            throw Shapes.invalid("X " + x + ", W " + w + ", offset " + offset + " and mask " + mask + " do not fit "
                    + groups + " groups and " + offsetGroups + " offset groups");
        }
        Tensor y = context.output(0, x.type(), window.outputShape(x.dim(0), filters));
        pool.run((int) x.dim(0) * outputs, part -> {
            int n = part / outputs;
            int out = part % outputs;
            double[] values = Work.mine().doubles(0, channels * taps);
            sample(window, x, offset, mask, n, out, values);
            int groupChannels = channels / groups;
            for (int filter = 0; filter < filters; filter++) {
                int first = filter / (filters / groups) * groupChannels * taps;
                double sum = bias == null ? 0 : TensorIo.getDouble(bias, filter);
                for (int k = 0; k < groupChannels * taps; k++) {
                    sum += TensorIo.getDouble(w, filter * groupChannels * taps + k) * values[first + k];
                }
                TensorIo.putDouble(y, (n * filters + filter) * outputs + out, sum);
            }
        });
    }

    /** What every channel and tap reads for one output place: element {@code channel · taps + tap}. */
    private void sample(Window window, Tensor x, Tensor offset, Tensor mask, int n, int out, double[] values) {
        int taps = window.kernelSize();
        int outputs = window.outputSize();
        int channels = (int) x.dim(1);
        int perGroup = channels / offsetGroups;
        int corners = 1 << window.rank;
        int[] places = new int[corners];
        double[] weights = new double[corners];
        for (int group = 0; group < offsetGroups; group++) {
            for (int tap = 0; tap < taps; tap++) {
                int shifts = ((n * offsetGroups + group) * taps + tap) * window.rank * outputs + out;
                corners(window, offset, shifts, out, tap, places, weights);
                double factor = mask == null
                        ? 1
                        : TensorIo.getDouble(mask, ((n * offsetGroups + group) * taps + tap) * outputs + out);
                for (int c = group * perGroup; c < (group + 1) * perGroup; c++) {
                    int plane = (n * channels + c) * window.inputSize();
                    double value = 0;
                    for (int corner = 0; corner < corners; corner++) {
                        if (weights[corner] != 0) {
                            value += weights[corner] * TensorIo.getDouble(x, plane + places[corner]);
                        }
                    }
                    values[c * taps + tap] = value * factor;
                }
            }
        }
    }

    /** The grid places around a moved tap and their shares; a place outside has none. */
    private static void corners(
            Window window, Tensor offset, int shifts, int out, int tap, int[] places, double[] weights) {
        Arrays.fill(places, 0);
        Arrays.fill(weights, 1);
        int restOut = out;
        int restTap = tap;
        int stride = 1;
        for (int axis = window.rank - 1; axis >= 0; axis--) {
            double at = restOut % window.output[axis] * window.strides[axis]
                    - window.before[axis]
                    + restTap % window.kernel[axis] * window.dilations[axis]
                    + TensorIo.getDouble(offset, shifts + axis * window.outputSize());
            restOut /= window.output[axis];
            restTap /= window.kernel[axis];
            double floor = Math.floor(at);
            for (int corner = 0; corner < places.length; corner++) {
                boolean upper = (corner >> axis & 1) == 1;
                double place = upper ? floor + 1 : floor;
                if (place >= 0 && place < window.input[axis]) {
                    places[corner] += (int) place * stride;
                    weights[corner] *= upper ? at - floor : floor + 1 - at;
                } else {
                    weights[corner] = 0;
                }
            }
            stride *= window.input[axis];
        }
    }
}
