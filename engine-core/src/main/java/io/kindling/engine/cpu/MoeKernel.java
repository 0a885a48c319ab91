package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.Set;

/**
 * {@code com.microsoft::MoE} and {@code QMoE} (since 1): each token goes to the {@code k} experts with the largest router logits, whose
 * outputs are summed with the softmax of all logits as weights, brought to a sum of 1 where {@code normalize_routing_weights} asks for it.
 */
final class MoeKernel implements Kernel {
    private static final Set<String> ACTIVATIONS =
            Set.of("relu", "relu2", "gelu", "silu", "swiglu", "geglu", "identity");

    /** Float slots of {@link Work} that a run holds; its parts take float rows. */
    private static final int ROWS = 0;

    private static final int HIDDEN = 1;
    private static final int GATE = 2;
    private static final int SUM = 3;

    private final Node node;
    private final KernelPool pool;
    private final boolean quantised;
    private final int top;
    private final boolean normalise;
    private final String activation;
    private final double alpha;
    private final double beta;
    private final double limit;
    private final boolean limitAfter;
    private final int fusion;

    private MoeKernel(Node node, KernelPool pool) {
        this.node = node;
        this.pool = pool;
        quantised = node.opType().equals("QMoE");
        top = (int) node.intAttribute("k", 1);
        normalise = node.intAttribute("normalize_routing_weights", 0) != 0;
        activation = node.stringAttribute("activation_type", "relu");
        alpha = node.floatAttribute("activation_alpha", 1);
        beta = node.floatAttribute("activation_beta", 0);
        limit = node.floatAttribute("swiglu_limit", Float.POSITIVE_INFINITY);
        limitAfter = node.intAttribute("swiglu_limit_after_activation", 0) != 0;
        fusion = (int) node.intAttribute("swiglu_fusion", 0);
        if (!ACTIVATIONS.contains(activation)) {
            throw Unsupported.of(node, "activation_type " + activation + " is none of " + ACTIVATIONS);
        }
        if (node.intAttribute("use_sparse_mixer", 0) != 0) {
            throw Unsupported.of(node, "use_sparse_mixer is not supported; export the router with softmax weights");
        }
        String type = node.stringAttribute("quant_type", "int");
        if (!type.equals("int")) {
            throw Unsupported.of(node, "quant_type " + type + " is not supported; integer weights (int) are");
        }
        if (node.intAttribute("weights_prepacked", 0) > 0) {
            throw Unsupported.of(node, "weights_prepacked must be 0 or −1: other layouts are private to one device");
        }
    }

    static Kernel create(KernelRequest request, KernelPool pool) {
        return new MoeKernel(request.node(), pool);
    }

    private boolean gated() {
        return activation.equals("swiglu") || activation.equals("geglu");
    }

    private ExpertWeights weights(KernelContext context, int projection) {
        int index = quantised ? 3 * projection - 1 : 2 * projection;
        if (!context.hasInput(index)) {
            return null;
        }
        if (!quantised) {
            return ExpertWeights.plain(context, index);
        }
        int shared = (int) node.intAttribute("expert_weight_bits", 4);
        int bits = (int) node.intAttribute("fc" + projection + "_expert_weight_bits", shared);
        if (bits != 2 && bits != 3 && bits != 4 && bits != 8) {
            throw Unsupported.of(node, "expert_weight_bits must be 2, 3, 4 or 8, not " + bits);
        }
        return ExpertWeights.quantised(context, node, index, 10 + projection, bits);
    }

    @Override
    public void execute(KernelContext context) {
        Tensor x = context.input(0);
        Tensor router = context.input(1);
        Tensor y = context.output(0, x.type(), x.shape());
        int width = (int) x.dim(-1);
        int tokens = TensorIo.count(x) / Math.max(1, width);
        ExpertWeights first = weights(context, 1);
        ExpertWeights second = weights(context, 2);
        ExpertWeights third = weights(context, 3);
        int experts = first.experts();
        if (router.elementCount() != (long) tokens * experts || first.inputs != width || second.outputs != width) {
            throw Shapes.invalid("input " + x + ", router " + router + " and " + experts + " experts do not fit");
        }
        float[] mix = mixture(router, quantised && context.hasInput(14) ? context.input(14) : router, tokens, experts);
        float[] total = Work.mine().floats(SUM, tokens * width);
        Arrays.fill(total, 0, tokens * width, 0);
        int[] mine = new int[tokens];
        for (int e = 0; e < experts; e++) {
            int count = 0;
            for (int t = 0; t < tokens; t++) {
                if (mix[t * experts + e] != 0) {
                    mine[count++] = t;
                }
            }
            if (count > 0) {
                expert(e, x, mine, count, first, second, third, mix, total);
            }
        }
        TensorIo.store(total, 0, y, 0, tokens * width);
    }

