package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/** {@code GlobalAveragePool}, and {@code ReduceMean} over the last axes, of float32; the rest is left to the reference. */
final class NativeMeans extends NativeKernel {
    /** Below so many elements a job is done by its caller. */
    private static final int SMALL_JOB = 1 << 15;

    /** First axis that a pooling takes in. */
    private static final int SPATIAL = 2;

    private static final int NONE = -1;

    private final KernelSet set;
    private final KernelPool pool;
    private final Node node;
    private final boolean keepsAxes;

    NativeMeans(KernelSet set, KernelPool pool, Kernel reference, Node node) {
        super(set, reference);
        this.set = set;
        this.pool = pool;
        this.node = node;
        keepsAxes = node.intAttribute("keepdims", 1) != 0;
    }

    @Override
    String compute(KernelContext context) {
        Tensor x = context.input(0);
        int axis = node.is("", "ReduceMean") ? firstOfLast(context, x.rank()) : x.rank() > SPATIAL ? SPATIAL : NONE;
        if (x.type() != DataType.FLOAT || axis == NONE || x.elementCount() == 0) {
            return null;
        }
        long[] shape = Arrays.copyOf(x.shape(), keepsAxes ? x.rank() : axis);
        Arrays.fill(shape, axis, shape.length, 1);
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

    /** The first of the axes that are reduced, where these are the last ones of the tensor. */
    private int firstOfLast(KernelContext context, int rank) {
        Tensor given = given(context, 1);
        long[] axes = node.intsAttribute("axes").orElse(new long[0]);
        if (given != null) {
            axes = new long[Math.toIntExact(given.elementCount())];
            given.longs().get(0, axes);
        }
        if (axes.length == 0) {
            return node.intAttribute("noop_with_empty_axes", 0) == 0 && rank > 0 ? 0 : NONE;
        }
        long[] ascending = Arrays.stream(axes)
                .map(axis -> axis < 0 ? axis + rank : axis)
                .sorted()
                .toArray();
        for (int i = 0; i < ascending.length; i++) {
            if (ascending[i] != rank - ascending.length + i) {
                return NONE;
            }
        }
        return rank - ascending.length;
    }
}
