package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.cpu.TransposedWindow;
import io.kindling.engine.cpu.simd.GemmJob.Addend;
import io.kindling.engine.cpu.simd.WindowJob.Field;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.HostBuffer;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/**
 * {@code ConvTranspose} of float32 over one or two axes; the rest is left to the reference. For each image and group a product,
 * {@code [filters · taps, channels] · [channels, places]}, whose rows are then spread over the planes of the result; see {@code window.h}.
 */
final class NativeConvTranspose extends NativeKernel {
    /** Products that take more memory are left to the reference. */
    private static final long LARGEST_PRODUCT = 1L << 30;

    private final KernelSet set;
    private final KernelPool pool;
    private final Node node;

    NativeConvTranspose(KernelSet set, KernelPool pool, Kernel reference, Node node) {
        super(set, reference);
        this.set = set;
        this.pool = pool;
        this.node = node;
    }

    /**
     * The sizes of one image and group.
     *
     * @param taps of a kernel
     * @param places of a plane of x, {@code outputs} of one of y
     */
    private record Sizes(int groups, long channels, long filters, long taps, long places, long outputs) {
        long rows() {
            return filters * taps;
        }
    }

    @Override
    String compute(KernelContext context) {
        Tensor x = context.input(0);
        Tensor w = context.input(1);
        Tensor bias = context.inputCount() > 2 && context.hasInput(2) ? context.input(2) : null;
        TransposedWindow window = fits(x, w, bias) ? new TransposedWindow(node, x, w) : null;
        if (window == null || !covers(window, x, w)) {
            return null;
        }
        long[] shape = window.outputShape();
        Tensor y = context.output(0, DataType.FLOAT, shape);
        int groups = (int) node.intAttribute("group", 1);
        Sizes sizes = new Sizes(
                groups,
                w.dim(0) / groups,
                w.dim(1),
                w.elementCount() / w.dim(0) / w.dim(1),
                x.elementCount() / x.dim(0) / x.dim(1),
                y.elementCount() / shape[0] / shape[1]);
        HostBuffer product = (HostBuffer) context.scratch(0, sizes.rows() * sizes.places * Float.BYTES);
        HostBuffer gemm = (HostBuffer) context.scratch(1, GemmJob.BYTE_SIZE);
        HostBuffer spread = (HostBuffer) context.scratch(2, WindowJob.BYTE_SIZE);
        GemmJob.write(
                gemm.bytes(),
                sizes.channels,
                sizes.places,
                GemmShape.Matrix.of(sizes.rows(), true),
                GemmShape.Matrix.of(sizes.places, false),
                GemmJob.Layout.PLAIN,
                Addend.NONE,
                1);
        describe(window, x, w, new WindowJob(spread.bytes()));
        for (int image = 0; image < x.dim(0) * groups; image++) {
            multiply(
                    sizes,
                    NativeMemory.addressOf(gemm),
                    NativeMemory.addressOf(w) + image % groups * sizes.channels * sizes.rows() * Float.BYTES,
                    NativeMemory.addressOf(x) + image * sizes.channels * sizes.places * Float.BYTES,
                    NativeMemory.addressOf(product));
            long to = NativeMemory.addressOf(y) + image * sizes.filters * sizes.outputs * Float.BYTES;
            long biases =
                    bias == null ? 0 : NativeMemory.addressOf(bias) + image % groups * sizes.filters * Float.BYTES;
            Ranges.run(
                    pool,
                    Math.toIntExact(sizes.filters),
                    1,
                    (from, end) -> Native.spread(
                            set.address(),
                            NativeMemory.addressOf(spread),
                            NativeMemory.addressOf(product),
                            to,
                            biases,
                            from,
                            end));
        }
        return PLAIN;
    }

    private void multiply(Sizes sizes, long job, long a, long b, long c) {
        GemmParts parts = GemmParts.of(sizes.rows(), sizes.places, pool.threads(), 1, set.tiles());
        parts.run(
                pool,
                1,
                sizes.rows(),
                sizes.places,
                (stack, row, endRow, panel, endPanel) ->
                        Native.gemm(set.address(), job, a, b, c, row, endRow, panel, endPanel));
    }

    private static void describe(TransposedWindow window, Tensor x, Tensor w, WindowJob job) {
        boolean line = x.rank() == 3;
        int across = x.rank() - 3;
        long[] shape = window.outputShape();
        job.set(Field.HEIGHT, line ? 1 : x.dim(2))
                .set(Field.WIDTH, x.dim(-1))
                .set(Field.KERNEL_HEIGHT, line ? 1 : w.dim(2))
                .set(Field.KERNEL_WIDTH, w.dim(-1))
                .set(Field.STRIDE_Y, line ? 1 : window.stride(0))
                .set(Field.STRIDE_X, window.stride(across))
                .set(Field.DILATION_Y, line ? 1 : window.dilation(0))
                .set(Field.DILATION_X, window.dilation(across))
                .set(Field.TOP, line ? 0 : window.before(0))
                .set(Field.LEFT, window.before(across))
                .set(Field.OUT_HEIGHT, line ? 1 : shape[2])
                .set(Field.OUT_WIDTH, shape[shape.length - 1]);
    }

    private boolean fits(Tensor x, Tensor w, Tensor bias) {
        long groups = node.intAttribute("group", 1);
        return x.type() == DataType.FLOAT
                && w.type() == DataType.FLOAT
                && x.rank() == w.rank()
                && (x.rank() == 3 || x.rank() == 4)
                && x.elementCount() > 0
                && w.elementCount() > 0
                && groups > 0
                && w.dim(0) % groups == 0
                && x.dim(1) == w.dim(0)
                && (bias == null || bias.type() == DataType.FLOAT && bias.elementCount() == w.dim(1) * groups);
    }

    private boolean covers(TransposedWindow window, Tensor x, Tensor w) {
        boolean sound = true;
        for (int axis = 0; axis < x.rank() - 2; axis++) {
            sound &= window.stride(axis) > 0 && window.dilation(axis) > 0 && window.outputShape()[axis + 2] > 0;
        }
        long product = w.elementCount() / w.dim(0) * (x.elementCount() / x.dim(0) / x.dim(1)) * Float.BYTES;
        return sound && product <= LARGEST_PRODUCT;
    }
}
