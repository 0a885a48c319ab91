package io.kindling.engine.cpu;

import io.kindling.engine.provider.KernelFactory;

/**
 * What the native library adds to the CPU provider; found through {@link java.util.ServiceLoader}. The provider runs
 * without one.
 */
public interface CpuBackend {
    /** Why the library cannot be used here, or an empty string when it is loaded and passed its self-test. */
    String unavailableReason();

    /** The library and the instruction set it chose, for inspect and logs. */
    String description();

    /** Memory without Java's 2 GiB limit, whose addresses are known. */
    HostMemory memory();

    /**
     * A factory that makes native kernels of an operator and leaves to {@code reference} what it does not cover; {@code reference}
     * itself where there is no native kernel.
     *
     * @param sinceVersion opset version since which the meaning holds, as in the registry
     */
    KernelFactory accelerate(String domain, String opType, int sinceVersion, KernelFactory reference, KernelPool pool);
}
