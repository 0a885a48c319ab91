package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/**
 * Optimisers of {@code ai.onnx.preview.training}. Inputs are the rate R, the step T, then the tensors, their gradients and their states,
 * each for all tensors together; outputs are the new tensors and states in that order.
 */
final class TrainingKernels {
    private static final String DOMAIN = "ai.onnx.preview.training";

    private TrainingKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register(DOMAIN, "Adagrad", 1, request -> optimizer(1, adagrad(request.node())));
        registrar.register(DOMAIN, "Adam", 1, request -> optimizer(2, adam(request.node())));
        registrar.register(DOMAIN, "Momentum", 1, TrainingKernels::momentum);
    }

    private interface Step {
        /**
         * Updates one element: {@code values} holds it, then its states.
         *
         * @param gradient of the element, not regularised
         */
        void apply(double rate, long step, double[] values, double gradient);
    }

    private static Kernel optimizer(int states, Step update) {
        return context -> {
            double rate = TensorIo.getDouble(context.input(0), 0);
            long step = TensorIo.getLong(context.input(1), 0);
            int count = (context.inputCount() - 2) / (states + 2);
            double[] values = new double[states + 1];
            for (int k = 0; k < count; k++) {
                Tensor gradient = context.input(2 + count + k);
                Tensor[] before = new Tensor[states + 1];
                Tensor[] after = new Tensor[states + 1];
                for (int s = 0; s <= states; s++) {
                    before[s] = context.input(2 + (s == 0 ? 0 : s + 1) * count + k);
                    after[s] = context.output(s * count + k, before[s].type(), before[s].shape());
                }
                for (int i = 0; i < gradient.elementCount(); i++) {
                    for (int s = 0; s <= states; s++) {
                        values[s] = TensorIo.getDouble(before[s], i);
                    }
                    update.apply(rate, step, values, TensorIo.getDouble(gradient, i));
                    for (int s = 0; s <= states; s++) {
                        TensorIo.putDouble(after[s], i, values[s]);
                    }
                }
            }
        };
    }

    private static Step adagrad(Node node) {
        double decay = node.floatAttribute("decay_factor", 0);
        double epsilon = node.floatAttribute("epsilon", 1e-6f);
        double norm = node.floatAttribute("norm_coefficient", 0);
        return (rate, step, values, given) -> {
            double gradient = norm * values[0] + given;
            values[1] += gradient * gradient;
            values[0] -= rate / (1 + step * decay) * gradient / (Math.sqrt(values[1]) + epsilon);
        };
    }

    private static Step adam(Node node) {
        double alpha = node.floatAttribute("alpha", 0.9f);
        double beta = node.floatAttribute("beta", 0.999f);
        double epsilon = node.floatAttribute("epsilon", 1e-6f);
        double norm = node.floatAttribute("norm_coefficient", 0);
        double post = node.floatAttribute("norm_coefficient_post", 0);
        return (rate, step, values, given) -> {
            double gradient = norm * values[0] + given;
            values[1] = alpha * values[1] + (1 - alpha) * gradient;
            values[2] = beta * values[2] + (1 - beta) * gradient * gradient;
            double adjusted =
                    step > 0 ? rate * Math.sqrt(1 - Math.pow(beta, step)) / (1 - Math.pow(alpha, step)) : rate;
            values[0] = (1 - post) * (values[0] - adjusted * values[1] / (Math.sqrt(values[2]) + epsilon));
        };
    }

    private static Kernel momentum(KernelRequest request) {
        Node node = request.node();
        double alpha = node.floatAttribute("alpha", 0);
        double beta = node.floatAttribute("beta", 0);
        double norm = node.floatAttribute("norm_coefficient", 0);
        boolean nesterov = node.stringAttribute("mode", "standard").equals("nesterov");
        return optimizer(1, (rate, step, values, given) -> {
            double gradient = norm * values[0] + given;
            values[1] = alpha * values[1] + (step > 0 ? beta : 1) * gradient;
            values[0] -= rate * (nesterov ? gradient + alpha * values[1] : values[1]);
        });
    }
}
