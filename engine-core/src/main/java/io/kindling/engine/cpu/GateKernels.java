package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/** Gates of hybrid decoders: {@code LinearAttentionGate}, {@code GatedRMSNorm}, {@code GatedAdd}, {@code ScaledSiLU}. */
final class GateKernels {
    private static final String DOMAIN = "com.microsoft";

    private GateKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register(DOMAIN, "LinearAttentionGate", 1, request -> GateKernels::linearAttention);
        registrar.register(DOMAIN, "GatedRMSNorm", 1, request -> rmsNorm(request.node()));
        registrar.register(DOMAIN, "GatedAdd", 1, request -> {
            Node node = request.node();
            if (node.inputs().size() > 3 && !node.inputs().get(3).isEmpty()) {
                throw Unsupported.of(node, "gate_weight is not supported; compute the gate before");
            }
            return GateKernels::add;
        });
        registrar.register(DOMAIN, "ScaledSiLU", 1, request -> scaledSilu(request.node()));
    }

    private static void linearAttention(KernelContext context) {
        Tensor a = context.input(0);
        Tensor bias = context.input(1);
        Tensor scale = context.input(2);
        Tensor decay = context.output(0, a.type(), a.shape());
        int heads = (int) a.dim(-1);
        for (int k = 0; k < a.elementCount(); k++) {
            double shifted = TensorIo.getDouble(a, k) + TensorIo.getDouble(bias, k % heads);
            TensorIo.putDouble(decay, k, TensorIo.getDouble(scale, k % heads) * UnaryKernels.softplus(shifted));
        }
        if (context.hasOutput(1)) {
            Tensor b = context.input(3);
            Tensor beta = context.output(1, b.type(), b.shape());
            for (int k = 0; k < b.elementCount(); k++) {
                TensorIo.putDouble(beta, k, UnaryKernels.sigmoid(TensorIo.getDouble(b, k)));
            }
        }
    }

    private static Kernel rmsNorm(Node node) {
        double epsilon = node.floatAttribute("epsilon", 1e-5f);
        boolean sigmoid = node.stringAttribute("activation", "silu").equals("sigmoid");
        return context -> {
            Tensor x = context.input(0);
            Tensor scale = context.input(1);
            Tensor gate = context.input(2);
            Tensor y = context.output(0, x.type(), x.shape());
            int size = TensorIo.count(scale);
            double[] row = Work.mine().doubles(0, size);
            for (int start = 0; start < x.elementCount(); start += size) {
                TensorIo.load(x, start, row, 0, size);
                double squares = 0;
                for (int k = 0; k < size; k++) {
                    squares += row[k] * row[k];
                }
                double inverse = 1 / Math.sqrt(squares / size + epsilon);
                for (int k = 0; k < size; k++) {
                    double z = TensorIo.getDouble(gate, start + k);
                    double open = UnaryKernels.sigmoid(z) * (sigmoid ? 1 : z);
                    TensorIo.putDouble(y, start + k, row[k] * inverse * TensorIo.getDouble(scale, k) * open);
                }
            }
        };
    }

    /** {@code x + y · gate}, one gate a row; the product is rounded to the element type first. */
    private static void add(KernelContext context) {
        Tensor x = context.input(0);
        Tensor y = context.input(1);
        Tensor gate = context.input(2);
        Tensor sum = context.output(0, x.type(), x.shape());
        int size = (int) x.dim(-1);
        for (int k = 0; k < x.elementCount(); k++) {
            TensorIo.putDouble(sum, k, TensorIo.getDouble(y, k) * TensorIo.getDouble(gate, k / size));
            TensorIo.putDouble(sum, k, TensorIo.getDouble(x, k) + TensorIo.getDouble(sum, k));
        }
    }

    /** Rounds to the element type after the scaling, the sigmoid and the product. */
    private static Kernel scaledSilu(Node node) {
        float alpha = node.floatAttribute("alpha", 1);
        return context -> {
            Tensor x = context.input(0);
            float scale = context.hasInput(1) ? TensorIo.getFloat(context.input(1), 0) : alpha;
            Tensor y = context.output(0, x.type(), x.shape());
            for (int k = 0; k < x.elementCount(); k++) {
                TensorIo.putDouble(y, k, scale * TensorIo.getFloat(x, k));
                double scaled = TensorIo.getDouble(y, k);
                TensorIo.putDouble(y, k, UnaryKernels.sigmoid(scaled));
                TensorIo.putDouble(y, k, scaled * TensorIo.getDouble(y, k));
            }
        };
    }
}
