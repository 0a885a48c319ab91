package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.cpu.simd.IntegerJob.Field;
import io.kindling.engine.cpu.simd.IntegerJob.Form;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.HostBuffer;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.nio.ByteBuffer;

/**
 * Products of bytes: {@code MatMulInteger}, {@code QLinearMatMul}, {@code QGemm}, {@code MatMulIntegerToFloat} and {@code
 * DynamicQuantizeMatMul}. Sums are exact, and what follows has the bits of the reference, to which other types and zero points or
 * scales that run otherwise than along one axis are left. A constant matrix B is packed once for the model.
 */
final class NativeIntegerMatMul extends NativeKernel {
    /** The operators, and at which inputs they have what; −1: nowhere. */
    enum Op {
        SUMS(0, 1, -1, -1, 2, 3, -1, -1),
        FLOATS(0, 1, 2, 3, 4, 5, 6, -1),
        DYNAMIC(0, 1, -1, 2, -1, 3, 4, -1),
        RATIOS(0, 3, 1, 4, 2, 5, -1, 6),
        GEMM(0, 3, 1, 4, 2, 5, 6, 7);

        private final int a;
        private final int b;
        private final int scaleA;
        private final int scaleB;
        private final int zeroA;
        private final int zeroB;
        private final int bias;
        private final int target;

        Op(int a, int b, int scaleA, int scaleB, int zeroA, int zeroB, int bias, int target) {
            this.a = a;
            this.b = b;
            this.scaleA = scaleA;
            this.scaleB = scaleB;
            this.zeroA = zeroA;
            this.zeroB = zeroB;
            this.bias = bias;
            this.target = target;
        }
    }

    /** Below so many multiplications a job is done by its caller. */
    private static final long SMALL_JOB = 1 << 18;

    private static final int JOB = 0;
    private static final int ROWS = 1;
    private static final int PANELS = 2;
    private static final int CODES = 3;

    private final KernelSet set;
    private final KernelPool pool;
    private final Op op;
    private final IntegerOperands operands;
    private final boolean transA;
    private final boolean transB;
    private final float alpha;

    /** Address of B in panels, or 0. */
    private final long packed;

    NativeIntegerMatMul(KernelSet set, KernelPool pool, Op op, Kernel reference, KernelRequest request) {
        super(set, reference);
        this.set = set;
        this.pool = pool;
        this.op = op;
        operands = new IntegerOperands(set, pool);
        Node node = request.node();
        transA = op == Op.GEMM && node.intAttribute("transA", 0) != 0;
        transB = op == Op.GEMM && node.intAttribute("transB", 0) != 0;
        alpha = op == Op.GEMM ? node.floatAttribute("alpha", 1) : 1;
        packed = operands.packedOnce(request, op.b, transB);
    }

    @Override
    String compute(KernelContext context) {
        Tensor a = context.input(op.a);
        Tensor b = context.input(op.b);
        boolean fits = NativeQuantize.isBytes(b.type())
                && b.rank() >= 2
                && (op == Op.DYNAMIC ? a.type() == DataType.FLOAT : NativeQuantize.isBytes(a.type()))
                && (op != Op.GEMM || a.rank() == 2 && b.rank() == 2);
        GemmShape shape = fits ? GemmShape.of(a.shape(), transA, b.shape(), transB) : null;
        if (shape == null || shape.k() == 0 || Tensor.count(shape.output()) == 0) {
            return null;
        }
        long room = IntegerJob.BYTE_SIZE + Math.max(shape.m(), shape.n()) * Double.BYTES;
        HostBuffer scratch = (HostBuffer) context.scratch(JOB, room);
        IntegerJob job = new IntegerJob(scratch.bytes());
        DataType made = describe(context, shape, job, scratch);
        if (made == null) {
            return null;
        }
        Tensor y = context.output(0, made, shape.output());
        long rows = rows(context, a, shape, job, NativeMemory.addressOf(scratch) + IntegerJob.BYTE_SIZE);
        long panels = packed != 0 ? packed : operands.packed(context, PANELS, b, shape);
        multiply(shape, NativeMemory.addressOf(scratch), rows, panels, y);
        return packed != 0 ? " packed" : PLAIN;
    }

