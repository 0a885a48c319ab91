package io.kindling.engine.provider;

import io.kindling.engine.ir.DataType;

/** An input that is filled anew for every run, in storage that is reused and only grows. */
public final class GrowingTensor implements AutoCloseable {
    private final DeviceAllocator allocator;
    private final DataType type;
    private final Tensor tensor = Tensor.unplaced();
    private DeviceBuffer buffer;

    public GrowingTensor(DeviceAllocator allocator, DataType type) {
        this.allocator = allocator;
        this.type = type;
    }

    /** The tensor in a new shape; earlier contents stay where the storage is large enough. */
    public Tensor shaped(long... shape) {
        long bytes = type.byteSize(Tensor.count(shape));
        if (buffer == null || buffer.byteSize() < bytes) {
            close();
            buffer = allocator.allocate(Math.max(64, bytes + bytes / 2));
        }
        tensor.retarget(type, shape, buffer, 0);
        return tensor;
    }

    @Override
    public void close() {
        if (buffer != null) {
            buffer.close();
            buffer = null;
        }
    }
}
