package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.cpu.simd.HeadsJob.Field;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.HostBuffer;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelFactory;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/**
 * {@code com.microsoft::MultiHeadAttention} as encoders have it: float32 queries, keys and values of {@code [batch, tokens, heads ·
 * size]}, keys and values of {@code [batch, heads, tokens, size]} as well, or all three in one of {@code [batch, tokens, heads, 3, size]};
 * a padding mask over keys or an additive bias, no state. For each head scores are one product, to which the bias is added, then come
 * softmax and the product with the values. The rest is left to the reference.
 */
final class NativeMultiHeadAttention implements Kernel {
    private static final int MASK = 4;
    private static final int BIAS = 5;

    /** Queries, keys and values in one tensor. */
    private static final int PACKED = 3;

    private static final int RANGES_PER_THREAD = 2;

    /** Scores of all threads lie in one buffer, which Java addresses with an int. */
    private static final long LARGEST_SCORES = 1L << 30;

    private final long set;
    private final String level;
    private final KernelPool pool;
    private final Kernel reference;
    private final int heads;
    private final float scale;
    private final float filter;

    private NativeMultiHeadAttention(KernelSet set, KernelPool pool, Kernel reference, Node node) {
        this.set = set.address();
        level = set.level();
        this.pool = pool;
        this.reference = reference;
        heads = (int) node.intAttribute("num_heads", 1);
        scale = node.floatAttribute("scale", 0);
        filter = node.floatAttribute("mask_filter_value", -10000);
    }

    /** A native kernel where the node's attributes and ports allow one, else the reference. */
    static Kernel create(KernelSet set, KernelPool pool, KernelFactory reference, KernelRequest request) {
        Kernel java = reference.create(request);
        Node node = request.node();
        boolean state = node.inputs().stream().skip(BIAS + 1).anyMatch(name -> !name.isEmpty())
                || node.outputs().stream().skip(1).anyMatch(name -> !name.isEmpty());
        return state || node.intAttribute("unidirectional", 0) != 0
                ? java
                : new NativeMultiHeadAttention(set, pool, java, node);
    }

    @Override
    public String variant() {
        return "native " + level;
    }

    @Override
    public void execute(KernelContext context) {
        Operands operands = operands(context);
        if (operands == null) {
            reference.execute(context);
        } else {
            attend(context, operands);
        }
    }

    /**
     * One of queries, keys and values.
     *
     * @param first floats before the first one's first
     * @param batch floats from a sequence's to the next one's; {@code row} alike for tokens, {@code head} for heads
     * @param size floats of a head
     */
    private record Rows(Tensor tensor, long first, long tokens, long batch, long row, long head, long size) {
        static Rows of(Tensor tensor, int heads) {
            return tensor.rank() == 4 ? headsFirst(tensor) : tokensFirst(tensor, heads);
        }

        private static Rows tokensFirst(Tensor tensor, int heads) {
            long width = tensor.dim(2);
            return new Rows(tensor, 0, tensor.dim(1), tensor.dim(1) * width, width, width / heads, width / heads);
        }

        private static Rows headsFirst(Tensor tensor) {
            long head = tensor.dim(2) * tensor.dim(3);
            return new Rows(tensor, 0, tensor.dim(2), tensor.dim(1) * head, tensor.dim(3), head, tensor.dim(3));
        }

        /** @param which of the three that lie in one tensor, head by head */
        static Rows packed(Tensor tensor, int which) {
            long size = tensor.dim(4);
            long width = tensor.dim(2) * PACKED * size;
            return new Rows(tensor, which * size, tensor.dim(1), tensor.dim(1) * width, width, PACKED * size, size);
        }

        void describe(HeadsJob job, Field operand, Field strides) {
            job.operand(operand, NativeMemory.addressOf(tensor) + first * Float.BYTES, strides, batch, row, head);
        }
    }

    /** @param mask padding of keys, or null; {@code bias} alike */
    private record Operands(Rows q, Rows k, Rows v, Tensor mask, Tensor bias) {
        int batch() {
            return (int) q.tensor.dim(0);
        }

        int queries() {
            return (int) q.tokens;
        }

        int keys() {
            return (int) k.tokens;
        }

        boolean agree() {
            return k.size == q.size
                    && v.tokens == k.tokens
                    && k.tensor.dim(0) == q.tensor.dim(0)
                    && v.tensor.dim(0) == q.tensor.dim(0);
        }

        /** Room of one thread for a row that is added to scores, and for scores, in whole cache lines. */
        long scratchBytes() {
            long rows = 1 + Math.min(q.tokens, HeadsJob.QUERIES_AT_ONCE);
            return (rows * k.tokens * Float.BYTES + 63) / 64 * 64;
        }
    }

