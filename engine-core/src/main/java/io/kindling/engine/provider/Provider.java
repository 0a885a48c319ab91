package io.kindling.engine.provider;

import io.kindling.engine.ir.TensorData;

/** A device that runs kernels. Thread-safe; one instance serves many sessions. */
public interface Provider extends AutoCloseable {
    /** {@code cpu} or {@code cuda}. */
    String name();

    /** The device and the kernel set in words, for inspect and logs. */
    String description();

    KernelRegistry kernels();

    DeviceAllocator allocator();

    DeviceStream openStream();

    /** Puts a constant on the device: mapped or copied, as suits it. */
    Tensor place(TensorData data);

    @Override
    void close();
}
