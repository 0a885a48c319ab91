package io.kindling.engine.provider;

/** A stretch of one device's memory. Not thread-safe; closing twice is harmless. */
public interface DeviceBuffer extends AutoCloseable {
    long byteSize();

    /**
     * Address on the device. For host memory it is known only while the native library is loaded.
     *
     * @throws IllegalStateException when the address is not known
     */
    long address();

    /** Host memory that Java code can read and write; empty address spaces of other devices answer false. */
    default boolean isHost() {
        return this instanceof HostBuffer;
    }

    @Override
    void close();
}
