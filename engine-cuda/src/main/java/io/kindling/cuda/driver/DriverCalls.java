package io.kindling.cuda.driver;

/**
 * The calls of the driver API that discovery makes, each named as in the CUDA driver API reference. All return a
 * {@code CUresult}, 0 for success.
 * Public for {@link JCudaCalls}, which lives under another class loader and so, to the JVM, in another package.
 */
public interface DriverCalls {
    int init();

    /** @param version gets 1000 · major + 10 · minor */
    int driverGetVersion(int[] version);

    int deviceGetCount(int[] count);

    /** @param name gets zero-terminated text */
    int deviceGetName(byte[] name, int device);

    int deviceTotalMem(long[] bytes, int device);

    /** @param attribute a {@code CUdevice_attribute} */
    int deviceGetAttribute(int[] value, int attribute, int device);

    /** The name of a result, such as {@code CUDA_ERROR_NO_DEVICE}. */
    String errorName(int result);
}
