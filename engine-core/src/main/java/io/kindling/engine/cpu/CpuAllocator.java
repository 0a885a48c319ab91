package io.kindling.engine.cpu;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.provider.DeviceAllocator;
import io.kindling.engine.provider.DeviceBuffer;
import io.kindling.engine.provider.HostBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Host memory by size classes, four to each power of two; what is closed is kept for the next request of its class, up to a
 * cap, so that a steady state asks the system for nothing.
 */
final class CpuAllocator implements DeviceAllocator, AutoCloseable {
    private static final long SMALLEST = 256;

    private final HostMemory memory;
    private final long keepAtMost;
    private final Map<Long, ArrayDeque<HostBuffer>> free = new HashMap<>();
    private long kept;
    private long inUse;
    private boolean closed;

    /** @param keepAtMost bytes of closed buffers to keep */
    CpuAllocator(HostMemory memory, long keepAtMost) {
        this.memory = memory;
        this.keepAtMost = keepAtMost;
    }

    /** The smallest class that holds {@code byteSize}: a power of two or one of the three quarter steps above it. */
    static long sizeClass(long byteSize) {
        if (byteSize <= SMALLEST) {
            return SMALLEST;
        }
        long power = Long.highestOneBit(byteSize - 1);
        long step = power / 4;
        return power + (byteSize - power + step - 1) / step * step;
    }

    @Override
    public DeviceBuffer allocate(long byteSize) {
        if (byteSize < 0) {
            throw new IllegalArgumentException("negative size " + byteSize);
        }
        long size = sizeClass(byteSize);
        HostBuffer storage = takeFree(size);
        if (storage == null) {
            storage = allocateStorage(byteSize, size);
        }
        HostBuffer owned = storage;
        return lend(storage, () -> giveBack(size, owned));
    }

    @Override
    public DeviceBuffer allocateLasting(long byteSize) {
        if (byteSize < 0) {
            throw new IllegalArgumentException("negative size " + byteSize);
        }
        synchronized (this) {
            inUse += byteSize;
        }
        HostBuffer storage = allocateStorage(byteSize, byteSize);
        return lend(storage, () -> {
            synchronized (this) {
                inUse -= byteSize;
            }
            storage.close();
        });
    }

    private static HostBuffer lend(HostBuffer storage, Runnable release) {
        return storage.byteSize() <= Integer.MAX_VALUE
                ? HostBuffer.of(storage.bytes(), storage.hasAddress() ? storage.address() : 0, release)
                : HostBuffer.ofAddress(storage.address(), storage.byteSize(), release);
    }

    private HostBuffer allocateStorage(long byteSize, long size) {
        try {
            // Near the Java limit the class may not fit although the request does.
            return memory.allocate(size > Integer.MAX_VALUE / 2 ? byteSize : size);
        } catch (KindlingException fault) {
            synchronized (this) {
                inUse -= size;
            }
            throw new KindlingException(
                    ErrorCode.OUT_OF_MEMORY, fault.getMessage() + "; " + bytesInUse() + " bytes are in use", fault);
        }
    }

    private synchronized HostBuffer takeFree(long size) {
        inUse += size;
        ArrayDeque<HostBuffer> stack = free.get(size);
        HostBuffer storage = stack == null ? null : stack.pollLast();
        if (storage != null) {
            kept -= size;
        }
        return storage;
    }

    private void giveBack(long size, HostBuffer storage) {
        synchronized (this) {
            inUse -= size;
            // Classes beyond half the Java limit were allocated to measure and fit nobody else.
            if (!closed && size <= Integer.MAX_VALUE / 2 && kept + size <= keepAtMost) {
                kept += size;
                free.computeIfAbsent(size, k -> new ArrayDeque<>()).addLast(storage);
                return;
            }
        }
        storage.close();
    }

    @Override
    public synchronized long bytesInUse() {
        return inUse;
    }

    /** Frees what is kept; buffers still out are freed when they are closed. */
    @Override
    public synchronized void close() {
        closed = true;
        kept = 0;
        free.values().forEach(stack -> stack.forEach(HostBuffer::close));
        free.clear();
    }
}
