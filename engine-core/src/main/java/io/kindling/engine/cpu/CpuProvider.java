package io.kindling.engine.cpu;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.provider.DeviceAllocator;
import io.kindling.engine.provider.DeviceStream;
import io.kindling.engine.provider.HostBuffer;
import io.kindling.engine.provider.KernelRegistry;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** The CPU as a device: host memory, one thread pool, Java kernels, and native ones in their place where a backend has them. */
final class CpuProvider implements Provider {
    private static final long KEEP_FREE_BYTES = 512L << 20;

    private final KernelPool pool;
    private final HostMemory memory;
    private final CpuAllocator allocator;
    private final KernelRegistry kernels = new KernelRegistry();
    private final String description;

    /** @param threads kernel threads; 0 takes what the process may use */
    CpuProvider(int threads, Optional<CpuBackend> backend) {
        pool = new KernelPool(threads > 0 ? threads : Runtime.getRuntime().availableProcessors());
        memory = backend.map(CpuBackend::memory).orElseGet(JavaHostMemory::new);
        allocator = new CpuAllocator(memory, KEEP_FREE_BYTES);
        description = "cpu, " + backend.map(CpuBackend::description).orElse("java kernels") + ", " + pool.threads()
                + (pool.threads() == 1 ? " thread" : " threads");
        CpuKernels.register(
                pool,
                (domain, opType, since, reference) -> kernels.register(
                        domain,
                        opType,
                        since,
                        backend.map(native_ -> native_.accelerate(domain, opType, since, reference, pool))
                                .orElse(reference)));
    }

    @Override
    public String name() {
        return "cpu";
    }

    @Override
    public String description() {
        return description;
    }

    @Override
    public KernelRegistry kernels() {
        return kernels;
    }

    @Override
    public DeviceAllocator allocator() {
        return allocator;
    }

    @Override
    public DeviceStream openStream() {
        return new CpuStream(pool);
    }

    /** Inline elements are used where they lie when direct, else copied; elements in files are mapped read-only. */
    @Override
    public Tensor place(TensorData data) {
        if (data.content() instanceof TensorData.Strings strings) {
            return Tensor.ofStrings(data.shape(), strings.values().toArray(String[]::new));
        }
        long expected = data.byteSize();
        if (data.content() instanceof TensorData.External external) {
            if (external.length() < expected) {
                throw new KindlingException(
                        ErrorCode.MODEL_INVALID,
                        external.file() + ": " + data + " needs " + expected + " bytes, the model gives it "
                                + external.length() + " at offset " + external.offset());
            }
            return Tensor.of(data.type(), data.shape(), map(external, expected));
        }
        ByteBuffer bytes = ((TensorData.Inline) data.content()).bytes();
        if (bytes.remaining() < expected) {
            throw new KindlingException(
                    ErrorCode.MODEL_INVALID,
                    "constant " + data + " needs " + expected + " bytes, the model holds " + bytes.remaining());
        }
        return Tensor.of(data.type(), data.shape(), bytes.isDirect() ? directView(bytes) : copied(bytes, expected));
    }

    private HostBuffer map(TensorData.External external, long byteSize) {
        try {
            return byteSize == 0 ? memory.allocate(0) : memory.map(external.file(), external.offset(), byteSize);
        } catch (IOException fault) {
            throw new KindlingException(
                    ErrorCode.IO,
                    external.file() + ": cannot map " + byteSize + " bytes at offset " + external.offset() + ": "
                            + fault.getMessage(),
                    fault);
        }
    }

    private HostBuffer directView(ByteBuffer bytes) {
        // Native kernels need an address, which only the backend's memory knows.
        return memory instanceof JavaHostMemory ? HostBuffer.of(bytes, 0) : copied(bytes, bytes.remaining());
    }

    private HostBuffer copied(ByteBuffer bytes, long byteSize) {
        HostBuffer copy = memory.allocate(byteSize);
        copy.bytes().put(0, bytes, bytes.position(), Math.toIntExact(byteSize));
        return copy;
    }

    @Override
    public void close() {
        pool.close();
        allocator.close();
    }
}
