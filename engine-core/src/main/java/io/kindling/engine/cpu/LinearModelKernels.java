package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/** {@code ai.onnx.ml::LinearClassifier} and {@code LinearRegressor} (since 1) on {@code [rows, features]}. */
final class LinearModelKernels {
    private LinearModelKernels() {}

    static void register(CpuKernels.Registrar registrar, KernelPool pool) {
        registrar.register("ai.onnx.ml", "LinearClassifier", 1, request -> classifier(request, pool));
        registrar.register("ai.onnx.ml", "LinearRegressor", 1, request -> regressor(request, pool));
    }

    private static Kernel classifier(KernelRequest request, KernelPool pool) {
        MlAttributes attributes = new MlAttributes(request.node());
        ClassLabels labels = ClassLabels.of(attributes, "classlabels_ints");
        PostTransform transform = PostTransform.of(attributes);
        double[] coefficients = attributes.numbers("coefficients");
        double[] intercepts = attributes.numbers("intercepts");
        int models = intercepts.length == 0 ? labels.count() : intercepts.length;
        boolean single = models == 1 && labels.count() == 2;
        return context -> {
            Tensor x = context.input(0);
            int rows = x.rank() == 1 ? 1 : (int) x.dim(0);
            int width = single ? 2 : models;
            Tensor z = context.output(1, DataType.FLOAT, rows, width);
            int[] classes = new int[rows];
            run(pool, x, coefficients, intercepts, models, (row, scores) -> {
                if (models == 1) {
                    classes[row] = scores[0] > 0 ? 1 : 0;
                } else {
                    for (int m = 1; m < models; m++) {
                        classes[row] = scores[m] > scores[classes[row]] ? m : classes[row];
                    }
                }
                if (single) {
                    transform.spread(scores, true);
                } else {
                    transform.apply(scores, models);
                }
                TensorIo.store(scores, 0, z, row * width, width);
            });
            labels.write(context, classes);
        };
    }

    private static Kernel regressor(KernelRequest request, KernelPool pool) {
        MlAttributes attributes = new MlAttributes(request.node());
        PostTransform transform = PostTransform.of(attributes);
        double[] coefficients = attributes.numbers("coefficients");
        double[] intercepts = attributes.numbers("intercepts");
        int targets = (int) request.node().intAttribute("targets", 1);
        return context -> {
            Tensor x = context.input(0);
            int rows = x.rank() == 1 ? 1 : (int) x.dim(0);
            Tensor y = context.output(0, DataType.FLOAT, rows, targets);
            run(pool, x, coefficients, intercepts, targets, (row, scores) -> {
                transform.apply(scores, targets);
                TensorIo.store(scores, 0, y, row * targets, targets);
            });
        };
    }

    /** Takes the scores of a row, in an array of at least two elements that it may change. */
    private interface Sink {
        void put(int row, double[] scores);
    }

    private static void run(
            KernelPool pool, Tensor x, double[] coefficients, double[] intercepts, int models, Sink sink) {
        int features = (int) x.dim(-1);
        int rows = x.rank() == 1 ? 1 : (int) x.dim(0);
        if (coefficients.length != (long) models * features) {
            throw Shapes.invalid("X is " + x + " and the " + models + " linear models have " + coefficients.length
                    + " coefficients together");
        }
        pool.run(rows, row -> {
            double[] values = Work.mine().doubles(0, features);
            double[] scores = Work.mine().doubles(1, Math.max(2, models));
            TensorIo.load(x, row * features, values, 0, features);
            for (int m = 0; m < models; m++) {
                double sum = m < intercepts.length ? intercepts[m] : 0;
                for (int k = 0; k < features; k++) {
                    sum += coefficients[m * features + k] * values[k];
                }
                scores[m] = sum;
            }
            sink.put(row, scores);
        });
    }
}
