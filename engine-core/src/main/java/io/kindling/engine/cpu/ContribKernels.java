package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;

/** Small fused operators: gated and biased activations. */
final class ContribKernels {
    private ContribKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("com.microsoft", "BiasGelu", 1, request -> biased(UnaryKernels::gelu));
        registrar.register("com.microsoft", "FastGelu", 1, request -> biased(UnaryKernels::tanhGelu));
        registrar.register("", "SwiGLU", 28, request -> swiGlu(request.node()));
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
}
