package io.kindling.engine.gguf;

import io.kindling.engine.gguf.BlockLayout.Block;
import io.kindling.engine.ir.Half;
import java.nio.ByteBuffer;

/** ggml's blocks of 32 elements: a scale, for some an offset, then packed codes; a byte of nibbles holds elements i and i + 16. */
final class SmallBlocks {
    private static final int SIZE = 32;
    private static final int MIDDLE_OF_BYTES = 128;

    private SmallBlocks() {}

    static void readQ4(ByteBuffer bytes, int at, Block target) {
        target.scales[0] = half(bytes, at);
        for (int i = 0; i < SIZE; i++) {
            target.codes[i] = nibble(bytes, at + 2, i);
        }
    }

    static void readQ4WithOffset(ByteBuffer bytes, int at, Block target) {
        target.scales[0] = half(bytes, at);
        target.offsets[0] = half(bytes, at + 2);
        for (int i = 0; i < SIZE; i++) {
            target.codes[i] = nibble(bytes, at + 4, i);
        }
    }

    static void readQ5(ByteBuffer bytes, int at, Block target) {
        target.scales[0] = half(bytes, at);
        for (int i = 0; i < SIZE; i++) {
            target.codes[i] = fiveBits(bytes, at + 2, i) - 16 + MIDDLE_OF_BYTES;
        }
    }

    static void readQ5WithOffset(ByteBuffer bytes, int at, Block target) {
        target.scales[0] = half(bytes, at);
        target.offsets[0] = half(bytes, at + 2);
        for (int i = 0; i < SIZE; i++) {
            target.codes[i] = fiveBits(bytes, at + 4, i);
        }
    }

    static void readQ8(ByteBuffer bytes, int at, Block target) {
        target.scales[0] = half(bytes, at);
        for (int i = 0; i < SIZE; i++) {
            target.codes[i] = bytes.get(at + 2 + i) + MIDDLE_OF_BYTES;
        }
    }

    /** The fifth bits of all elements come first, as one number. */
    private static int fiveBits(ByteBuffer bytes, int at, int element) {
        return nibble(bytes, at + 4, element) | (bytes.getInt(at) >>> element & 1) << 4;
    }

    static int nibble(ByteBuffer bytes, int at, int element) {
        return bytes.get(at + element % 16) >> element / 16 * 4 & 15;
    }

    static float half(ByteBuffer bytes, int at) {
        return Half.toFloat(bytes.getShort(at));
    }
}
