package io.kindling.engine.cpu;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.provider.HostBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Direct buffers and file mappings of the Java library: up to 2 GiB each, given back by the garbage collector. */
final class JavaHostMemory implements HostMemory {
    static final int ALIGNMENT = 64;

    /** Aligning costs up to one alignment step on top of what Java can index. */
    private static final long LARGEST = Integer.MAX_VALUE - ALIGNMENT;

    @Override
    public HostBuffer allocate(long byteSize) {
        if (byteSize > LARGEST) {
            throw new KindlingException(
                    ErrorCode.OUT_OF_MEMORY,
                    "a tensor of " + byteSize + " bytes is over the " + LARGEST
                            + " bytes that one Java buffer holds; the native library has no such limit");
        }
        try {
            ByteBuffer whole = ByteBuffer.allocateDirect((int) byteSize + ALIGNMENT);
            // alignedSlice would cut the end down to a multiple too.
            int lead = (ALIGNMENT - whole.alignmentOffset(0, ALIGNMENT)) % ALIGNMENT;
            return HostBuffer.of(whole.slice(lead, (int) byteSize), 0);
        } catch (OutOfMemoryError fault) {
            throw new KindlingException(
                    ErrorCode.OUT_OF_MEMORY,
                    "no direct memory for a tensor of " + byteSize
                            + " bytes; raise -XX:MaxDirectMemorySize or lower the batch size",
                    fault);
        }
    }

    @Override
    public HostBuffer map(Path file, long offset, long byteSize) throws IOException {
        if (byteSize > Integer.MAX_VALUE) {
            throw new KindlingException(
                    ErrorCode.UNSUPPORTED,
                    file + ": a tensor of " + byteSize + " bytes at offset " + offset
                            + " is over the 2 GiB that Java can map; it needs the native library");
        }
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return HostBuffer.of(channel.map(FileChannel.MapMode.READ_ONLY, offset, byteSize), 0);
        }
    }
}
