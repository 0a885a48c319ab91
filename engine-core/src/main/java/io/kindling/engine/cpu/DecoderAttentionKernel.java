package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * {@code com.microsoft::DecoderMaskedMultiHeadAttention} (since 1): one new token a row over a cache of its past (self), over the keys of an
 * encoder (cross), and with {@code cache_indirection} over pasts that beams share.
 */
final class DecoderAttentionKernel implements Kernel {
    private final KernelPool pool;
    private final int heads;
    private final float scale;
    private final float filter;
    private final boolean shared;

    private DecoderAttentionKernel(Node node, KernelPool pool) {
        this.pool = pool;
        heads = (int) node.intAttribute("num_heads", 1);
        scale = node.floatAttribute("scale", 0);
        filter = node.floatAttribute("mask_filter_value", -10000);
        shared = node.intAttribute("past_present_share_buffer", 0) != 0;
    }

    static Kernel create(KernelRequest request, KernelPool pool) {
        return new DecoderAttentionKernel(request.node(), pool);
    }

    @Override
    public void execute(KernelContext context) {
        Tensor q = context.input(0);
        MaskedAttention attention = new MaskedAttention();
        attention.batch = (int) q.dim(0);
        attention.queries = (int) q.dim(1);
        attention.heads = heads;
        attention.kvHeads = heads;
        operands(attention, context, q);
        if (context.hasInput(10)) {
            float[] bias = TensorIo.floats(context.input(10));
            int width = heads * attention.query.size();
            attention.queryBias = Arrays.copyOfRange(bias, 0, width);
            if (bias.length > width && !crosses(context)) {
                attention.keyBias = Arrays.copyOfRange(bias, width, 2 * width);
                attention.valueBias = Arrays.copyOfRange(bias, 2 * width, bias.length);
            }
        }
        if (context.hasInput(5)) {
            past(attention, context);
        }
        int total = attention.past + attention.fresh;
        int size = attention.query.size();
        int valueSize = attention.value.size();
        attention.scale = scale == 0 ? (float) (1 / Math.sqrt(size)) : scale;
        attention.output =
                HeadView.packed(context.output(0, q.type(), q.dim(0), q.dim(1), (long) heads * valueSize), heads);
        attention.presentHoldsPast = shared && context.hasInput(5);
        attention.presentKey = present(attention, context, 1, size);
        attention.presentValue = present(attention, context, 2, valueSize);
        if (context.hasOutput(3)) {
            attention.scores = context.output(3, q.type(), q.dim(0), heads, q.dim(1), total);
            attention.scoresMode = MaskedAttention.BIASED;
        }
        AttentionMasks.set(attention, context, 3, 4, filter, false);
        attention.run(pool);
    }

    /** A shared buffer is as long as the longest sequence, and keeps what it held. */
    private HeadView present(MaskedAttention attention, KernelContext context, int output, int size) {
        if (!context.hasOutput(output)) {
            return null;
        }
        boolean copied = attention.presentHoldsPast;
        long rows = copied ? context.input(5).dim(2) : attention.past + attention.fresh;
        Tensor present = context.output(output, context.input(0).type(), attention.batch, heads, rows, size);
        if (copied) {
            TensorIo.copy(context.input(4 + output), 0, present, 0, TensorIo.count(present));
        }
        return HeadView.headsFirst(present);
    }

    private static boolean crosses(KernelContext context) {
        return context.hasInput(1) && context.input(1).rank() == 4;
    }

    private void operands(MaskedAttention attention, KernelContext context, Tensor q) {
        if (context.hasInput(1)) {
            attention.query = HeadView.packed(q, heads);
            attention.key = HeadView.of(context.input(1), heads);
            attention.value = HeadView.of(context.input(2), heads);
            attention.fresh = (int) context.input(1).dim(-2);
            return;
        }
        int width = (int) q.dim(2);
        int row = (int) q.dim(1) * width;
        int size = width / 3 / heads;
        attention.query = new HeadView(q, 0, row, size, width, size);
        attention.key = new HeadView(q, width / 3, row, size, width, size);
        attention.value = new HeadView(q, 2 * (width / 3), row, size, width, size);
        attention.fresh = (int) q.dim(1);
    }

    private void past(MaskedAttention attention, KernelContext context) {
        attention.pastKey = HeadView.headsFirst(context.input(5));
        attention.pastValue = HeadView.headsFirst(context.input(6));
        attention.past = context.hasInput(7)
                ? (int) TensorIo.getLong(context.input(7), 0)
                : (int) context.input(5).dim(2);
        if (context.hasInput(9)) {
            Tensor beams = context.input(9);
            int width = (int) beams.dim(1);
            int length = (int) beams.dim(2);
            attention.pastBatch = (b, p) -> b / width * width + (int) TensorIo.getLong(beams, b * length + p);
        }
    }
}
