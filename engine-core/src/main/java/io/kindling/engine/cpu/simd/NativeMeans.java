package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/** {@code GlobalAveragePool} of float32; other types are left to the reference. */
final class NativeMeans extends NativeKernel {
    /** Below so many elements a job is done by its caller. */
    private static final int SMALL_JOB = 1 << 15;

    private final KernelSet set;
    private final KernelPool pool;

    NativeMeans(KernelSet set, KernelPool pool, Kernel reference) {
        super(set, reference);
        this.set = set;
        this.pool = pool;
    }

    @Override
    String compute(KernelContext context) {
        Tensor x = context.input(0);
        if (x.type() != DataType.FLOAT || x.rank() < 3 || x.elementCount() == 0) {
            return null;
        }
        long[] shape = x.shape().clone();
        Arrays.fill(shape, 2, shape.length, 1);
        Tensor y = context.output(0, DataType.FLOAT, shape);
        long from = NativeMemory.addressOf(x);
        long to = NativeMemory.addressOf(y);
        long size = x.elementCount() / y.elementCount();
        Ranges.run(
                x.elementCount() < SMALL_JOB ? null : pool,
                Math.toIntExact(y.elementCount()),
                1,
                (first, end) -> Native.means(set.address(), from, to, size, first, end));
        return PLAIN;
    }
}
