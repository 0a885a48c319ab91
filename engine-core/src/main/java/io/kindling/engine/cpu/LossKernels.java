package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/** {@code NegativeLogLikelihoodLoss} and {@code SoftmaxCrossEntropyLoss} over {@code [batch, classes, places…]}. */
final class LossKernels {
    private LossKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("", "NegativeLogLikelihoodLoss", 12, request -> kernel(request, false));
        registrar.register("", "SoftmaxCrossEntropyLoss", 12, request -> kernel(request, true));
    }

    private static Kernel kernel(KernelRequest request, boolean softmax) {
        Node node = request.node();
        String reduction = node.stringAttribute("reduction", "mean");
        boolean ignores = node.attribute("ignore_index").isPresent();
        long ignored = node.intAttribute("ignore_index", 0);
        return context -> {
            Tensor x = context.input(0);
            int classes = (int) x.dim(1);
            int places = Shapes.product(x.shape(), 2, x.rank());
            double[] logs = new double[TensorIo.count(x)];
            TensorIo.load(x, 0, logs, 0, logs.length);
            if (softmax) {
                logSoftmax(logs, classes, places);
                if (context.hasOutput(1)) {
                    TensorIo.store(logs, 0, context.output(1, x.type(), x.shape()), 0, logs.length);
                }
            }
            loss(context, x, logs, reduction, ignores, ignored);
        };
    }

    private static void logSoftmax(double[] values, int classes, int places) {
        for (int start = 0; start < values.length; start += classes * places) {
            for (int place = start; place < start + places; place++) {
                double max = Double.NEGATIVE_INFINITY;
                for (int c = 0; c < classes; c++) {
                    max = Math.max(max, values[place + c * places]);
                }
                double sum = 0;
                for (int c = 0; c < classes; c++) {
                    sum += Math.exp(values[place + c * places] - max);
                }
                for (int c = 0; c < classes; c++) {
                    values[place + c * places] -= max + Math.log(sum);
                }
            }
        }
    }

    private static void loss(
            KernelContext context, Tensor x, double[] logs, String reduction, boolean ignores, long ignored) {
        Tensor target = context.input(1);
        Tensor weights = context.hasInput(2) ? context.input(2) : null;
        int classes = (int) x.dim(1);
        int places = Shapes.product(x.shape(), 2, x.rank());
        boolean none = reduction.equals("none");
        Tensor y = none ? context.output(0, x.type(), target.shape()) : context.output(0, x.type());
        double total = 0;
        double weightSum = 0;
        for (int k = 0; k < target.elementCount(); k++) {
            long label = TensorIo.getLong(target, k);
            double value = 0;
            if (!ignores || label != ignored) {
                int c = GatherKernels.index(label, classes);
                double weight = weights == null ? 1 : TensorIo.getDouble(weights, c);
                value = -weight * logs[(k / places * classes + c) * places + k % places];
                weightSum += weight;
            }
            total += value;
            if (none) {
                TensorIo.putDouble(y, k, value);
            }
        }
        if (!none) {
            TensorIo.putDouble(y, 0, reduction.equals("mean") ? total / weightSum : total);
        }
    }
}
