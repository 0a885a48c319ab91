package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.HostMemory;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.provider.DeviceBuffer;
import io.kindling.engine.provider.HostBuffer;
import io.kindling.engine.provider.Tensor;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Memory of the C library, outside {@code -XX:MaxDirectMemorySize} and without a size limit. What is not closed is freed when
 * neither the buffer nor a view of it can be reached.
 */
final class NativeMemory implements HostMemory {
    private static final Cleaner CLEANER = Cleaner.create();

    @Override
    public HostBuffer allocate(long byteSize) {
        long address = Native.allocate(byteSize);
        if (address == 0) {
            throw new KindlingException(
                    ErrorCode.OUT_OF_MEMORY,
                    "the system has no memory for a tensor of " + byteSize + " bytes; lower the batch size");
        }
        return buffer(address, byteSize, () -> Native.free(address));
    }

    @Override
    public HostBuffer map(Path file, long offset, long byteSize) throws IOException {
        if (byteSize <= Integer.MAX_VALUE) {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, offset, byteSize);
                return HostBuffer.of(mapped, Native.directAddress(mapped));
            }
        }
        ByteBuffer path = directCopy(file.toString().getBytes(StandardCharsets.UTF_8));
        long address = Native.map(Native.directAddress(path), offset, byteSize);
        Reference.reachabilityFence(path); // C reads it by its address alone
        if (address == 1) {
            throw new KindlingException(
                    ErrorCode.UNSUPPORTED,
                    file + ": a tensor of " + byteSize
                            + " bytes cannot be mapped on this platform, only ones up to 2 GiB");
        }
        if (address <= 0) {
            throw new IOException(file + ": mmap failed with errno " + -address);
        }
        return buffer(address, byteSize, () -> Native.unmap(address, byteSize));
    }

    private static ByteBuffer directCopy(byte[] text) {
        return ByteBuffer.allocateDirect(text.length + 1).put(text).put((byte) 0);
    }

    private static HostBuffer buffer(long address, long byteSize, Runnable free) {
        AtomicBoolean freed = new AtomicBoolean();
        Runnable once = () -> {
            if (freed.compareAndSet(false, true)) {
                free.run();
            }
        };
        if (byteSize > Integer.MAX_VALUE) {
            HostBuffer large = HostBuffer.ofAddress(address, byteSize, once);
            CLEANER.register(large, once);
            return large;
        }
        ByteBuffer bytes = Native.directBuffer(address, byteSize);
        CLEANER.register(bytes, once);
        return HostBuffer.of(bytes, address, once);
    }

    /** Where a tensor's elements lie; tensors over buffers that Java made are asked through JNI. */
    static long addressOf(Tensor tensor) {
        return addressOf(tensor.buffer()) + tensor.byteOffset();
    }

    static long addressOf(DeviceBuffer buffer) {
        HostBuffer host = (HostBuffer) buffer;
        return host.hasAddress() || host.byteSize() == 0 ? host.address() : Native.directAddress(host.bytes());
    }
}
