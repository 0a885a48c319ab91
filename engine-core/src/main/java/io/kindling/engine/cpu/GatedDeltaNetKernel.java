package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * {@code com.microsoft::GatedDeltaNet} (since 1): the recurrence of its schema, token after token, in double, over sequences of different
 * lengths laid end to end. The state is {@code [batch, value heads, value size, key size]}.
 */
final class GatedDeltaNetKernel implements Kernel {
    private static final double NORM_EPSILON = 1e-6;

    private final KernelPool pool;
    private final boolean gated;
    private final boolean delta;
    private final String gate;
    private final boolean sigmoidBeta;
    private final boolean normalise;
    private final float scale;
    private final float lowerBound;
    private final int capacity;

    private GatedDeltaNetKernel(Node node, KernelPool pool) {
        this.pool = pool;
        String rule = node.stringAttribute("update_rule", "gated_delta");
        gated = rule.startsWith("gated");
        delta = rule.endsWith("delta");
        gate = node.stringAttribute("gate_activation", "none");
        sigmoidBeta = node.stringAttribute("beta_activation", "none").equals("sigmoid");
        normalise = node.intAttribute("qk_l2_norm", 0) != 0;
        scale = node.floatAttribute("scale", 0);
        lowerBound = node.floatAttribute("gate_lower_bound", -5);
        capacity = (int) node.intAttribute("state_update_capacity", 0);
    }

    static Kernel create(KernelRequest request, KernelPool pool) {
        return new GatedDeltaNetKernel(request.node(), pool);
    }

    @Override
    public void execute(KernelContext context) {
        Run run = new Run(context);
        pool.run(run.batch * run.valueHeads, part -> run.head(part / run.valueHeads, part % run.valueHeads));
    }

    /** One execution. */
    private final class Run {
        private final KernelContext context;
        private final Tensor q;
        private final Tensor k;
        private final Tensor v;
        private final int keyHeads;
        private final int valueHeads;
        private final int keySize;
        private final int valueSize;
        private final int tokens;
        private final int batch;
        private final int queryRow;
        private final int keyAt;
        private final int keyRow;
        private final int valueAt;
        private final int valueRow;
        private final boolean perKeyDecay;
        private final Tensor y;
        private final Tensor last;
        private final Tensor updates;

        private Run(KernelContext context) {
            this.context = context;
            q = context.input(0);
            boolean packed = !context.hasInput(1);
            Tensor state = context.hasInput(6) ? context.input(6) : null;
            int trailing = packed ? 1 : 2;
            if (packed) {
                if (state == null) {
                    throw Shapes.invalid("packed QKV needs initial_state, which tells the heads");
                }
                valueHeads = (int) state.dim(1);
                valueSize = (int) state.dim(2);
                keySize = (int) state.dim(3);
                keyHeads = (int) (q.dim(-1) - valueHeads * valueSize) / (2 * keySize);
            } else {
                keyHeads = (int) q.dim(-2);
                keySize = (int) q.dim(-1);
                valueHeads = (int) context.input(2).dim(-2);
                valueSize = (int) context.input(2).dim(-1);
            }
            k = packed ? q : context.input(1);
            v = packed ? q : context.input(2);
            queryRow = packed ? (int) q.dim(-1) : keyHeads * keySize;
            keyAt = packed ? keyHeads * keySize : 0;
            keyRow = queryRow;
            valueAt = 2 * keyAt;
            valueRow = packed ? queryRow : valueHeads * valueSize;
            tokens = TensorIo.count(q) / Math.max(1, queryRow);
            if (context.hasInput(3)) {
                batch = (int) context.input(3).elementCount() - 1;
            } else if (state != null) {
                batch = (int) state.dim(0);
            } else {
                throw Shapes.invalid("cu_seqlens or initial_state must tell the batch size");
            }
            perKeyDecay = gated && context.input(4).elementCount() > (long) tokens * valueHeads;
            long[] shape = Arrays.copyOf(q.shape(), q.rank() - trailing + 2);
            shape[shape.length - 2] = valueHeads;
            shape[shape.length - 1] = valueSize;
            y = context.output(0, q.type(), shape);
            last = context.hasOutput(1)
                    ? context.output(1, DataType.FLOAT, batch, valueHeads, valueSize, keySize)
                    : null;
            updates = context.hasOutput(2)
                    ? context.output(2, DataType.FLOAT, batch, (long) capacity * slotSize())
                    : null;
            if (updates != null) {
                for (int i = 0; i < updates.elementCount(); i++) {
                    updates.floats().put(i, 0);
                }
            }
        }

        private int decayWidth() {
            return perKeyDecay ? valueHeads * keySize : valueHeads;
        }

        private int slotSize() {
            return decayWidth() + keyHeads * keySize + valueHeads * valueSize;
        }

        private int start(int b) {
            return context.hasInput(3)
                    ? (int) TensorIo.getLong(context.input(3), b)
                    : (int) ((long) tokens * b / batch);
        }

