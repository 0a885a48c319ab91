package io.kindling.engine.provider;

/**
 * How to open a device.
 *
 * @param kernels which kernel set: AUTO takes native where the library loads and passes its self-test
 * @param threads CPU threads for kernels; 0 sizes them from the cgroup
 * @param deviceIndex which device of its kind
 */
public record ProviderOptions(Kernels kernels, int threads, int deviceIndex) {
    /** Kernel sets. */
    public enum Kernels {
        AUTO,
        NATIVE,
        JAVA
    }

    public static ProviderOptions defaults() {
        return new ProviderOptions(Kernels.AUTO, 0, 0);
    }
}
