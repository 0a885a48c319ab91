package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/**
 * {@code SimplifiedLayerNormalization}, {@code RMSNormalization} and {@code com.microsoft::SkipSimplifiedLayerNormalization} over
 * the last axis of float32 tensors, without statistics; the rest is left to the reference.
 */
final class NativeRmsNorm implements Kernel {
    private static final int SUM_OUTPUT = 3;

    private final KernelSet set;
    private final KernelPool pool;
    private final Kernel reference;
    private final boolean skips;
    private final long axis;
    private final float epsilon;

    /** @param skips whether input 1 is added before and input 2 is the scale */
    NativeRmsNorm(KernelSet set, KernelPool pool, Kernel reference, Node node, boolean skips) {
        this.set = set;
        this.pool = pool;
        this.reference = reference;
        this.skips = skips;
        axis = skips ? -1 : node.intAttribute("axis", -1);
        epsilon = node.floatAttribute("epsilon", 1e-5f);
    }

    @Override
    public String variant() {
        return "native " + set.level();
    }

    private boolean covers(KernelContext context, Tensor x, Tensor skip, Tensor scale, Tensor bias) {
        boolean floats = x.type() == DataType.FLOAT
                && scale.type() == DataType.FLOAT
                && (skip == null || skip.type() == DataType.FLOAT && skip.elementCount() == x.elementCount())
                && (bias == null || bias.type() == DataType.FLOAT && bias.elementCount() == x.dim(-1));
        boolean last = axis == -1 || axis == x.rank() - 1;
        boolean statistics =
                context.outputCount() > 1 && context.hasOutput(1) || context.outputCount() > 2 && context.hasOutput(2);
        return floats && last && !statistics && scale.rank() == 1 && scale.elementCount() == x.dim(-1) && x.dim(-1) > 0;
    }

    @Override
    public void execute(KernelContext context) {
        Tensor x = context.input(0);
        Tensor skip = skips ? context.input(1) : null;
        Tensor scale = context.input(skips ? 2 : 1);
        Tensor bias = skips && context.inputCount() > 3 && context.hasInput(3) ? context.input(3) : null;
        if (x.rank() == 0 || !covers(context, x, skip, scale, bias)) {
            reference.execute(context);
            return;
        }
        Tensor y = context.output(0, DataType.FLOAT, x.shape());
        Tensor sum = skips && context.outputCount() > SUM_OUTPUT && context.hasOutput(SUM_OUTPUT)
                ? context.output(SUM_OUTPUT, DataType.FLOAT, x.shape())
                : null;
        int size = Math.toIntExact(x.dim(-1));
        int rows = Math.toIntExact(x.elementCount() / size);
        long from = NativeMemory.addressOf(x);
        long addend = optional(skip);
        long biases = optional(bias);
        long scales = NativeMemory.addressOf(scale);
        long sums = optional(sum);
        long to = NativeMemory.addressOf(y);
        Ranges.run(
                rows < NativeMatMulNBits.MANY_ROWS ? null : pool,
                rows,
                1,
                (first, end) -> Native.rmsNorm(
                        set.address(), from, addend, biases, scales, sums, to, size, epsilon, first, end));
    }

    private static long optional(Tensor tensor) {
        return tensor == null ? 0 : NativeMemory.addressOf(tensor);
    }

    @Override
    public void close() {
        reference.close();
    }
}
