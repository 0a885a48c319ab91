package io.kindling.engine.ir;

import java.nio.ByteBuffer;

/** Elements of up to 8 bits that follow each other without gaps, lowest bits first; one may lie in two bytes. */
public final class PackedElements {
    private PackedElements() {}

    public static int get(ByteBuffer bytes, int index, int bits) {
        long start = (long) index * bits;
        int at = (int) (start >> 3);
        int shift = (int) start & 7;
        int word = bytes.get(at) & 0xff;
        if (shift + bits > 8) {
            word |= (bytes.get(at + 1) & 0xff) << 8;
        }
        return word >> shift & (1 << bits) - 1;
    }

    /** Bits of {@code value} beyond the width are dropped. */
    public static void put(ByteBuffer bytes, int index, int value, int bits) {
        long start = (long) index * bits;
        int at = (int) (start >> 3);
        int shift = (int) start & 7;
        int mask = (1 << bits) - 1 << shift;
        int shifted = value << shift & mask;
        bytes.put(at, (byte) (bytes.get(at) & ~mask | shifted));
        if (shift + bits > 8) {
            bytes.put(at + 1, (byte) (bytes.get(at + 1) & ~(mask >> 8) | shifted >> 8));
        }
    }
}
