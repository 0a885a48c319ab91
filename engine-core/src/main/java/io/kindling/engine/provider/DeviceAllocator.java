package io.kindling.engine.provider;

/** Memory of one device. Thread-safe. */
public interface DeviceAllocator {
    /**
     * Memory of at least {@code byteSize} bytes, aligned to 64, contents undefined.
     *
     * @throws io.kindling.engine.error.KindlingException OUT_OF_MEMORY, with the size asked for and what is in use
     */
    DeviceBuffer allocate(long byteSize);

    /**
     * The same for memory that stays long and has a size of its own: it takes no more than was asked for, and closing it gives it
     * back to the device at once.
     */
    default DeviceBuffer allocateLasting(long byteSize) {
        return allocate(byteSize);
    }

    /** Bytes given out and not yet closed. */
    long bytesInUse();
}
