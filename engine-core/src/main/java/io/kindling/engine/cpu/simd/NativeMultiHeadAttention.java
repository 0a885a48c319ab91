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
 * size]}, a padding mask over keys or an additive bias, no state. For each head scores are one product, to which the bias is added,
 * then come softmax and the product with the values. The rest is left to the reference.
 */
final class NativeMultiHeadAttention implements Kernel {
    private static final int MASK = 4;
    private static final int BIAS = 5;
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

    /** @param mask padding of keys, or null; {@code bias} alike */
    private record Operands(Tensor q, Tensor k, Tensor v, Tensor mask, Tensor bias) {
        int batch() {
            return (int) q.dim(0);
        }

        int queries() {
            return (int) q.dim(1);
        }

        int keys() {
            return (int) k.dim(1);
        }

        /** Room of one thread for a row that is added to scores, and for scores, in whole cache lines. */
        long scratchBytes() {
            long rows = 1 + Math.min(q.dim(1), HeadsJob.QUERIES_AT_ONCE);
            return (rows * k.dim(1) * Float.BYTES + 63) / 64 * 64;
        }
    }

    /** Null where the reference must compute. */
    private Operands operands(KernelContext context) {
        if (context.inputCount() < 3 || !context.hasInput(1) || !context.hasInput(2) || present(context, 3) != null) {
            return null;
        }
        Operands found = new Operands(
                context.input(0), context.input(1), context.input(2), present(context, MASK), present(context, BIAS));
        boolean covered = isRows(found.q)
                && isRows(found.k)
                && isRows(found.v)
                && found.q.elementCount() > 0
                && found.keys() > 0
                && found.scratchBytes() * pool.threads() * RANGES_PER_THREAD < LARGEST_SCORES
                && (found.mask == null || isPadding(found.mask, found))
                && (found.bias == null || isBias(found.bias, found))
                && (found.mask == null || found.bias == null);
        return covered ? found : null;
    }

    private static Tensor present(KernelContext context, int input) {
        return input < context.inputCount() && context.hasInput(input) ? context.input(input) : null;
    }

    private static boolean isRows(Tensor tensor) {
        return tensor.type() == DataType.FLOAT && tensor.rank() == 3;
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
        Tensor q = operands.q;
        Tensor output = context.output(0, DataType.FLOAT, q.dim(0), q.dim(1), operands.v.dim(2));
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
        long width = operands.q.dim(2);
        long valueWidth = operands.v.dim(2);
        long size = width / heads;
        job.operand(Field.QUERY, NativeMemory.addressOf(operands.q), Field.QUERY_BATCH, queries, width, size)
                .operand(Field.KEY, NativeMemory.addressOf(operands.k), Field.KEY_BATCH, keys, width, size)
                .operand(
                        Field.VALUE,
                        NativeMemory.addressOf(operands.v),
                        Field.VALUE_BATCH,
                        keys,
                        valueWidth,
                        valueWidth / heads)
                .set(Field.OUTPUT, NativeMemory.addressOf(output))
                .set(Field.MASK, operands.mask == null ? 0 : NativeMemory.addressOf(operands.mask))
                .set(Field.QUERIES, queries)
                .set(Field.KEYS, keys)
                .set(Field.HEADS, heads)
                .set(Field.SIZE, size)
                .set(Field.VALUE_SIZE, valueWidth / heads)
                .set(Field.SCALE, scale == 0 ? (float) (1 / Math.sqrt(size)) : (double) scale)
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
