package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/** {@code ConvTranspose}: every input place adds its weighted kernel to the output, channels in ascending order, sums in double. */
final class ConvTransposeKernel implements Kernel {
    private final Node node;
    private final KernelPool pool;

    private ConvTransposeKernel(Node node, KernelPool pool) {
        this.node = node;
        this.pool = pool;
    }

    static Kernel create(KernelRequest request, KernelPool pool) {
        return new ConvTransposeKernel(request.node(), pool);
    }

    @Override
    public void execute(KernelContext context) {
        Tensor x = context.input(0);
        Tensor w = context.input(1);
        Tensor bias = context.hasInput(2) ? context.input(2) : null;
        TransposedWindow window = new TransposedWindow(node, x, w);
        int groups = (int) node.intAttribute("group", 1);
        int groupFilters = (int) w.dim(1);
        long[] shape = window.outputShape();
        Tensor y = context.output(0, x.type(), shape);
        int inputs = Shapes.product(x.shape(), 2, x.rank());
        int outputs = Shapes.product(shape, 2, shape.length);
        int taps = Shapes.product(w.shape(), 2, w.rank());
        int[] targets = targets(x, w, window, inputs, taps);
        int channels = (int) x.dim(1) / groups;
        int filters = groupFilters * groups;
        pool.run((int) x.dim(0) * filters, part -> {
            int b = part / filters;
            int filter = part % filters;
            int group = filter / groupFilters;
            double[] sums = Work.mine().doubles(0, outputs);
            Arrays.fill(sums, 0, outputs, bias == null ? 0 : TensorIo.getDouble(bias, filter));
            for (int c = group * channels; c < (group + 1) * channels; c++) {
                int weightAt = (c * groupFilters + filter % groupFilters) * taps;
                for (int i = 0; i < inputs; i++) {
                    double value = TensorIo.getDouble(x, (b * channels * groups + c) * inputs + i);
                    for (int tap = 0; tap < taps; tap++) {
                        int target = targets[i * taps + tap];
                        if (target >= 0) {
                            sums[target] += value * TensorIo.getDouble(w, weightAt + tap);
                        }
                    }
                }
            }
            TensorIo.store(sums, 0, y, part * outputs, outputs);
        });
    }

    /** Where each kernel place of each input place lands, or −1 outside. */
    private static int[] targets(Tensor x, Tensor w, TransposedWindow window, int inputs, int taps) {
        int[] targets = new int[inputs * taps];
        Odometer input = new Odometer(Arrays.copyOfRange(x.shape(), 2, x.rank()));
        for (int i = 0; i < inputs; i++, input.next()) {
            Odometer kernel = new Odometer(Arrays.copyOfRange(w.shape(), 2, w.rank()));
            for (int tap = 0; tap < taps; tap++, kernel.next()) {
                int target = 0;
                for (int k = 0; k < x.rank() - 2 && target >= 0; k++) {
                    long at = input.at(k) * window.stride(k) + kernel.at(k) * window.dilation(k) - window.before(k);
                    long size = window.outputShape()[k + 2];
                    target = at < 0 || at >= size ? -1 : (int) (target * size + at);
                }
                targets[i * taps + tap] = target;
            }
        }
        return targets;
    }
}
