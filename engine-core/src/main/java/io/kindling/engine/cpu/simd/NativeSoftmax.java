package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/** {@code Softmax} of float32 over the last axis, or over all axes from one on as before opset 13; the rest is left to the reference. */
final class NativeSoftmax extends NativeKernel {
    /** Below so many elements a job is done by its caller. */
    private static final int SMALL_JOB = 1 << 13;

    private final KernelSet set;
    private final KernelPool pool;
    private final boolean flatten;
    private final long axis;

    /** @param flatten whether the tensor is seen as a matrix cut at the axis, as before opset 13 */
    NativeSoftmax(KernelSet set, KernelPool pool, Kernel reference, Node node, boolean flatten) {
        super(set, reference);
        this.set = set;
        this.pool = pool;
        this.flatten = flatten;
        axis = node.intAttribute("axis", flatten ? 1 : -1);
    }

    @Override
    String compute(KernelContext context) {
        Tensor x = context.input(0);
        long cut = axis < 0 ? axis + x.rank() : axis;
        boolean covered = x.type() == DataType.FLOAT
                && x.elementCount() > 0
                && cut >= 0
                && cut < x.rank()
                && (flatten || cut == x.rank() - 1);
        if (!covered) {
            return null;
        }
        long columns = 1;
        for (int k = (int) cut; k < x.rank(); k++) {
            columns *= x.dim(k);
        }
        int size = Math.toIntExact(columns);
        long from = NativeMemory.addressOf(x);
        long to = NativeMemory.addressOf(context.output(0, DataType.FLOAT, x.shape()));
        Ranges.run(
                x.elementCount() < SMALL_JOB ? null : pool,
                Math.toIntExact(x.elementCount() / size),
                1,
                (first, end) -> Native.softmax(set.address(), from, to, size, first, end));
        return PLAIN;
    }
}