    /** The weight of each expert for each token: 0 for those not chosen. Of equal logits the first expert wins. */
    private float[] mixture(Tensor router, Tensor values, int tokens, int experts) {
        float[] mix = new float[tokens * experts];
        double[] logits = new double[experts];
        double[] weights = new double[experts];
        for (int t = 0; t < tokens; t++) {
            TensorIo.load(router, t * experts, logits, 0, experts);
            if (values == router) {
                System.arraycopy(logits, 0, weights, 0, experts);
                SoftmaxKernels.softmax(weights, experts);
            } else {
                TensorIo.load(values, t * experts, weights, 0, experts);
            }
            double sum = 0;
            for (int rank = 0; rank < Math.min(top, experts); rank++) {
                int best = 0;
                for (int e = 1; e < experts; e++) {
                    best = logits[e] > logits[best] ? e : best;
                }
                logits[best] = Double.NEGATIVE_INFINITY;
                mix[t * experts + best] = (float) weights[best];
                sum += weights[best];
            }
            for (int e = 0; normalise && sum != 0 && e < experts; e++) {
                mix[t * experts + e] /= (float) sum;
            }
        }
        return mix;
    }

    private void expert(
            int e,
            Tensor x,
            int[] mine,
            int count,
            ExpertWeights first,
            ExpertWeights second,
            ExpertWeights third,
            float[] mix,
            float[] total) {
        int inner = second.inputs;
        boolean fused = gated() && third == null;
        if (fused && fusion == 0) {
            throw Shapes.invalid(activation + " with swiglu_fusion = 0 needs fc3 weights");
        }
        if (first.outputs != (fused ? 2 * inner : inner)) {
            throw Shapes.invalid("fc1 gives " + first.outputs + " features and fc2 takes " + inner + " under "
                    + activation + " with swiglu_fusion = " + fusion);
        }
        Work work = Work.mine();
        float[] rows = work.floats(ROWS, count * TiledProduct.stride(first.inputs));
        for (int r = 0; r < count; r++) {
            TiledProduct.load(x, mine[r], first.inputs, rows, r);
        }
        float[] gate = work.floats(GATE, count * (first.outputs + inner));
        project(e, rows, count, first, gate, 0);
        if (third != null) {
            project(e, rows, count, third, gate, count * first.outputs);
        }
        float[] hidden = work.floats(HIDDEN, count * TiledProduct.stride(inner));
        Arrays.fill(hidden, 0, count * TiledProduct.stride(inner), 0);
        for (int r = 0; r < count; r++) {
            for (int i = 0; i < inner; i++) {
                int at = r * first.outputs;
                double up = third == null ? 1 : gate[count * first.outputs + r * inner + i];
                double value = gate[at + i];
                if (fused) {
                    value = gate[at + (fusion == 1 ? 2 * i : i)];
                    up = gate[at + (fusion == 1 ? 2 * i + 1 : inner + i)];
                }
                hidden[r * TiledProduct.stride(inner) + i] = (float) activated(value, up);
            }
        }
        int width = second.outputs;
        int experts = first.experts();
        TiledProduct.run(pool, hidden, count, inner, width, second.of(e), (r, column, sums, n) -> {
            float weight = mix[mine[r] * experts + e];
            for (int j = 0; j < n; j++) {
                total[mine[r] * width + column + j] += weight * (sums[j] + second.bias(e, column + j));
            }
        });
    }

    private void project(int e, float[] rows, int count, ExpertWeights weights, float[] target, int offset) {
        int width = weights.outputs;
        TiledProduct.run(pool, rows, count, weights.inputs, width, weights.of(e), (r, column, sums, n) -> {
            for (int j = 0; j < n; j++) {
                target[offset + r * width + column + j] = sums[j] + weights.bias(e, column + j);
            }
        });
    }

    private double activated(double x, double up) {
        return switch (activation) {
            case "relu" -> Math.max(x, 0) * up;
            case "relu2" -> Math.max(x, 0) * Math.max(x, 0) * up;
            case "gelu", "geglu" -> UnaryKernels.tanhGelu(x) * up;
            case "silu" -> x * UnaryKernels.sigmoid(x) * up;
            case "swiglu" -> {
                double gate = limitAfter ? x : Math.min(x, limit);
                double open = gate * UnaryKernels.sigmoid(alpha * gate);
                yield (limitAfter ? Math.min(open, limit) : open) * (Math.max(-limit, Math.min(limit, up)) + beta);
            }
            default -> x * up;
        };
    }
}
