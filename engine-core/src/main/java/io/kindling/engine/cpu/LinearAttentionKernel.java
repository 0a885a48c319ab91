package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * {@code LinearAttention} (since 27, and {@code com.microsoft}): the recurrence of its schema, token after token, in double. The state
 * is {@code [batch, kv heads, key size, value size]}.
 */
final class LinearAttentionKernel implements Kernel {
    private final int queryHeads;
    private final int kvHeads;
    private final float scale;
    private final boolean gated;
    private final boolean delta;

    private LinearAttentionKernel(Node node) {
        queryHeads = (int) node.intAttribute("q_num_heads", 1);
        kvHeads = (int) node.intAttribute("kv_num_heads", 1);
        scale = node.floatAttribute("scale", 0);
        String rule = node.stringAttribute("update_rule", "gated_delta");
        gated = rule.startsWith("gated");
        delta = rule.endsWith("delta");
    }

    static Kernel create(KernelRequest request) {
        return new LinearAttentionKernel(request.node());
    }

    @Override
    public void execute(KernelContext context) {
        Tensor q = context.input(0);
        Tensor k = context.input(1);
        Tensor v = context.input(2);
        int batch = (int) q.dim(0);
        int length = (int) q.dim(1);
        int keySize = (int) k.dim(2) / kvHeads;
        int valueSize = (int) v.dim(2) / kvHeads;
        int outputs = Math.max(queryHeads, kvHeads);
        Tensor y = context.output(0, q.type(), batch, length, (long) outputs * valueSize);
        Tensor present = context.hasOutput(1)
                ? context.output(
                        1, context.hasInput(3) ? context.input(3).type() : q.type(), batch, kvHeads, keySize, valueSize)
                : null;
        Work work = Work.mine();
        double[] state = work.doubles(0, keySize * valueSize);
        double[] key = work.doubles(1, keySize);
        double[] value = work.doubles(2, valueSize);
        double[] query = work.doubles(3, keySize);
        double factor = scale == 0 ? 1 / Math.sqrt(keySize) : scale;
        for (int b = 0; b < batch; b++) {
            for (int h = 0; h < kvHeads; h++) {
                int stateAt = (b * kvHeads + h) * keySize * valueSize;
                Arrays.fill(state, 0, keySize * valueSize, 0);
                if (context.hasInput(3)) {
                    TensorIo.load(context.input(3), stateAt, state, 0, keySize * valueSize);
                }
                for (int t = 0; t < length; t++) {
                    int row = b * length + t;
                    TensorIo.load(k, (row * kvHeads + h) * keySize, key, 0, keySize);
                    TensorIo.load(v, (row * kvHeads + h) * valueSize, value, 0, valueSize);
                    update(context, row, h, state, key, value, keySize, valueSize);
                    for (int o = firstOutput(h); o < firstOutput(h + 1); o++) {
                        int queryHead = queryHeads >= kvHeads ? o : h / (kvHeads / queryHeads);
                        TensorIo.load(q, (row * queryHeads + queryHead) * keySize, query, 0, keySize);
                        for (int d = 0; d < valueSize; d++) {
                            double sum = 0;
                            for (int i = 0; i < keySize; i++) {
                                sum += query[i] * state[i * valueSize + d];
                            }
                            TensorIo.putDouble(y, (row * outputs + o) * valueSize + d, factor * sum);
                        }
                    }
                }
                if (present != null) {
                    TensorIo.store(state, 0, present, stateAt, keySize * valueSize);
                }
            }
        }
    }

    /** First output head that belongs to a kv head: its group of query heads, or itself where there are fewer of those. */
    private int firstOutput(int kvHead) {
        return queryHeads >= kvHeads ? kvHead * (queryHeads / kvHeads) : kvHead;
    }

    private void update(
            KernelContext context,
            int row,
            int h,
            double[] state,
            double[] key,
            double[] value,
            int keySize,
            int valueSize) {
        if (gated) {
            Tensor decay = context.input(4);
            boolean perKey = decay.dim(2) > kvHeads;
            for (int i = 0; i < keySize; i++) {
                double gate = Math.exp(
                        TensorIo.getDouble(decay, perKey ? (row * kvHeads + h) * keySize + i : row * kvHeads + h));
                for (int d = 0; d < valueSize; d++) {
                    state[i * valueSize + d] *= gate;
                }
            }
        }
        double rate = 1;
        if (delta) {
            Tensor beta = context.input(5);
            rate = TensorIo.getDouble(beta, beta.dim(2) == 1 ? row : row * kvHeads + h);
            for (int d = 0; d < valueSize; d++) {
                double recalled = 0;
                for (int i = 0; i < keySize; i++) {
                    recalled += state[i * valueSize + d] * key[i];
                }
                value[d] -= recalled;
            }
        }
        for (int i = 0; i < keySize; i++) {
            for (int d = 0; d < valueSize; d++) {
                state[i * valueSize + d] += rate * key[i] * value[d];
            }
        }
    }
}
