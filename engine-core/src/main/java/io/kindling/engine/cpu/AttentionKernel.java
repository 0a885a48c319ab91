package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/** {@code Attention} of the default domain (since 23; windows since 25). */
final class AttentionKernel implements Kernel {
    private final KernelPool pool;
    private final int queryHeads;
    private final int kvHeads;
    private final float scale;
    private final float softcap;
    private final boolean causal;
    private final int left;
    private final int right;
    private final int scoresMode;

    private AttentionKernel(Node node, KernelPool pool) {
        this.pool = pool;
        queryHeads = (int) node.intAttribute("q_num_heads", 0);
        kvHeads = (int) node.intAttribute("kv_num_heads", 0);
        scale = node.floatAttribute("scale", 0);
        softcap = node.floatAttribute("softcap", 0);
        causal = node.intAttribute("is_causal", 0) != 0;
        left = (int) node.intAttribute("left_window_size", -1);
        right = (int) node.intAttribute("right_window_size", -1);
        scoresMode = (int) node.intAttribute("qk_matmul_output_mode", 0);
    }

    static Kernel create(KernelRequest request, KernelPool pool) {
        return new AttentionKernel(request.node(), pool);
    }

    @Override
    public void execute(KernelContext context) {
        Tensor q = context.input(0);
        Tensor k = context.input(1);
        Tensor v = context.input(2);
        boolean flat = q.rank() == 3;
        MaskedAttention attention = new MaskedAttention();
        attention.batch = (int) q.dim(0);
        attention.heads = flat ? queryHeads : (int) q.dim(1);
        attention.kvHeads = flat ? kvHeads : (int) k.dim(1);
        attention.queries = (int) q.dim(-2);
        attention.fresh = (int) k.dim(-2);
        attention.query = HeadView.of(q, attention.heads);
        attention.key = HeadView.of(k, attention.kvHeads);
        attention.value = HeadView.of(v, attention.kvHeads);
        attention.scale = scale == 0 ? (float) (1 / Math.sqrt(attention.query.size())) : scale;
        attention.softcap = softcap;
        if (context.hasInput(4)) {
            attention.pastKey = HeadView.headsFirst(context.input(4));
            attention.pastValue = HeadView.headsFirst(context.input(5));
            attention.past = (int) context.input(4).dim(2);
        }
        int total = attention.past + attention.fresh;
        int valueSize = attention.value.size();
        Tensor y = flat
                ? context.output(0, q.type(), q.dim(0), q.dim(1), (long) attention.heads * valueSize)
                : context.output(0, q.type(), q.dim(0), q.dim(1), q.dim(2), valueSize);
        attention.output = HeadView.of(y, attention.heads);
        if (context.hasOutput(1)) {
            attention.presentKey = HeadView.headsFirst(
                    context.output(1, k.type(), q.dim(0), attention.kvHeads, total, attention.key.size()));
        }
        if (context.hasOutput(2)) {
            attention.presentValue =
                    HeadView.headsFirst(context.output(2, v.type(), q.dim(0), attention.kvHeads, total, valueSize));
        }
        if (context.hasOutput(3)) {
            attention.scores = context.output(3, q.type(), q.dim(0), attention.heads, attention.queries, total);
            attention.scoresMode = scoresMode;
        }
        limit(attention, context.hasInput(6) ? context.input(6) : null);
        if (context.hasInput(3)) {
            attention.bias = bias(context.input(3), total);
        }
        attention.run(pool);
    }

    /** Causal, window and padding limits; queries are aligned to the end of the valid keys before them. */
    private void limit(MaskedAttention attention, Tensor validKeys) {
        int total = attention.past + attention.fresh;
        int queries = attention.queries;
        int past = attention.past;
        MaskedAttention.Limit offset =
                (b, s) -> s + (validKeys == null ? past : (int) TensorIo.getLong(validKeys, b) - queries);
        attention.first = (b, s) -> left < 0 ? 0 : offset.of(b, s) - left;
        attention.end = (b, s) -> {
            int end = validKeys == null ? total : (int) TensorIo.getLong(validKeys, b);
            if (causal) {
                end = Math.min(end, offset.of(b, s) + 1);
            }
            return right < 0 ? end : Math.min(end, offset.of(b, s) + right + 1);
        };
    }

    /** A mask broadcast to {@code [batch, heads, queries, total]}: booleans keep, numbers are added; a short last axis masks the rest. */
    static MaskedAttention.Bias bias(Tensor mask, int total) {
        int columns = mask.rank() == 0 ? 1 : (int) mask.dim(-1);
        int[] dims = new int[3];
        for (int axis = 0; axis < 3; axis++) {
            int from = mask.rank() - 4 + axis;
            dims[axis] = from < 0 ? 1 : (int) mask.dim(from);
        }
        boolean keeps = mask.type() == DataType.BOOL;
        return (b, h, s, row) -> {
            int line = ((dims[0] == 1 ? 0 : b) * dims[1] + (dims[1] == 1 ? 0 : h)) * dims[2] + (dims[2] == 1 ? 0 : s);
            for (int p = 0; p < total; p++) {
                if (p >= columns && columns > 1) {
                    row[p] = Float.NEGATIVE_INFINITY;
                } else {
                    int at = line * columns + (columns == 1 ? 0 : p);
                    row[p] += keeps
                            ? (mask.bytes().get(at) != 0 ? 0 : Float.NEGATIVE_INFINITY)
                            : TensorIo.getFloat(mask, at);
                }
            }
            return true;
        };
    }
}
