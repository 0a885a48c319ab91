package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/** {@code com.microsoft::MultiHeadAttention} (since 1). */
final class MultiHeadAttentionKernel {
    private static final int BIAS = 5;

    private MultiHeadAttentionKernel() {}

    static void register(CpuKernels.Registrar registrar, KernelPool pool) {
        registrar.register("com.microsoft", "MultiHeadAttention", 1, request -> multiHead(request, pool));
    }

    private static Kernel multiHead(KernelRequest request, KernelPool pool) {
        Node node = request.node();
        int heads = (int) node.intAttribute("num_heads", 1);
        float scale = node.floatAttribute("scale", 0);
        float filter = node.floatAttribute("mask_filter_value", -10000);
        boolean causal = node.intAttribute("unidirectional", 0) != 0;
        return context -> {
            MaskedAttention attention = new MaskedAttention();
            Tensor q = context.input(0);
            attention.batch = (int) q.dim(0);
            attention.queries = (int) q.dim(1);
            attention.heads = heads;
            attention.kvHeads = heads;
            operands(attention, context, heads);
            if (context.hasInput(3)) {
                float[] bias = TensorIo.floats(context.input(3));
                int width = heads * attention.query.size();
                attention.queryBias = Arrays.copyOfRange(bias, 0, width);
                attention.keyBias = Arrays.copyOfRange(bias, width, 2 * width);
                attention.valueBias = Arrays.copyOfRange(bias, 2 * width, bias.length);
            }
            if (context.hasInput(6)) {
                attention.pastKey = HeadView.headsFirst(context.input(6));
                attention.pastValue = HeadView.headsFirst(context.input(7));
                attention.past = context.hasInput(8)
                        ? (int) TensorIo.getLong(context.input(8), 0)
                        : (int) context.input(6).dim(2);
            }
            int total = attention.past + attention.fresh;
            attention.scale = scale == 0 ? (float) (1 / Math.sqrt(attention.query.size())) : scale;
            long valueSize = attention.value.size();
            attention.output =
                    HeadView.packed(context.output(0, q.type(), q.dim(0), q.dim(1), heads * valueSize), heads);
            // With a shared buffer of maximal length the present is as long as the past.
            long rows = context.hasInput(8) ? context.input(6).dim(2) : total;
            if (context.hasOutput(1)) {
                attention.presentKey =
                        HeadView.headsFirst(context.output(1, q.type(), q.dim(0), heads, rows, attention.query.size()));
            }
            if (context.hasOutput(2)) {
                attention.presentValue =
                        HeadView.headsFirst(context.output(2, q.type(), q.dim(0), heads, rows, valueSize));
            }
            if (context.hasOutput(3)) {
                attention.scores = context.output(3, q.type(), q.dim(0), heads, attention.queries, total);
                attention.scoresMode = MaskedAttention.BIASED;
            }
            requireFitting(context.hasInput(BIAS) ? context.input(BIAS) : null, attention, total);
            AttentionMasks.set(attention, context, 4, BIAS, filter, causal);
            attention.run(pool);
        };
    }

    /** A bias may repeat, queries may not. */
    private static void requireFitting(Tensor bias, MaskedAttention attention, int total) {
        long[] scores = {attention.batch, attention.heads, attention.queries, total};
        for (int axis = 1; bias != null && axis <= bias.rank(); axis++) {
            if (axis > scores.length || bias.dim(-axis) != 1 && bias.dim(-axis) != scores[scores.length - axis]) {
                throw Shapes.invalid(
                        "attention_bias " + bias + " does not broadcast to the scores " + Arrays.toString(scores));
            }
        }
    }

    private static void operands(MaskedAttention attention, KernelContext context, int heads) {
        Tensor q = context.input(0);
        Tensor k = context.hasInput(1) ? context.input(1) : null;
        if (k == null) {
            attention.query = interleaved(q, 3, 0);
            attention.key = interleaved(q, 3, 1);
            attention.value = interleaved(q, 3, 2);
            attention.fresh = (int) q.dim(1);
            return;
        }
        attention.query = HeadView.packed(q, heads);
        if (k.rank() == 5) {
            attention.key = interleaved(k, 2, 0);
            attention.value = interleaved(k, 2, 1);
            attention.fresh = (int) k.dim(1);
        } else {
            attention.key = HeadView.of(k, heads);
            attention.value = HeadView.of(context.input(2), heads);
            attention.fresh = (int) k.dim(-2);
        }
    }

    /** One of the operands of {@code [batch, rows, heads, operands, size]}. */
    private static HeadView interleaved(Tensor tensor, int operands, int which) {
        int size = (int) tensor.dim(4);
        int row = (int) tensor.dim(2) * operands * size;
        return new HeadView(tensor, which * size, (int) tensor.dim(1) * row, operands * size, row, size);
    }
}
