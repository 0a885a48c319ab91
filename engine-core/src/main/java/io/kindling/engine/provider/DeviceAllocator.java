package io.kindling.engine.provider;

/** Memory of one device. Thread-safe. */
public interface DeviceAllocator {
    /**
     * Memory of at least {@code byteSize} bytes, aligned to 64, contents undefined.
     *
     * @throws io.kindling.engine.error.KindlingException OUT_OF_MEMORY, with the size asked for and what is in use
     */
    DeviceBuffer allocate(long byteSize);

    /** Bytes given out and not yet closed. */
    long bytesInUse();
}
