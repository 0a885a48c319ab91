package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.BroadcastLoop;
import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.HostBuffer;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * Elementwise operators on float32 tensors, broadcast where they have two operands; other types are left to the reference. An
 * operator of one operand may have a bias, which is added first.
 */
final class NativeElementwise extends NativeKernel {
    /** In the order of {@code elementwise.h}. */
    enum Op {
        ADD(2),
        SUB(2),
        MUL(2),
        DIV(2),
        SIGMOID(1),
        SILU(1),
        RELU(1),
        TANH(1),
        ERF(1),
        GELU(1),
        GELU_TANH(1);

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

    NativeElementwise(KernelSet set, KernelPool pool, Op op, Kernel reference) {
        super(set, reference);
        this.set = set;
        this.pool = pool;
        this.op = op;
    }

    @Override
    String compute(KernelContext context) {
        Tensor a = context.input(0);
        Tensor b = context.inputCount() > 1 && context.hasInput(1) ? context.input(1) : null;
        if (a.type() != DataType.FLOAT || b != null && b.type() != DataType.FLOAT) {
            return null;
        }
        if (b != null) {
            return two(context, a, b) ? PLAIN : null;
        }
        Tensor y = context.output(0, DataType.FLOAT, a.shape());
        apply(op, NativeMemory.addressOf(a), 0, NativeMemory.addressOf(y), a.elementCount());
        return PLAIN;
    }

    /** False where the operands meet in a way that C does not cover. */
    private boolean two(KernelContext context, Tensor a, Tensor b) {
        Op first = op.operands == 2 ? op : Op.ADD;
        Tensor y;
        if (Arrays.equals(a.shape(), b.shape())) {
            y = context.output(0, DataType.FLOAT, a.shape());
            apply(
                    first,
                    NativeMemory.addressOf(a),
                    NativeMemory.addressOf(b),
                    NativeMemory.addressOf(y),
                    a.elementCount());
        } else {
            long[] shape = BroadcastLoop.shape(a.shape(), b.shape());
            BroadcastLoop walk = new BroadcastLoop(shape, a.shape(), b.shape());
            if (!BroadcastJob.covers(walk)) {
                return false;
            }
            y = context.output(0, DataType.FLOAT, shape);
            broadcast(context, first, walk, a, b, y);
        }
        if (first != op) {
            long to = NativeMemory.addressOf(y);
            apply(op, to, 0, to, y.elementCount());
        }
        return true;
    }

    private void apply(Op what, long a, long b, long y, long count) {
        Ranges.run(
                count < SMALL_JOB ? null : pool,
                Math.toIntExact(count),
                UNIT,
                (from, end) -> Native.elementwise(set.address(), what.ordinal(), a, b, y, from, end));
    }

    private void broadcast(KernelContext context, Op what, BroadcastLoop walk, Tensor a, Tensor b, Tensor y) {
        HostBuffer job = (HostBuffer) context.scratch(0, BroadcastJob.BYTE_SIZE);
        BroadcastJob.write(job.bytes(), walk);
        long first = NativeMemory.addressOf(a);
        long second = NativeMemory.addressOf(b);
        long to = NativeMemory.addressOf(y);
        long address = NativeMemory.addressOf(job);
        int stretches = Math.toIntExact(y.elementCount() / walk.size(0));
        Ranges.run(
                y.elementCount() < SMALL_JOB ? null : pool,
                stretches,
                1,
                (from, end) -> Native.broadcast(set.address(), what.ordinal(), address, first, second, to, from, end));
    }
}
