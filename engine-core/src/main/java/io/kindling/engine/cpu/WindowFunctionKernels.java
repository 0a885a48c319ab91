package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.Tensor;

/** {@code HannWindow}, {@code HammingWindow} and {@code BlackmanWindow}: sums of cosines over one period. */
final class WindowFunctionKernels {
    private WindowFunctionKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("", "HannWindow", 17, request -> window(request.node(), 0.5, 0.5, 0));
        registrar.register("", "HammingWindow", 17, request -> window(request.node(), 25.0 / 46, 21.0 / 46, 0));
        registrar.register("", "BlackmanWindow", 17, request -> window(request.node(), 0.42, 0.5, 0.08));
    }

    private static Kernel window(Node node, double constant, double first, double second) {
        boolean periodic = node.intAttribute("periodic", 1) != 0;
        DataType type =
                DataType.ofCode((int) node.intAttribute("output_datatype", 1)).orElseThrow();
        return context -> {
            int size = Math.toIntExact(TensorIo.getLong(context.input(0), 0));
            Tensor y = context.output(0, type, size);
            double period = periodic ? size : size - 1;
            for (int k = 0; k < size; k++) {
                double angle = 2 * Math.PI * k / period;
                double value = constant - first * Math.cos(angle) + second * Math.cos(2 * angle);
                // Rounded to float first: the peak of 1 would be cut to 0 otherwise.
                TensorIo.putNumber(y, k, type == DataType.DOUBLE ? value : (float) value);
            }
        };
    }
}
