package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.cpu.Window;
import io.kindling.engine.cpu.simd.IntegerJob.Form;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.HostBuffer;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * {@code ConvInteger} and {@code QLinearConv} of bytes over one or two axes, bit for bit as the reference, to which the rest is
 * left. A product with the columns that windows cut from the planes; constant filters are laid out once for the model.
 */
final class NativeIntegerConv extends NativeKernel {
    /** The operators, and at which inputs they have what; −1: nowhere. */
    enum Op {
        SUMS(1, 2, 3, -1),
        RATIOS(3, 2, 5, 8);

        private final int w;
        private final int zeroX;
        private final int zeroW;
        private final int bias;

        Op(int w, int zeroX, int zeroW, int bias) {
            this.w = w;
            this.zeroX = zeroX;
            this.zeroW = zeroW;
            this.bias = bias;
        }
    }

    /** Below so many multiplications a job is done by its caller. */
    private static final long SMALL_JOB = 1 << 18;

    /** Up to so many products of two bytes the sum has 32 bits. */
    private static final long MOST_PRODUCTS = 1 << 15;

    private final KernelSet set;
    private final KernelPool pool;
    private final Op op;
    private final Node node;
    private final IntegerOperands operands;

    /** Address of the filters as rows, or 0. */
    private final long rows;

    NativeIntegerConv(KernelSet set, KernelPool pool, Op op, Kernel reference, KernelRequest request) {
        super(set, reference);
        this.set = set;
        this.pool = pool;
        this.op = op;
        node = request.node();
        operands = new IntegerOperands(set, pool);
        rows = operands.rowsOnce(request, op.w);
    }

    @Override
    String compute(KernelContext context) {
        Tensor x = context.input(0);
        Tensor w = context.input(op.w);
        boolean fits =
                NativeQuantize.isBytes(x.type()) && NativeQuantize.isBytes(w.type()) && NativeConv.fits(node, x, w);
        Window window = fits ? new Window(node, x, Arrays.copyOfRange(w.shape(), 2, w.rank()), false) : null;
        if (window == null || !NativeConv.covers(window, w)) {
            return null;
        }
        long k = w.elementCount() / w.dim(0);
        int groups = (int) node.intAttribute("group", 1);
        long filters = w.dim(0) / groups;
        long multiplications = k * Tensor.count(window.outputShape(x.dim(0), w.dim(0)));
        int threads = multiplications < SMALL_JOB ? 1 : pool.threads();
        long panelBytes = IntegerJob.packedBytes(k, 1);
        WindowParts parts = WindowParts.columns(window, x.dim(0) * groups, panelBytes, filters, threads);
        parts = parts.withMore((k * GemmJob.PANEL + 63) / 64 * 64);
        long ratios = (w.dim(0) * Double.BYTES + 63) / 64 * 64;
        long head = WindowJob.BYTE_SIZE + IntegerJob.BYTE_SIZE + ratios;
        HostBuffer scratch = (HostBuffer) context.scratch(0, head);
        long job = NativeMemory.addressOf(scratch);
        long product = job + WindowJob.BYTE_SIZE;
        ByteBuffer struct = scratch.bytes().slice(WindowJob.BYTE_SIZE, Math.toIntExact(head - WindowJob.BYTE_SIZE));
        DataType type = describe(context, x, w, k, new IntegerJob(struct), struct, product);
        if (type == null) {
            return null;
        }
        Tensor y = context.output(0, type, window.outputShape(x.dim(0), w.dim(0)));
        GemmShape.Matrix matrix = GemmShape.Matrix.of(k, false);
        long laid =
                rows != 0 ? rows : operands.rows(context, 1, NativeMemory.addressOf(w), w.type(), matrix, k, w.dim(0));
        new WindowJob(scratch.bytes())
                .window(window)
                .set(WindowJob.Field.X, NativeMemory.addressOf(x))
                .set(WindowJob.Field.W, laid)
                .set(WindowJob.Field.Y, NativeMemory.addressOf(y))
                .set(WindowJob.Field.GROUPS, groups)
                .set(WindowJob.Field.FILTERS, filters)
                .set(WindowJob.Field.CHANNELS, w.dim(1))
                .set(WindowJob.Field.ROW_BLOCK, parts.rows())
                .set(WindowJob.Field.PANEL_BLOCK, parts.panels());
        long own = NativeMemory.addressOf(context.scratch(2, parts.scratchBytes()));
        parts.run(pool, own, (at, from, to) -> Native.integerConv(set.address(), job, product, at, from, to));
        return rows != 0 ? " packed" : PLAIN;
    }

    /**
     * Writes the product: filters times columns.
     *
     * @return the type of the result; null where C does not cover the inputs
     */
    private DataType describe(
            KernelContext context, Tensor x, Tensor w, long k, IntegerJob job, ByteBuffer struct, long address) {
        Tensor zeroX = given(context, op.zeroX);
        Tensor zeroW = given(context, op.zeroW);
        boolean fits = IntegerOperands.runs(zeroX, x.type(), 1) && IntegerOperands.runs(zeroW, w.type(), w.dim(0));
        if (!fits) {
            return null;
        }
        job.set(IntegerJob.Field.K, k)
                .set(IntegerJob.Field.SIGNED_A, w.type() == DataType.INT8)
                .set(IntegerJob.Field.SIGNED_B, x.type() == DataType.INT8)
                .set(IntegerJob.Field.ZERO_A, zeroW == null ? 0 : NativeMemory.addressOf(zeroW))
                .set(IntegerJob.Field.ZERO_A_ROW, zeroW != null && zeroW.elementCount() > 1)
                .set(IntegerJob.Field.ZERO_B, zeroX == null ? 0 : NativeMemory.addressOf(zeroX));
        return op == Op.SUMS ? DataType.INT32 : ratios(context, w, k, job, struct, address);
    }

    private DataType ratios(KernelContext context, Tensor w, long k, IntegerJob job, ByteBuffer struct, long address) {
        Tensor scaleX = context.input(1);
        Tensor scaleW = context.input(4);
        Tensor scaleY = context.input(6);
        Tensor zeroY = context.input(7);
        Tensor bias = given(context, op.bias);
        boolean perFilter = scaleW.elementCount() > 1;
        boolean fits = k <= MOST_PRODUCTS
                && NativeQuantize.isBytes(zeroY.type())
                && IntegerOperands.runs(scaleX, DataType.FLOAT, 1)
                && IntegerOperands.runs(scaleY, DataType.FLOAT, 1)
                && IntegerOperands.runs(scaleW, DataType.FLOAT, w.dim(0))
                && (bias == null || bias.type() == DataType.INT32 && bias.elementCount() == w.dim(0));
        if (!fits) {
            return null;
        }
        for (int i = 0; i < scaleW.elementCount(); i++) {
            double ratio = (double) scaleW.floats().get(i)
                    * scaleX.floats().get(0)
                    / scaleY.floats().get(0);
            struct.putDouble(IntegerJob.BYTE_SIZE + i * Double.BYTES, ratio);
        }
        job.form(Form.RATIOS)
                .set(IntegerJob.Field.RATIOS, address + IntegerJob.BYTE_SIZE)
                .set(IntegerJob.Field.RATIOS_ROW, perFilter)
                .set(IntegerJob.Field.ADDEND, bias == null ? 0 : NativeMemory.addressOf(bias))
                .set(IntegerJob.Field.ADDEND_ROW, 1);
        return job.target(zeroY.type(), zeroY);
    }
}
