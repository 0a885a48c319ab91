package io.kindling.engine.provider;

/**
 * One planned node. Made once for a session and shared by all its bindings, so it holds no state of a run: scratch comes
 * from the context.
 */
public interface Kernel extends AutoCloseable {
    /** Runs the node, or enqueues it on the context's stream. */
    void execute(KernelContext context);

    /**
     * The input whose storage output {@code output} shares, for operators that only relabel (Reshape, Identity, …), or −1.
     * Such outputs are made with {@link KernelContext#view}. Asked once, at planning.
     */
    default int aliasOf(int output) {
        return -1;
    }

    /** Which implementation this is, such as {@code java} or {@code native avx512vnni}; shown by inspect and profile, read by tests. */
    default String variant() {
        return "java";
    }

    default CaptureSupport captureSupport(KernelContext context) {
        return CaptureSupport.refused("kernel does not support capture");
    }

    @Override
    default void close() {}
}
