package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.cpu.Window;
import io.kindling.engine.cpu.simd.WindowJob.Field;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.HostBuffer;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelFactory;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * {@code Conv} and {@code com.microsoft::FusedConv} of float32 over one or two axes; the rest is left to the reference. A product with
 * the columns that windows cut from the planes, or, where groups have one channel, windows that slide over each
 * plane; see {@code window.h}.
 */
final class NativeConv extends NativeKernel {
    /** Below so many multiplications a job is done by its caller. */
    private static final long SMALL_JOB = 1 << 16;

    /** Up to so many filters of one channel are not worth columns. */
    private static final int FEW_FILTERS = 4;

    private final KernelSet set;
    private final KernelPool pool;
    private final Node node;
    private final Activation activation;

    /** Whether tiles take operands in two parts instead of three. */
    private final boolean rounded;

    private NativeConv(KernelSet set, KernelPool pool, Kernel reference, KernelRequest request, Activation activation) {
        super(set, reference);
        this.set = set;
        this.pool = pool;
        this.activation = activation;
        node = request.node();
        rounded = set.tiles() && request.roundedFloats();
    }

    /** A native kernel where the node's activation allows one, else the reference. */
    static Kernel create(KernelSet set, KernelPool pool, KernelFactory reference, KernelRequest request) {
        Kernel java = reference.create(request);
        return Activation.named(request.node())
                .<Kernel>map(activation -> new NativeConv(set, pool, java, request, activation))
                .orElse(java);
    }

    @Override
    String compute(KernelContext context) {
        Tensor x = context.input(0);
        Tensor w = context.input(1);
        boolean fits = x.type() == DataType.FLOAT && w.type() == DataType.FLOAT && fits(node, x, w);
        Window window = fits ? new Window(node, x, Arrays.copyOfRange(w.shape(), 2, w.rank()), false) : null;
        Tensor bias = given(context, 2);
        Tensor sum = given(context, 3);
        if (window == null || !covers(window, x, w, bias, sum)) {
            return null;
        }
        Tensor y = context.output(0, DataType.FLOAT, window.outputShape(x.dim(0), w.dim(0)));
        int groups = (int) node.intAttribute("group", 1);
        int filters = (int) w.dim(0) / groups;
        boolean planes = w.dim(1) == 1 && filters <= FEW_FILTERS && WindowJob.canPad(window);
        long multiplications = w.elementCount() / w.dim(0) * y.elementCount();
        WindowParts parts = planes
                ? WindowParts.planes(window, x.dim(0) * w.dim(0), threads(multiplications))
                : WindowParts.columns(window, x.dim(0) * groups, panelBytes(w), filters, threads(multiplications));
        HostBuffer scratch = (HostBuffer) context.scratch(0, WindowJob.BYTE_SIZE + parts.scratchBytes());
        new WindowJob(scratch.bytes())
                .window(window)
                .activation(activation)
                .set(Field.X, NativeMemory.addressOf(x))
                .set(Field.W, NativeMemory.addressOf(w))
                .set(Field.BIAS, bias == null ? 0 : NativeMemory.addressOf(bias))
                .set(Field.SUM, sum == null ? 0 : NativeMemory.addressOf(sum))
                .set(Field.Y, NativeMemory.addressOf(y))
                .set(Field.GROUPS, groups)
                .set(Field.FILTERS, filters)
                .set(Field.CHANNELS, w.dim(1))
                .set(Field.ROW_BLOCK, parts.rows())
                .set(Field.PANEL_BLOCK, parts.panels())
                .set(Field.ROUNDED, rounded ? 1 : 0);
        long job = NativeMemory.addressOf(scratch);
        parts.run(pool, job + WindowJob.BYTE_SIZE, (own, from, to) -> {
            if (planes) {
                Native.planes(set.address(), job, own, from, to);
            } else {
                Native.conv(set.address(), job, own, from, to);
            }
        });
        return planes ? " planes" : rounded ? " columns rounded" : " columns";
    }

    private int threads(long multiplications) {
        return multiplications < SMALL_JOB ? 1 : pool.threads();
    }

    private static long panelBytes(Tensor w) {
        return GemmJob.PANEL * Float.BYTES * (w.elementCount() / w.dim(0));
    }

    /** Whether the shapes fit one another, and have one or two axes for windows to slide over. */
    static boolean fits(Node node, Tensor x, Tensor w) {
        long groups = node.intAttribute("group", 1);
        return x.rank() == w.rank()
                && (x.rank() == 3 || x.rank() == 4)
                && groups > 0
                && x.dim(0) > 0
                && w.dim(0) > 0
                && w.dim(1) > 0
                && x.dim(1) == w.dim(1) * groups
                && w.dim(0) % groups == 0;
    }

    /** Whether C can compute with the sizes of the windows, and these are the filters'. */
    static boolean covers(Window window, Tensor w) {
        boolean covered = WindowJob.covers(window);
        for (int axis = 0; axis < window.rank; axis++) {
            covered &= window.kernel[axis] == w.dim(axis + 2);
        }
        return covered;
    }

    private static boolean covers(Window window, Tensor x, Tensor w, Tensor bias, Tensor sum) {
        return covers(window, w)
                && (bias == null || isFloats(bias, new long[] {w.dim(0)}))
                && (sum == null || isFloats(sum, window.outputShape(x.dim(0), w.dim(0))));
    }

    private static boolean isFloats(Tensor tensor, long[] shape) {
        return tensor.type() == DataType.FLOAT && Arrays.equals(tensor.shape(), shape);
    }
}