        private void head(int b, int h) {
            Work work = Work.mine();
            int size = keySize * valueSize;
            double[] state = work.doubles(0, size);
            double[] key = work.doubles(1, keySize);
            double[] value = work.doubles(2, valueSize);
            double[] query = work.doubles(3, keySize);
            double[] decay = work.doubles(4, keySize);
            int stateAt = (b * valueHeads + h) * size;
            Arrays.fill(state, 0, size, 0);
            if (context.hasInput(6)) {
                TensorIo.load(context.input(6), stateAt, state, 0, size);
            }
            int keyHead = h / (valueHeads / keyHeads);
            double factor = scale == 0 ? 1 / Math.sqrt(keySize) : scale;
            int captured = captured(b);
            for (int t = start(b); t < start(b + 1); t++) {
                TensorIo.load(q, t * queryRow + keyHead * keySize, query, 0, keySize);
                TensorIo.load(k, keyAt + t * keyRow + keyHead * keySize, key, 0, keySize);
                TensorIo.load(v, valueAt + t * valueRow + h * valueSize, value, 0, valueSize);
                if (normalise) {
                    toUnitLength(query);
                    toUnitLength(key);
                }
                decays(t, h, decay);
                step(t, h, state, key, value, decay);
                if (t - start(b) < captured) {
                    capture(b, t - start(b), h, keyHead, decay, key, value);
                }
                for (int d = 0; d < valueSize; d++) {
                    double sum = 0;
                    for (int i = 0; i < keySize; i++) {
                        sum += state[d * keySize + i] * query[i];
                    }
                    TensorIo.putDouble(y, (t * valueHeads + h) * valueSize + d, factor * sum);
                }
            }
            if (last != null) {
                TensorIo.store(state, 0, last, stateAt, size);
            }
        }

        private void toUnitLength(double[] vector) {
            double squares = 0;
            for (int i = 0; i < keySize; i++) {
                squares += vector[i] * vector[i];
            }
            double inverse = 1 / Math.sqrt(squares + NORM_EPSILON);
            for (int i = 0; i < keySize; i++) {
                vector[i] *= inverse;
            }
        }

        /** Factors of the state for each key dimension. */
        private void decays(int t, int h, double[] decay) {
            for (int i = 0; i < keySize; i++) {
                if (!gated) {
                    decay[i] = 1;
                } else if (i == 0 || perKeyDecay) {
                    int at = perKeyDecay ? (t * valueHeads + h) * keySize + i : t * valueHeads + h;
                    decay[i] = Math.exp(logDecay(TensorIo.getDouble(context.input(4), at), h, i));
                } else {
                    decay[i] = decay[0];
                }
            }
        }

        private double logDecay(double raw, int h, int i) {
            if (gate.equals("none")) {
                return raw;
            }
            double rate = context.hasInput(7) ? Math.exp(TensorIo.getDouble(context.input(7), h)) : 1;
            double shifted = raw;
            if (context.hasInput(8)) {
                Tensor bias = context.input(8);
                shifted += TensorIo.getDouble(bias, bias.elementCount() == valueHeads ? h : h * keySize + i);
            }
            return switch (gate) {
                case "softplus", "qwen" -> -rate * UnaryKernels.softplus(shifted);
                case "sigmoid", "kda" -> lowerBound * UnaryKernels.sigmoid(rate * shifted);
                default -> throw Shapes.invalid("gate_activation " + gate + " is none of none, softplus, sigmoid");
            };
        }

        /** Moves the state one token on and leaves in {@code value} what was written under the key. */
        private void step(int t, int h, double[] state, double[] key, double[] value, double[] decay) {
            double rate = 1;
            if (delta) {
                rate = TensorIo.getDouble(context.input(5), t * valueHeads + h);
                rate = sigmoidBeta ? UnaryKernels.sigmoid(rate) : rate;
            }
            for (int d = 0; d < valueSize; d++) {
                int row = d * keySize;
                double recalled = 0;
                for (int i = 0; i < keySize; i++) {
                    state[row + i] *= decay[i];
                    recalled += state[row + i] * key[i];
                }
                value[d] = rate * (delta ? value[d] - recalled : value[d]);
                for (int i = 0; i < keySize; i++) {
                    state[row + i] += value[d] * key[i];
                }
            }
        }

        private int captured(int b) {
            boolean active = !context.hasInput(10) || TensorIo.getLong(context.input(10), 0) != 0;
            return updates == null || !active ? 0 : (int) Math.min(capacity, TensorIo.getLong(context.input(9), b));
        }

        /** All decays of the row's slots come first, then all keys, then all deltas. */
        private void capture(int b, int slot, int h, int keyHead, double[] decay, double[] key, double[] value) {
            int base = b * capacity * slotSize();
            int width = perKeyDecay ? keySize : 1;
            TensorIo.store(decay, 0, updates, base + slot * decayWidth() + h * width, width);
            int keys = base + capacity * decayWidth();
            TensorIo.store(key, 0, updates, keys + (slot * keyHeads + keyHead) * keySize, keySize);
            int deltas = keys + capacity * keyHeads * keySize;
            TensorIo.store(value, 0, updates, deltas + (slot * valueHeads + h) * valueSize, valueSize);
        }
    }
}
