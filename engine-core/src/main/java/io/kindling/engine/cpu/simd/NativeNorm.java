package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/**
 * Normalisations over the last axis of float32 tensors, without statistics; the rest is left to the reference.
 */
final class NativeNorm extends NativeKernel {
    private static final int SUM_OUTPUT = 3;

    /** The operators, by where their inputs stand; −1 for inputs that an operator does not have. */
    enum Form {
        /** {@code SimplifiedLayerNormalization}, {@code RMSNormalization}: X, scale. */
        RMS(-1, 1, -1, -1, false, 1e-5f),
        /** {@code com.microsoft::SkipSimplifiedLayerNormalization}: X, skip, scale, bias. */
        SKIP_RMS(1, 2, -1, 3, false, 1e-5f),
        /** {@code LayerNormalization}: X, scale, shift. */
        LAYER(-1, 1, 2, -1, true, 1e-5f),
        /** {@code com.microsoft::SkipLayerNormalization}: X, skip, scale, shift, bias. */
        SKIP_LAYER(1, 2, 3, 4, true, 1e-12f);

        private final int skip;
        private final int scale;
        private final int shift;
        private final int bias;
        private final boolean centred;
        private final float epsilon;

        Form(int skip, int scale, int shift, int bias, boolean centred, float epsilon) {
            this.skip = skip;
            this.scale = scale;
            this.shift = shift;
            this.bias = bias;
            this.centred = centred;
            this.epsilon = epsilon;
        }
    }

    private final KernelSet set;
    private final KernelPool pool;
    private final Form form;
    private final long axis;
    private final float epsilon;

    NativeNorm(KernelSet set, KernelPool pool, Kernel reference, Node node, Form form) {
        super(set, reference);
        this.set = set;
        this.pool = pool;
        this.form = form;
        axis = form.skip >= 0 ? -1 : node.intAttribute("axis", -1);
        epsilon = node.floatAttribute("epsilon", form.epsilon);
    }

    private boolean covers(KernelContext context, Tensor x, Tensor skip, Tensor scale, Tensor shift, Tensor bias) {
        long size = x.dim(-1);
        boolean floats = x.type() == DataType.FLOAT
                && (skip == null || skip.type() == DataType.FLOAT && skip.elementCount() == x.elementCount())
                && isRow(scale, size)
                && (shift == null || isRow(shift, size))
                && (bias == null || isRow(bias, size));
        boolean last = axis == -1 || axis == x.rank() - 1;
        boolean statistics =
                context.outputCount() > 1 && context.hasOutput(1) || context.outputCount() > 2 && context.hasOutput(2);
        return floats && last && !statistics && size > 0;
    }

    private static boolean isRow(Tensor tensor, long size) {
        return tensor.type() == DataType.FLOAT && tensor.rank() == 1 && tensor.elementCount() == size;
    }

    private static Tensor input(KernelContext context, int index) {
        return index >= 0 && index < context.inputCount() && context.hasInput(index) ? context.input(index) : null;
    }

    @Override
    String compute(KernelContext context) {
        Tensor x = context.input(0);
        Tensor skip = input(context, form.skip);
        Tensor scale = input(context, form.scale);
        Tensor shift = input(context, form.shift);
        Tensor bias = input(context, form.bias);
        if (x.rank() == 0 || !covers(context, x, skip, scale, shift, bias)) {
            return null;
        }
        Tensor y = context.output(0, DataType.FLOAT, x.shape());
        Tensor sum = form.skip >= 0 && context.outputCount() > SUM_OUTPUT && context.hasOutput(SUM_OUTPUT)
                ? context.output(SUM_OUTPUT, DataType.FLOAT, x.shape())
                : null;
        int size = Math.toIntExact(x.dim(-1));
        int rows = Math.toIntExact(x.elementCount() / size);
        long from = NativeMemory.addressOf(x);
        long addend = optional(skip);
        long biases = optional(bias);
        long scales = NativeMemory.addressOf(scale);
        long shifts = optional(shift);
        long sums = optional(sum);
        long to = NativeMemory.addressOf(y);
        Ranges.run(rows < NativeMatMulNBits.MANY_ROWS ? null : pool, rows, 1, (first, end) -> {
            if (form.centred) {
                Native.layerNorm(
                        set.address(), from, addend, biases, scales, shifts, sums, to, size, epsilon, first, end);
            } else {
                Native.rmsNorm(set.address(), from, addend, biases, scales, sums, to, size, epsilon, first, end);
            }
        });
        return PLAIN;
    }

    private static long optional(Tensor tensor) {
        return tensor == null ? 0 : NativeMemory.addressOf(tensor);
    }
}
