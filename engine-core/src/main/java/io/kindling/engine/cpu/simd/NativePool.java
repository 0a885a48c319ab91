package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.cpu.Window;
import io.kindling.engine.cpu.simd.WindowJob.Field;
import io.kindling.engine.cpu.simd.WindowJob.Mode;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.HostBuffer;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** {@code MaxPool} without indices and {@code AveragePool} of float32 over one or two axes; the rest is left to the reference. */
final class NativePool extends NativeKernel {
    /** Below so many elements, of all windows, a job is done by its caller. */
    private static final long SMALL_JOB = 1 << 16;

    private final KernelSet set;
    private final KernelPool pool;
    private final Node node;
    private final Mode mode;
    private final boolean ceil;
    private final boolean countsPadding;

    NativePool(KernelSet set, KernelPool pool, Kernel reference, Node node, Mode mode) {
        super(set, reference);
        this.set = set;
        this.pool = pool;
        this.node = node;
        this.mode = mode;
        ceil = node.intAttribute("ceil_mode", 0) != 0;
        countsPadding = node.intAttribute("count_include_pad", 0) != 0;
    }

    @Override
    String compute(KernelContext context) {
        Tensor x = context.input(0);
        boolean fits = x.type() == DataType.FLOAT
                && (x.rank() == 3 || x.rank() == 4)
                && x.dim(0) > 0
                && x.dim(1) > 0
                && node.attributes().containsKey("kernel_shape")
                && !context.hasOutput(1);
        Window window = fits ? new Window(node, x, null, ceil) : null;
        if (window == null
                || !WindowJob.covers(window)
                || !WindowJob.canPad(window)
                || mode == Mode.MAX && !readsEverywhere(window)) {
            return null;
        }
        Tensor y = context.output(0, DataType.FLOAT, window.outputShape(x.dim(0), x.dim(1)));
        long planes = x.dim(0) * x.dim(1);
        long taps = 1;
        for (int size : window.kernel) {
            taps *= size;
        }
        int threads = y.elementCount() * taps < SMALL_JOB ? 1 : pool.threads();
        WindowParts parts = WindowParts.planes(window, planes, threads);
        HostBuffer scratch = (HostBuffer) context.scratch(0, WindowJob.BYTE_SIZE + parts.scratchBytes());
        int across = window.output[window.rank - 1];
        int down = window.rank == 1 ? 1 : window.output[0];
        HostBuffer counts = (HostBuffer) context.scratch(1, (long) (down + across) * Float.BYTES);
        writeCounts(window, down, counts.bytes());
        long job = NativeMemory.addressOf(scratch);
        new WindowJob(scratch.bytes())
                .window(window)
                .set(Field.X, NativeMemory.addressOf(x))
                .set(Field.Y, NativeMemory.addressOf(y))
                .set(Field.GROUPS, x.dim(1))
                .set(Field.FILTERS, 1)
                .set(Field.CHANNELS, 1)
                .set(Field.MODE, mode.ordinal())
                .set(Field.COUNTS_Y, NativeMemory.addressOf(counts))
                .set(Field.COUNTS_X, NativeMemory.addressOf(counts) + (long) down * Float.BYTES);
        parts.run(pool, job + WindowJob.BYTE_SIZE, (own, from, to) -> Native.planes(set.address(), job, own, from, to));
        return PLAIN;
    }

    /** A window in the padding alone has no largest value: the reference refuses it. */
    private static boolean readsEverywhere(Window window) {
        for (int axis = 0; axis < window.rank; axis++) {
            for (int place = 0; place < window.output[axis]; place++) {
                if (count(window, axis, place, 0, window.input[axis]) == 0) {
                    return false;
                }
            }
        }
        return true;
    }

    private void writeCounts(Window window, int down, ByteBuffer counts) {
        counts.order(ByteOrder.nativeOrder());
        for (int row = 0; row < down; row++) {
            counts.putFloat(row * Float.BYTES, window.rank == 1 ? 1 : divisor(window, 0, row));
        }
        for (int column = 0; column < window.output[window.rank - 1]; column++) {
            counts.putFloat((down + column) * Float.BYTES, divisor(window, window.rank - 1, column));
        }
    }

    private int divisor(Window window, int axis, int place) {
        int end = window.input[axis] + (countsPadding ? window.after[axis] : 0);
        return count(window, axis, place, countsPadding ? -window.before[axis] : 0, end);
    }

    /** How many places of the kernel read from {@code from} to {@code end − 1} of the axis. */
    private static int count(Window window, int axis, int place, int from, int end) {
        int start = place * window.strides[axis] - window.before[axis];
        int count = 0;
        for (int tap = 0; tap < window.kernel[axis]; tap++) {
            int at = start + tap * window.dilations[axis];
            count += at >= from && at < end ? 1 : 0;
        }
        return count;
    }
}
