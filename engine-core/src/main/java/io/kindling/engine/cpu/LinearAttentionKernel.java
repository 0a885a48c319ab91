package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.PackedRecurrence;
import io.kindling.engine.ir.PagedAttention;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * {@code LinearAttention} (since 27, and {@code com.microsoft}) and its form over packed sequences, {@link PackedRecurrence}: the
 * recurrence of its schema, token after token. The state is {@code [batch, kv heads, key size, value size]}; it is rounded to
 * float32 after every token, so that cutting a sequence into runs changes nothing.
 */
final class LinearAttentionKernel implements Kernel {
    private final KernelPool pool;
    private final int queryHeads;
    private final int kvHeads;
    private final float scale;
    private final boolean gated;
    private final boolean delta;

    private LinearAttentionKernel(Node node, KernelPool pool) {
        this.pool = pool;
        if (node.intAttribute("state_window", 0) != 0) {
            throw Unsupported.of(node, "state_window is not supported; export it with 0");
        }
        queryHeads = (int) node.intAttribute("q_num_heads", 1);
        kvHeads = (int) node.intAttribute("kv_num_heads", 1);
        scale = node.floatAttribute("scale", 0);
        String rule = node.stringAttribute("update_rule", "gated_delta");
        gated = rule.startsWith("gated");
        delta = rule.endsWith("delta");
    }

    static void register(CpuKernels.Registrar registrar, KernelPool pool) {
        registrar.register("", "LinearAttention", 27, request -> create(request, pool));
        registrar.register("com.microsoft", "LinearAttention", 1, request -> create(request, pool));
        registrar.register(
                PagedAttention.DOMAIN, PackedRecurrence.LINEAR_ATTENTION, 1, request -> create(request, pool));
    }

    private static Kernel create(KernelRequest request, KernelPool pool) {
        return new LinearAttentionKernel(request.node(), pool);
    }

    @Override
    public void execute(KernelContext context) {
        Run run = new Run(context);
        pool.run(kvHeads, run::head);
    }

    /** First output head that belongs to a kv head: its group of query heads, or itself where there are fewer of those. */
    private int firstOutput(int kvHead) {
        return queryHeads >= kvHeads ? kvHead * (queryHeads / kvHeads) : kvHead;
    }

    /** One execution. */
    private final class Run {
        private final Tensor q;
        private final Tensor k;
        private final Tensor v;
        private final Tensor decay;
        private final Tensor beta;
        private final Tensor y;
        private final int keySize;
        /** As many as states, or fewer that several states share. */
        private final int keyHeads;

        private final int valueSize;
        private final int outputs = Math.max(queryHeads, kvHeads);
        private final double factor;
        private final SequenceRuns runs;

        private Run(KernelContext context) {
            q = context.input(0);
            k = context.input(1);
            v = context.input(2);
            decay = gated ? context.input(4) : null;
            beta = delta ? context.input(5) : null;
            int batch = (int) q.dim(0);
            int length = (int) q.dim(1);
            keySize = (int) q.dim(2) / queryHeads;
            keyHeads = (int) k.dim(2) / keySize;
            valueSize = (int) v.dim(2) / kvHeads;
            if (keyHeads == 0 || kvHeads % keyHeads != 0 || k.dim(2) % keySize != 0) {
                throw Shapes.invalid("keys " + k + " are no heads of " + keySize + " for " + kvHeads + " states");
            }
            factor = scale == 0 ? 1 / Math.sqrt(keySize) : scale;
            y = context.output(0, q.type(), batch, length, (long) outputs * valueSize);
            if (SequenceRuns.isPacked(context)) {
                runs = SequenceRuns.packed(context, length);
            } else {
                Tensor present = context.hasOutput(1)
                        ? context.output(
                                1,
                                context.hasInput(3) ? context.input(3).type() : q.type(),
                                batch,
                                kvHeads,
                                keySize,
                                valueSize)
                        : null;
                runs = SequenceRuns.rows(context, batch, length, present);
            }
        }

        private void head(int h) {
            float[] state = Work.mine().floats(0, keySize * valueSize);
            int size = keySize * valueSize;
            runs.each((from, to, before, behind) -> {
                if (before < 0) {
                    Arrays.fill(state, 0, size, 0);
                } else {
                    TensorIo.load(runs.past(), (before * kvHeads + h) * size, state, 0, size);
                }
                for (int token = from; token < to; token++) {
                    update(token, h, state);
                    for (int o = firstOutput(h); o < firstOutput(h + 1); o++) {
                        recall(token, o, queryHeads >= kvHeads ? o : h / (kvHeads / queryHeads), state);
                    }
                }
                if (runs.present() != null) {
                    TensorIo.store(state, 0, runs.present(), (behind * kvHeads + h) * size, size);
                }
            });
        }

        private void update(int token, int h, float[] state) {
            Work work = Work.mine();
            double[] key = work.doubles(0, keySize);
            double[] value = work.doubles(1, valueSize);
            int keyHead = h / (kvHeads / keyHeads);
            TensorIo.load(k, (token * keyHeads + keyHead) * keySize, key, 0, keySize);
            TensorIo.load(v, (token * kvHeads + h) * valueSize, value, 0, valueSize);
            if (gated) {
                fade(token, h, state);
            }
            double rate = 1;
            if (delta) {
                rate = TensorIo.getDouble(beta, beta.dim(2) == 1 ? token : token * kvHeads + h);
                double[] recalled = product(key, state);
                for (int d = 0; d < valueSize; d++) {
                    value[d] -= recalled[d];
                }
            }
            for (int i = 0; i < keySize; i++) {
                double weight = rate * key[i];
                int row = i * valueSize;
                for (int d = 0; d < valueSize; d++) {
                    state[row + d] = (float) (state[row + d] + weight * value[d]);
                }
            }
        }

        private void fade(int token, int h, float[] state) {
            boolean perKey = decay.dim(2) > kvHeads;
            double gate = perKey ? 0 : Math.exp(TensorIo.getDouble(decay, token * kvHeads + h));
            for (int i = 0; i < keySize; i++) {
                if (perKey) {
                    gate = Math.exp(TensorIo.getDouble(decay, (token * kvHeads + h) * keySize + i));
                }
                int row = i * valueSize;
                for (int d = 0; d < valueSize; d++) {
                    state[row + d] = (float) (state[row + d] * gate);
                }
            }
        }

        private void recall(int token, int output, int queryHead, float[] state) {
            double[] query = Work.mine().doubles(0, keySize);
            TensorIo.load(q, (token * queryHeads + queryHead) * keySize, query, 0, keySize);
            double[] sums = product(query, state);
            for (int d = 0; d < valueSize; d++) {
                TensorIo.putDouble(y, (token * outputs + output) * valueSize + d, factor * sums[d]);
            }
        }

        /** {@code vectorᵀ · state}. */
        private double[] product(double[] vector, float[] state) {
            double[] sums = Work.mine().doubles(2, valueSize);
            Arrays.fill(sums, 0, valueSize, 0);
            for (int i = 0; i < keySize; i++) {
                int row = i * valueSize;
                for (int d = 0; d < valueSize; d++) {
                    sums[d] += vector[i] * state[row + d];
                }
            }
            return sums;
        }
    }
}
