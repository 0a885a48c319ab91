package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.cpu.simd.GemmJob.Addend;
import io.kindling.engine.cpu.simd.GemmShape.Matrix;
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

    /** Room for one job, aligned like what follows it. */
    private static final int JOB_BYTES = 128;

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

        long scoreBytes() {
            return q.dim(1) * k.dim(1) * Float.BYTES;
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
                && found.scoreBytes() * pool.threads() * RANGES_PER_THREAD < LARGEST_SCORES
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
        long rangeBytes = JOB_BYTES + 64 * (operands.scoreBytes() / 64 + 1);
        HostBuffer scratch = (HostBuffer) context.scratch(0, ranges * rangeBytes);
        Tensor padding = operands.mask == null ? null : padding(context, operands);
        int each = (items + ranges - 1) / ranges;
        pool.run(ranges, range -> {
            int start = Math.toIntExact(range * rangeBytes);
            for (int item = range * each; item < Math.min(items, (range + 1) * each); item++) {
                head(operands, padding, output, item / heads, item % heads, scratch, start);
            }
        });
    }

    /** The mask as what is added to scores, [batch, keys]. */
    private Tensor padding(KernelContext context, Operands operands) {
        Tensor mask = operands.mask;
        Tensor added = Tensor.of(
                DataType.FLOAT, mask.shape(), context.scratch(1, DataType.FLOAT.byteSize(mask.elementCount())));
        for (int k = 0; k < mask.elementCount(); k++) {
            added.floats().put(k, mask.ints().get(k) != 0 ? 0 : filter);
        }
        return added;
    }

    private void head(
            Operands operands, Tensor padding, Tensor output, int batch, int head, HostBuffer scratch, int start) {
        int queries = operands.queries();
        int keys = operands.keys();
        long width = operands.q.dim(2);
        long valueWidth = operands.v.dim(2);
        int size = (int) width / heads;
        int valueSize = (int) valueWidth / heads;
        long base = NativeMemory.addressOf(scratch) + start;
        long scores = base + JOB_BYTES;
        var job = scratch.bytes().slice(start, JOB_BYTES);
        float factor = scale == 0 ? (float) (1 / Math.sqrt(size)) : scale;
        Addend addend = padding != null
                ? new Addend(NativeMemory.addressOf(padding) + (long) batch * keys * Float.BYTES, 0, 1, 1)
                : bias(operands, batch, head);
        GemmJob.write(job, size, keys, new Matrix(width, 1), new Matrix(1, width), false, addend, factor);
        long first = at(operands.q, ((long) batch * queries) * width + (long) head * size);
        long second = at(operands.k, ((long) batch * keys) * width + (long) head * size);
        Native.gemm(set, base, first, second, scores, 0, queries, 0, GemmJob.panels(keys));
        Native.softmax(set, scores, scores, keys, 0, queries);
        GemmJob.write(
                job,
                keys,
                valueSize,
                new Matrix(keys, 1),
                new Matrix(valueWidth, 1),
                false,
                Addend.NONE,
                1,
                valueWidth);
        long values = at(operands.v, ((long) batch * keys) * valueWidth + (long) head * valueSize);
        long to = at(output, ((long) batch * queries) * valueWidth + (long) head * valueSize);
        Native.gemm(set, base, scores, values, to, 0, queries, 0, GemmJob.panels(valueSize));
    }

    private static Addend bias(Operands operands, int batch, int head) {
        Tensor bias = operands.bias;
        if (bias == null) {
            return Addend.NONE;
        }
        long row = (bias.dim(0) == 1 ? 0 : batch) * bias.dim(1) + (bias.dim(1) == 1 ? 0 : head);
        long columns = bias.dim(3);
        return new Addend(at(bias, row * bias.dim(2) * columns), bias.dim(2) == 1 ? 0 : columns, 1, 1);
    }

    private static long at(Tensor tensor, long index) {
        return NativeMemory.addressOf(tensor) + index * Float.BYTES;
    }

    @Override
    public void close() {
        reference.close();
    }
}