    /** Null where the reference must compute. */
    private Operands operands(KernelContext context) {
        Tensor q = context.input(0);
        Tensor k = present(context, 1);
        Tensor v = present(context, 2);
        Tensor mask = present(context, MASK);
        Tensor bias = present(context, BIAS);
        Operands found;
        if (k == null && v == null && isPacked(q)) {
            found = new Operands(Rows.packed(q, 0), Rows.packed(q, 1), Rows.packed(q, 2), mask, bias);
        } else if (k != null && v != null && isRows(q, 3) && hasKeys(k) && hasKeys(v)) {
            found = new Operands(Rows.of(q, heads), Rows.of(k, heads), Rows.of(v, heads), mask, bias);
        } else {
            return null;
        }
        boolean covered = present(context, 3) == null
                && q.elementCount() > 0
                && found.keys() > 0
                && found.agree()
                && found.scratchBytes() * pool.threads() * RANGES_PER_THREAD < LARGEST_SCORES
                && (mask == null || isPadding(mask, found))
                && (bias == null || isBias(bias, found))
                && (mask == null || bias == null);
        return covered ? found : null;
    }

    private static Tensor present(KernelContext context, int input) {
        return input < context.inputCount() && context.hasInput(input) ? context.input(input) : null;
    }

    private static boolean isRows(Tensor tensor, int rank) {
        return tensor.type() == DataType.FLOAT && tensor.rank() == rank;
    }

    private boolean hasKeys(Tensor tensor) {
        return isRows(tensor, 3) || isRows(tensor, 4) && tensor.dim(1) == heads;
    }

    private boolean isPacked(Tensor tensor) {
        return isRows(tensor, 5) && tensor.dim(2) == heads && tensor.dim(3) == PACKED;
    }

    private static boolean isPadding(Tensor mask, Operands operands) {
        return mask.type() == DataType.INT32
                && mask.rank() == 2
                && mask.dim(0) == operands.batch()
                && mask.dim(1) == operands.keys();
    }

    private boolean isBias(Tensor bias, Operands operands) {
        return bias.type() == DataType.FLOAT
                && bias.rank() == 4
                && (bias.dim(0) == 1 || bias.dim(0) == operands.batch())
                && (bias.dim(1) == 1 || bias.dim(1) == heads)
                && (bias.dim(2) == 1 || bias.dim(2) == operands.queries())
                && bias.dim(3) == operands.keys();
    }

    private void attend(KernelContext context, Operands operands) {
        Tensor output =
                context.output(0, DataType.FLOAT, operands.batch(), operands.queries(), heads * operands.v.size);
        int items = operands.batch() * heads;
        int ranges = Math.min(items, pool.threads() * RANGES_PER_THREAD);
        long rangeBytes = operands.scratchBytes();
        HostBuffer scratch = (HostBuffer) context.scratch(0, HeadsJob.BYTE_SIZE + ranges * rangeBytes);
        describe(operands, output, new HeadsJob(scratch.bytes()));
        long job = NativeMemory.addressOf(scratch);
        int each = (items + ranges - 1) / ranges;
        pool.run(
                ranges,
                range -> Native.heads(
                        set,
                        job,
                        job + HeadsJob.BYTE_SIZE + range * rangeBytes,
                        (long) range * each,
                        Math.min(items, (range + 1L) * each)));
    }

    private void describe(Operands operands, Tensor output, HeadsJob job) {
        long queries = operands.queries();
        long keys = operands.keys();
        operands.q.describe(job, Field.QUERY, Field.QUERY_BATCH);
        operands.k.describe(job, Field.KEY, Field.KEY_BATCH);
        operands.v.describe(job, Field.VALUE, Field.VALUE_BATCH);
        job.set(Field.OUTPUT, NativeMemory.addressOf(output))
                .set(Field.MASK, operands.mask == null ? 0 : NativeMemory.addressOf(operands.mask))
                .set(Field.QUERIES, queries)
                .set(Field.KEYS, keys)
                .set(Field.HEADS, heads)
                .set(Field.SIZE, operands.q.size)
                .set(Field.VALUE_SIZE, operands.v.size)
                .set(Field.SCALE, scale == 0 ? (float) (1 / Math.sqrt(operands.q.size)) : (double) scale)
                .set(Field.FILTER, (double) filter);
        Tensor bias = operands.bias;
        long columns = bias == null || bias.dim(2) == 1 ? 0 : keys;
        long matrix = bias == null ? 0 : bias.dim(2) * keys;
        job.set(Field.BIAS, bias == null ? 0 : NativeMemory.addressOf(bias))
                .set(Field.BIAS_BATCH, bias == null || bias.dim(0) == 1 ? 0 : bias.dim(1) * matrix)
                .set(Field.BIAS_HEAD, bias == null || bias.dim(1) == 1 ? 0 : matrix)
                .set(Field.BIAS_ROW, columns);
    }

    @Override
    public void close() {
        reference.close();
    }
}
