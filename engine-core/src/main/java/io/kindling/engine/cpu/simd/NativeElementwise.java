package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/** Elementwise operators on float32 tensors of one shape; broadcasting and other types are left to the reference. */
final class NativeElementwise implements Kernel {
    /** In the order of {@code elementwise.h}. */
    enum Op {
        ADD(2),
        SUB(2),
        MUL(2),
        DIV(2),
        SIGMOID(1),
        SILU(1);

        private final int operands;

        Op(int operands) {
            this.operands = operands;
        }
    }

    /** Below so many elements a job is done by its caller. */
    private static final int SMALL_JOB = 1 << 15;

    private static final int UNIT = 1024;

    private final KernelSet set;
    private final KernelPool pool;
    private final Op op;
    private final Kernel reference;

    NativeElementwise(KernelSet set, KernelPool pool, Op op, Kernel reference) {
        this.set = set;
        this.pool = pool;
        this.op = op;
        this.reference = reference;
    }

    @Override
    public String variant() {
        return "native " + set.level();
    }

    @Override
    public void execute(KernelContext context) {
        Tensor a = context.input(0);
        Tensor b = op.operands == 2 ? context.input(1) : null;
        if (a.type() != DataType.FLOAT
                || b != null && (b.type() != DataType.FLOAT || !Arrays.equals(a.shape(), b.shape()))
                || a.elementCount() > Integer.MAX_VALUE) {
            reference.execute(context);
            return;
        }
        Tensor y = context.output(0, DataType.FLOAT, a.shape());
        long first = NativeMemory.addressOf(a);
        long second = b == null ? 0 : NativeMemory.addressOf(b);
        long to = NativeMemory.addressOf(y);
        int count = (int) a.elementCount();
        Ranges.run(
                count < SMALL_JOB ? null : pool,
                count,
                UNIT,
                (from, end) -> Native.elementwise(set.address(), op.ordinal(), first, second, to, from, end));
    }

    @Override
    public void close() {
        reference.close();
    }
}
