package io.kindling.engine.onnx;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.TensorData;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file of weights being written: tensors one behind the other, large ones on page boundaries so that they can be mapped
 * one by one, small ones on cache lines. Memory stays bounded however large the tensors are.
 */
public final class ExternalDataFile implements Closeable {
    private static final int LINE = 64;
    private static final int PAGE = 4096;
    private static final int PAGE_ALIGNED_BYTES = 1 << 16;
    private static final int BUFFER_BYTES = 1 << 22;

    private final Path file;
    private final FileChannel channel;
    private ByteBuffer buffer = allocate(BUFFER_BYTES);
    private long position;

    private ExternalDataFile(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /** Makes the content of a tensor, row by row in order. */
    @FunctionalInterface
    public interface Rows {
        /** Puts all bytes of a row at the target's position; the target is little-endian. */
        void put(int row, ByteBuffer target);
    }

    /** @throws IOException also when the file exists */
    public static ExternalDataFile create(Path file) throws IOException {
        return new ExternalDataFile(
                file, FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    }

    /**
     * Appends a tensor whose bytes are made in {@code rows} equal pieces.
     *
     * @return the tensor, pointing into this file
     */
    public TensorData append(DataType type, long[] shape, int rows, Rows content) throws IOException {
        TensorData size = new TensorData(type, shape, new TensorData.Inline(allocate(0)));
        long length = size.byteSize();
        long start = align(length);
        if (rows > 0 && length > 0) {
            int rowBytes = Math.toIntExact(length / rows);
            if ((long) rowBytes * rows != length) {
                throw new IllegalArgumentException(length + " bytes do not split into " + rows + " rows");
            }
            ByteBuffer target = buffer(rowBytes);
            for (int row = 0; row < rows; row++) {
                if (target.remaining() < rowBytes) {
                    flush(target);
                }
                int end = target.position() + rowBytes;
                content.put(row, target);
                if (target.position() != end) {
                    throw new IllegalStateException("row " + row + " did not put " + rowBytes + " bytes");
                }
            }
            flush(target);
        }
        return new TensorData(type, shape, new TensorData.External(file, start, length));
    }

    /** Appends a tensor that exists already, in memory or in another file. */
    TensorData append(TensorData tensor) throws IOException {
        long start = align(tensor.byteSize());
        if (tensor.content() instanceof TensorData.Inline inline) {
            ByteBuffer bytes = inline.bytes().duplicate();
            while (bytes.hasRemaining()) {
                position += channel.write(bytes, position);
            }
        } else if (tensor.content() instanceof TensorData.External external) {
            copy(external);
        } else {
            throw new IllegalArgumentException("string tensors have no bytes of their own");
        }
        return new TensorData(tensor.type(), tensor.shape(), new TensorData.External(file, start, tensor.byteSize()));
    }

    private void copy(TensorData.External external) throws IOException {
        try (FileChannel source = FileChannel.open(external.file(), StandardOpenOption.READ)) {
            long done = 0;
            channel.position(position);
            while (done < external.length()) {
                long moved = source.transferTo(external.offset() + done, external.length() - done, channel);
                if (moved <= 0) {
                    throw new IOException(external.file() + " ends before its tensor does");
                }
                done += moved;
            }
            position += done;
        }
    }

    /** Whether a tensor's bytes are in this file. */
    boolean holds(TensorData.External external) {
        return external.file().equals(file);
    }

    boolean isEmpty() {
        return position == 0;
    }

    private long align(long length) {
        int alignment = length >= PAGE_ALIGNED_BYTES ? PAGE : LINE;
        position = (position + alignment - 1) / alignment * alignment;
        return position;
    }

    private ByteBuffer buffer(int rowBytes) {
        if (buffer.capacity() < rowBytes) {
            buffer = allocate(rowBytes);
        }
        return buffer.clear();
    }

    private void flush(ByteBuffer target) throws IOException {
        target.flip();
        while (target.hasRemaining()) {
            position += channel.write(target, position);
        }
        target.clear();
    }

    private static ByteBuffer allocate(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
