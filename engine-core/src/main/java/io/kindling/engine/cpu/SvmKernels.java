package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/**
 * {@code ai.onnx.ml::SVMClassifier} and {@code SVMRegressor} (since 1) on {@code [rows, features]}: libsvm's machines, or linear models where
 * there are no support vectors.
 */
final class SvmKernels {
    private SvmKernels() {}

    static void register(CpuKernels.Registrar registrar, KernelPool pool) {
        registrar.register("ai.onnx.ml", "SVMRegressor", 1, request -> regressor(request, pool));
        registrar.register("ai.onnx.ml", "SVMClassifier", 1, request -> SvmClassifierKernel.create(request, pool));
    }

    /** Kernel function of vectors. */
    static final class Machine {
        private final String kind;
        private final double gamma;
        private final double coef0;
        private final double degree;

        Machine(MlAttributes attributes, boolean linear) {
            kind = linear ? "LINEAR" : attributes.node().stringAttribute("kernel_type", "LINEAR");
            double[] parameters = attributes.numbers("kernel_params");
            gamma = parameters.length > 0 ? parameters[0] : 0;
            coef0 = parameters.length > 1 ? parameters[1] : 0;
            degree = parameters.length > 2 ? parameters[2] : 0;
        }

        double value(double[] x, double[] vectors, int at, int size) {
            double sum = 0;
            if (kind.equals("RBF")) {
                for (int k = 0; k < size; k++) {
                    double difference = x[k] - vectors[at + k];
                    sum += difference * difference;
                }
                return Math.exp(-gamma * sum);
            }
            for (int k = 0; k < size; k++) {
                sum += x[k] * vectors[at + k];
            }
            return switch (kind) {
                case "POLY" -> Math.pow(gamma * sum + coef0, degree);
                case "SIGMOID" -> Math.tanh(gamma * sum + coef0);
                default -> sum;
            };
        }
    }

    private static Kernel regressor(KernelRequest request, KernelPool pool) {
        MlAttributes attributes = new MlAttributes(request.node());
        PostTransform transform = PostTransform.of(attributes);
        double[] vectors = attributes.numbers("support_vectors");
        double[] coefficients = attributes.numbers("coefficients");
        double[] rho = attributes.numbers("rho");
        int supports = (int) request.node().intAttribute("n_supports", 0);
        boolean oneClass = request.node().intAttribute("one_class", 0) != 0;
        Machine machine = new Machine(attributes, supports == 0);
        if (rho.length == 0 || supports > 0 && coefficients.length < supports) {
            throw attributes.invalid("has " + rho.length + " rho and " + coefficients.length + " coefficients for "
                    + supports + " support vectors");
        }
        return context -> {
            Tensor x = context.input(0);
            int size = (int) x.dim(-1);
            int rows = x.rank() == 1 ? 1 : (int) x.dim(0);
            if (supports > 0 ? vectors.length < (long) supports * size : coefficients.length < size) {
                throw Shapes.invalid("X is " + x + " and the machine was trained on fewer features");
            }
            Tensor y = context.output(0, DataType.FLOAT, rows, 1);
            pool.run(rows, row -> {
                double[] values = Work.mine().doubles(0, size);
                double[] result = Work.mine().doubles(1, 1);
                TensorIo.load(x, row * size, values, 0, size);
                double sum = supports == 0 ? machine.value(values, coefficients, 0, size) : 0;
                for (int s = 0; s < supports; s++) {
                    sum += coefficients[s] * machine.value(values, vectors, s * size, size);
                }
                sum += rho[0];
                result[0] = oneClass ? (sum > 0 ? 1 : -1) : sum;
                if (!oneClass && transform != PostTransform.SOFTMAX) {
                    transform.apply(result, 1);
                }
                TensorIo.store(result, 0, y, row, 1);
            });
        };
    }
}
