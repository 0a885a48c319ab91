package io.kindling.engine.cpu;

import io.kindling.engine.provider.HostBuffer;
import java.io.IOException;
import java.nio.file.Path;

/** Where the CPU provider's memory comes from: plain Java, or the native library, which has no 2 GiB limit. Thread-safe. */
public interface HostMemory {
    /**
     * Memory of exactly {@code byteSize} bytes, aligned to 64; closing the buffer frees it.
     *
     * @throws io.kindling.engine.error.KindlingException OUT_OF_MEMORY
     */
    HostBuffer allocate(long byteSize);

    /**
     * Maps {@code byteSize} bytes of a file from {@code offset}, read-only; writing to them is a fault of the caller.
     *
     * @throws io.kindling.engine.error.KindlingException UNSUPPORTED for sizes this memory cannot map
     */
    HostBuffer map(Path file, long offset, long byteSize) throws IOException;
}