    /** Lays out A, whose floats are quantised first where the operator says so. */
    private long rows(KernelContext context, Tensor a, GemmShape shape, IntegerJob job, long zero) {
        long from = NativeMemory.addressOf(a);
        DataType type = a.type();
        if (op == Op.DYNAMIC) {
            from = NativeMemory.addressOf(context.scratch(CODES, a.elementCount()));
            DynamicQuantization found = DynamicQuantization.run(
                    set, pool, context, ROWS, NativeMemory.addressOf(a), a.elementCount(), from);
            type = DataType.UINT8;
            job.set(Field.SCALE_A, (double) found.scale())
                    .set(Field.ZERO_A, zero)
                    .putZero(found.zero());
        }
        return operands.rows(context, ROWS, from, type, shape.a(), shape.k(), a.elementCount() / shape.k());
    }

    /**
     * Writes all but the operands.
     *
     * @return the type of the result; null where C does not cover the inputs
     */
    private DataType describe(KernelContext context, GemmShape shape, IntegerJob job, HostBuffer scratch) {
        Tensor zeroA = given(context, op.zeroA);
        Tensor zeroB = given(context, op.zeroB);
        Tensor a = context.input(op.a);
        Tensor b = context.input(op.b);
        boolean fits = IntegerOperands.runs(zeroA, a.type(), shape.m())
                && IntegerOperands.runs(zeroB, b.type(), shape.n())
                && (zeroA == null || zeroA.elementCount() == 1 || shape.count() == 1 && a.rank() <= 2);
        if (!fits) {
            return null;
        }
        job.set(Field.K, shape.k())
                .set(Field.N, shape.n())
                .set(Field.C_ROW, shape.n())
                .set(Field.SIGNED_A, a.type() == DataType.INT8)
                .set(Field.SIGNED_B, b.type() == DataType.INT8);
        along(job, zeroA, Field.ZERO_A, Field.ZERO_A_ROW);
        along(job, zeroB, Field.ZERO_B, Field.ZERO_B_COLUMN);
        return switch (op) {
            case SUMS -> DataType.INT32;
            case FLOATS, DYNAMIC -> scaled(context, shape, job);
            case RATIOS -> ratios(context, shape, job, scratch);
            case GEMM -> gemm(context, shape, job);
        };
    }

    private static void along(IntegerJob job, Tensor tensor, Field address, Field step) {
        if (tensor != null) {
            job.set(address, NativeMemory.addressOf(tensor)).set(step, tensor.elementCount() > 1);
        }
    }

    private DataType scaled(KernelContext context, GemmShape shape, IntegerJob job) {
        Tensor scaleA = given(context, op.scaleA);
        Tensor scaleB = given(context, op.scaleB);
        Tensor bias = given(context, op.bias);
        if (!IntegerOperands.runs(scaleA, DataType.FLOAT, 1)
                || !IntegerOperands.runs(scaleB, DataType.FLOAT, shape.n())) {
            return null;
        }
        if (bias != null && (bias.type() != DataType.FLOAT || bias.elementCount() != shape.n())) {
            return null;
        }
        job.form(Form.FLOATS).set(Field.BIAS, bias == null ? 0 : NativeMemory.addressOf(bias));
        if (scaleA != null) {
            job.set(Field.SCALE_A, (double) scaleA.floats().get(0));
        }
        along(job, scaleB, Field.SCALE_B, Field.SCALE_B_COLUMN);
        return DataType.FLOAT;
    }

