package io.kindling.engine.cpu.simd;

import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/** A kernel in C, and the reference kernel for the types and shapes that it does not cover. */
abstract class NativeKernel implements Kernel {
    /** The only way, where C has one. */
    static final String PLAIN = "";

    private final Kernel reference;
    private final String own;
    private volatile String variant;

    NativeKernel(KernelSet set, Kernel reference) {
        this.reference = reference;
        own = "native " + set.level();
        variant = own;
    }

    /** The implementation that the last run took; before the first one that in C. */
    @Override
    public final String variant() {
        return variant;
    }

    @Override
    public final void execute(KernelContext context) {
        String way = compute(context);
        if (way == null) {
            variant = reference.variant();
            reference.execute(context);
        } else {
            variant = own + way;
        }
    }

    /**
     * Runs the node in C.
     *
     * @return what the variant says of the way that was taken: {@link #PLAIN}, or a word with a space before. Null where C does not cover
     *     the inputs; then nothing has been done
     */
    abstract String compute(KernelContext context);

    /** An input that may be absent, then null. */
    static Tensor given(KernelContext context, int input) {
        return input >= 0 && input < context.inputCount() && context.hasInput(input) ? context.input(input) : null;
    }

    @Override
    public final void close() {
        reference.close();
    }
}
