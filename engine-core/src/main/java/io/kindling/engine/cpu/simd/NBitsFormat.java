package io.kindling.engine.cpu.simd;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A packed layout of weights: {@code nbits_format} of {@code matmul_nbits.h}, where C can read it. */
final class NBitsFormat {
    /** Columns of a tile. */
    static final int COLUMNS = 16;

    /** Activations that share a scale. */
    static final int STRETCH = 32;

    /** Rows of quantised activations that lie together. */
    static final int GROUP = 8;

    /** How zero points are stored. */
    enum Zeros {
        /** All are 2^(bits − 1). */
        MIDDLE,
        BYTES,
        FLOATS
    }

    private final int n;
    private final int k;
    private final int step;
    private final String name;
    private final ByteBuffer struct;
    private final long address;

    /** @param step values of k that share a scale in the packed layout: 16 or 32 */
    NBitsFormat(int n, int k, int bits, int step, boolean halfScales, Zeros zeros) {
        this.n = n;
        this.k = k;
        this.step = step;
        name = "nbits" + bits + "-16x" + step + (halfScales ? "-f16" : "-f32") + "-"
                + zeros.name().toLowerCase(java.util.Locale.ROOT);
        struct = ByteBuffer.allocateDirect(6 * Integer.BYTES).order(ByteOrder.nativeOrder());
        struct.putInt(n)
                .putInt(k)
                .putInt(bits)
                .putInt(step)
                .putInt(halfScales ? 1 : 0)
                .putInt(zeros.ordinal());
        address = Native.directAddress(struct);
    }

    long address() {
        return address;
    }

    int step() {
        return step;
    }

    int tiles() {
        return (n + COLUMNS - 1) / COLUMNS;
    }

    /** Stretches of one row of activations. */
    int stretches() {
        return (k + STRETCH - 1) / STRETCH;
    }

    long packedBytes() {
        return tiles() * Native.nbitsTileBytes(address);
    }

    @Override
    public String toString() {
        return name;
    }
}
