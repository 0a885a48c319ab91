package io.kindling.engine.provider;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Host memory. Little-endian, direct. Buffers over 2 GiB have an address but no {@link #bytes()} as a whole; they come
 * from the native library, which maps and allocates such sizes.
 */
public final class HostBuffer implements DeviceBuffer {
    private static final Runnable NOTHING = () -> {};

    private final ByteBuffer bytes;
    private final long byteSize;
    private final long address;
    private Runnable release;

    private HostBuffer(ByteBuffer bytes, long byteSize, long address, Runnable release) {
        this.bytes = bytes;
        this.byteSize = byteSize;
        this.address = address;
        this.release = release;
    }

    /** Memory that the garbage collector owns. The remaining bytes of {@code bytes} are taken; {@code address} 0 means unknown. */
    public static HostBuffer of(ByteBuffer bytes, long address) {
        return of(bytes, address, NOTHING);
    }

    /** Memory that {@code release} gives back, once, at close. */
    public static HostBuffer of(ByteBuffer bytes, long address, Runnable release) {
        ByteBuffer view = bytes.slice().order(ByteOrder.LITTLE_ENDIAN);
        return new HostBuffer(view, view.capacity(), address, release);
    }

    /** Memory known by address alone, of any size. */
    public static HostBuffer ofAddress(long address, long byteSize, Runnable release) {
        return new HostBuffer(null, byteSize, address, release);
    }

    @Override
    public long byteSize() {
        return byteSize;
    }

    @Override
    public long address() {
        if (address == 0 && byteSize > 0) {
            throw new IllegalStateException(
                    "the address of this host buffer is not known: no native library is loaded");
        }
        return address;
    }

    public boolean hasAddress() {
        return address != 0;
    }

    /**
     * All bytes, little-endian; position 0, limit = capacity = {@link #byteSize()}. One shared view: use absolute access
     * or duplicate it.
     *
     * @throws IllegalStateException over 2 GiB
     */
    public ByteBuffer bytes() {
        if (bytes == null) {
            throw new IllegalStateException(
                    "a buffer of " + byteSize + " bytes has no single Java view; it needs native kernels");
        }
        return bytes;
    }

    @Override
    public void close() {
        Runnable once = release;
        release = NOTHING;
        once.run();
    }
}