    /** {@code scaleA · scaleB / scaleY} in double, of which either A or B has one. */
    private DataType ratios(KernelContext context, GemmShape shape, IntegerJob job, HostBuffer scratch) {
        Tensor scaleA = context.input(op.scaleA);
        Tensor scaleB = context.input(op.scaleB);
        Tensor scaleY = context.input(op.target);
        Tensor zeroY = context.input(op.target + 1);
        long countA = scaleA.elementCount();
        long countB = scaleB.elementCount();
        boolean fits = IntegerOperands.runs(scaleA, DataType.FLOAT, shape.m())
                && IntegerOperands.runs(scaleB, DataType.FLOAT, shape.n())
                && IntegerOperands.runs(scaleY, DataType.FLOAT, 1)
                && NativeQuantize.isBytes(zeroY.type())
                && (countA == 1 || countB == 1 && context.input(op.a).rank() <= 2);
        if (!fits) {
            return null;
        }
        ByteBuffer bytes = scratch.bytes();
        for (int i = 0; i < Math.max(countA, countB); i++) {
            double left = scaleA.floats().get(countA == 1 ? 0 : i);
            double right = scaleB.floats().get(countB == 1 ? 0 : i);
            double ratio = left * right / scaleY.floats().get(0);
            bytes.putDouble(IntegerJob.BYTE_SIZE + i * Double.BYTES, ratio);
        }
        job.form(Form.RATIOS)
                .set(Field.RATIOS, NativeMemory.addressOf(scratch) + IntegerJob.BYTE_SIZE)
                .set(Field.RATIOS_ROW, countA > 1)
                .set(Field.RATIOS_COLUMN, countB > 1);
        return job.target(zeroY.type(), zeroY);
    }

    private DataType gemm(KernelContext context, GemmShape shape, IntegerJob job) {
        Tensor scaleA = context.input(op.scaleA);
        Tensor scaleB = context.input(op.scaleB);
        Tensor c = given(context, op.bias);
        Tensor scaleY = given(context, op.target);
        Tensor zeroY = given(context, op.target + 1);
        DataType type = scaleY == null ? DataType.FLOAT : zeroY == null ? DataType.UINT8 : zeroY.type();
        boolean fits = IntegerOperands.runs(scaleA, DataType.FLOAT, 1)
                && IntegerOperands.runs(scaleB, DataType.FLOAT, shape.n())
                && IntegerOperands.runs(scaleY, DataType.FLOAT, 1)
                && (scaleY == null || NativeQuantize.isBytes(type))
                && (c == null || c.type() == DataType.INT32);
        GemmJob.Addend addend = !fits || c == null
                ? GemmJob.Addend.NONE
                : GemmJob.Addend.of(NativeMemory.addressOf(c), c.shape(), shape.m(), shape.n(), 1);
        if (!fits || addend == null) {
            return null;
        }
        job.form(scaleY == null ? Form.FLOATS : Form.CODES)
                .set(Field.SCALE_A, (double) (alpha * scaleA.floats().get(0)))
                .set(Field.ADDEND, addend.address())
                .set(Field.ADDEND_ROW, addend.row())
                .set(Field.ADDEND_COLUMN, addend.column());
        along(job, scaleB, Field.SCALE_B, Field.SCALE_B_COLUMN);
        if (scaleY == null) {
            return type;
        }
        job.set(Field.TARGET_SCALE, (double) scaleY.floats().get(0));
        return job.target(type, zeroY);
    }

    private void multiply(GemmShape shape, long job, long rows, long panels, Tensor y) {
        long m = shape.m();
        long n = shape.n();
        long k = shape.k();
        long stacks = shape.count();
        boolean small = pool.threads() == 1 || stacks * m * n * k < SMALL_JOB;
        long to = NativeMemory.addressOf(y);
        long size = m * n * y.type().byteSize(1);
        GemmParts parts = GemmParts.of(m, n, small ? 1 : pool.threads(), stacks, set.tiles());
        parts.run(
                small ? null : pool,
                stacks,
                m,
                n,
                (stack, row, endRow, panel, endPanel) -> Native.integer(
                        set.address(),
                        job,
                        rows + shape.startA(stack) / k * IntegerJob.rowBytes(k),
                        panels + shape.startB(stack) / (k * n) * IntegerJob.packedBytes(k, n),
                        to + stack * size,
                        row,
                        endRow,
                        panel,
                        endPanel));
    }
}
