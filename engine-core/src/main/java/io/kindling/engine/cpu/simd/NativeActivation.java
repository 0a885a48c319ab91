package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/** {@code Clip}, {@code HardSigmoid}, {@code HardSwish}, {@code LeakyRelu} and {@code QuickGelu} of float32; other types are left to the reference. */
final class NativeActivation extends NativeKernel {
    /** Below so many elements a job is done by its caller. */
    private static final int SMALL_JOB = 1 << 15;

    private static final int UNIT = 1024;

    private final KernelSet set;
    private final KernelPool pool;
    private final Activation activation;

    NativeActivation(KernelSet set, KernelPool pool, Activation activation, Kernel reference) {
        super(set, reference);
        this.set = set;
        this.pool = pool;
        this.activation = activation;
    }

    @Override
    String compute(KernelContext context) {
        Tensor x = context.input(0);
        if (x.type() != DataType.FLOAT || !isBound(context, 1) || !isBound(context, 2)) {
            return null;
        }
        float alpha = bound(context, 1, activation.alpha());
        float beta = bound(context, 2, activation.beta());
        long from = NativeMemory.addressOf(x);
        long to = NativeMemory.addressOf(context.output(0, DataType.FLOAT, x.shape()));
        int kind = activation.kind().ordinal();
        Ranges.run(
                x.elementCount() < SMALL_JOB ? null : pool,
                Math.toIntExact(x.elementCount()),
                UNIT,
                (first, end) -> Native.activate(set.address(), kind, alpha, beta, from, to, first, end));
        return PLAIN;
    }

    private static boolean isGiven(KernelContext context, int input) {
        return input < context.inputCount() && context.hasInput(input);
    }

    /** Bounds of Clip are inputs since opset 11; whether this one, if given, is a number. */
    private static boolean isBound(KernelContext context, int input) {
        return !isGiven(context, input)
                || context.input(input).type() == DataType.FLOAT
                        && context.input(input).elementCount() == 1;
    }

    private static float bound(KernelContext context, int input, float absent) {
        return isGiven(context, input) ? context.input(input).floats().get(0) : absent;
    }
}
