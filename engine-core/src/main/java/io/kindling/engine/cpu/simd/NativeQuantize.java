package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.HostBuffer;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/**
 * {@code QuantizeLinear}, {@code DequantizeLinear} and {@code DynamicQuantizeLinear} between float32 and bytes, with one scale or one a
 * slice of an axis; other types, and scales of blocks, are left to the reference.
 */
final class NativeQuantize extends NativeKernel {
    enum Op {
        QUANTIZE,
        DEQUANTIZE,
        DYNAMIC
    }

    /** Below so many elements a job is done by its caller. */
    private static final long SMALL_JOB = 1 << 15;

    private final KernelSet set;
    private final KernelPool pool;
    private final Op op;
    private final int axis;
    private final boolean blocks;
    private final DataType wanted;

    NativeQuantize(KernelSet set, KernelPool pool, Op op, Kernel reference, Node node) {
        super(set, reference);
        this.set = set;
        this.pool = pool;
        this.op = op;
        axis = (int) node.intAttribute("axis", 1);
        blocks = node.intAttribute("block_size", 0) != 0;
        wanted = DataType.ofCode((int) node.intAttribute("output_dtype", 0)).orElse(null);
    }

    @Override
    String compute(KernelContext context) {
        Tensor x = context.input(0);
        if (op == Op.DYNAMIC) {
            return x.type() == DataType.FLOAT ? dynamic(context, x) : null;
        }
        Tensor scale = context.input(1);
        Tensor zero = context.hasInput(2) ? context.input(2) : null;
        QuantizeJob.Lines lines = scale.type() == DataType.FLOAT && !blocks ? lines(x, scale) : null;
        DataType bytes = op == Op.QUANTIZE ? target(zero) : x.type();
        DataType type = op == Op.QUANTIZE ? bytes : wanted == null ? DataType.FLOAT : wanted;
        boolean fits = lines != null
                && isBytes(bytes)
                && (op == Op.QUANTIZE ? x.type() : type) == DataType.FLOAT
                && (zero == null || zero.type() == bytes && zero.elementCount() == scale.elementCount());
        if (!fits) {
            return null;
        }
        run(context, lines, x, scale, zero, bytes, context.output(0, type, x.shape()));
        return PLAIN;
    }

    private DataType target(Tensor zero) {
        if (zero != null) {
            return zero.type();
        }
        return wanted == null ? DataType.UINT8 : wanted;
    }

    static boolean isBytes(DataType type) {
        return type == DataType.UINT8 || type == DataType.INT8;
    }

    /** Null where scales do not run along an axis. */
    private QuantizeJob.Lines lines(Tensor x, Tensor scale) {
        if (scale.elementCount() == 1 && scale.rank() <= 1) {
            return QuantizeJob.Lines.of(x.elementCount());
        }
        int at = axis < 0 ? axis + x.rank() : axis;
        boolean along = scale.rank() == 1
                && at >= 0
                && at < x.rank()
                && x.dim(at) == scale.elementCount()
                && x.elementCount() > 0;
        return along ? QuantizeJob.Lines.along(x.shape(), at, x.elementCount()) : null;
    }

    private void run(
            KernelContext context,
            QuantizeJob.Lines lines,
            Tensor x,
            Tensor scale,
            Tensor zero,
            DataType bytes,
            Tensor y) {
        HostBuffer job = (HostBuffer) context.scratch(0, QuantizeJob.BYTE_SIZE);
        QuantizeJob.write(
                job.bytes(),
                lines,
                NativeMemory.addressOf(scale),
                zero == null ? 0 : NativeMemory.addressOf(zero),
                bytes == DataType.INT8);
        long at = NativeMemory.addressOf(job);
        long from = NativeMemory.addressOf(x);
        long to = NativeMemory.addressOf(y);
        Ranges.run(lines.count() < SMALL_JOB ? null : pool, Math.toIntExact(lines.lines()), 1, (first, end) -> {
            if (op == Op.QUANTIZE) {
                Native.quantize(set.address(), at, from, to, first, end);
            } else {
                Native.dequantize(set.address(), at, from, to, first, end);
            }
        });
    }

    private String dynamic(KernelContext context, Tensor x) {
        Tensor y = context.output(0, DataType.UINT8, x.shape());
        DynamicQuantization found = DynamicQuantization.run(
                set, pool, context, 0, NativeMemory.addressOf(x), x.elementCount(), NativeMemory.addressOf(y));
        context.output(1, DataType.FLOAT).floats().put(0, found.scale());
        context.output(2, DataType.UINT8).bytes().put(0, (byte) found.zero());
        return PLAIN;
    }
}
