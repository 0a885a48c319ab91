package io.kindling.engine.gguf;

import static io.kindling.engine.gguf.SmallBlocks.half;

import io.kindling.engine.gguf.BlockLayout.Block;
import java.nio.ByteBuffer;

/** ggml's K-quants: 256 elements in groups of 16 or 32, whose integer scales (and offsets) multiply one or two halves. */
final class SuperBlocks {
    private static final int SIZE = 256;
    private static final int MIDDLE_OF_BYTES = 128;

    private SuperBlocks() {}

    /** 16 bytes of scale and offset nibbles, 64 of codes, scale, scale of offsets. */
    static void readQ2(ByteBuffer bytes, int at, Block target) {
        float scale = half(bytes, at + 80);
        float offsetScale = half(bytes, at + 82);
        for (int g = 0; g < SIZE / 16; g++) {
            target.scales[g] = scale * (bytes.get(at + g) & 15);
            target.offsets[g] = -offsetScale * (bytes.get(at + g) >> 4 & 15);
        }
        for (int i = 0; i < SIZE; i++) {
            target.codes[i] = twoBits(bytes, at + 16, i);
        }
    }

    /** 32 bytes of high bits, 64 of low codes, 12 of scales, scale. */
    static void readQ3(ByteBuffer bytes, int at, Block target) {
        float scale = half(bytes, at + 108);
        int scales = at + 96;
        for (int g = 0; g < SIZE / 16; g++) {
            int low = bytes.get(scales + g % 8) >> g / 8 * 4 & 15;
            int high = bytes.get(scales + 8 + g % 4) >> g / 4 * 2 & 3;
            target.scales[g] = scale * ((low | high << 4) - 32);
        }
        for (int i = 0; i < SIZE; i++) {
            int high = bytes.get(at + i % 32) >> i / 32 & 1;
            // From -4 to 3, about the middle of four bits.
            target.codes[i] = (twoBits(bytes, at + 32, i) | high << 2) - 4 + 8;
        }
    }

    /** Scale, scale of offsets, 12 bytes of both, 128 of nibbles. */
    static void readQ4(ByteBuffer bytes, int at, Block target) {
        readGroupsOf32(bytes, at, target);
        for (int i = 0; i < SIZE; i++) {
            target.codes[i] = halfOf64(bytes, at + 16, i);
        }
    }

    /** As Q4_K, with 32 bytes of fifth bits before the nibbles. */
    static void readQ5(ByteBuffer bytes, int at, Block target) {
        readGroupsOf32(bytes, at, target);
        for (int i = 0; i < SIZE; i++) {
            int high = bytes.get(at + 16 + i % 32) >> i / 32 & 1;
            target.codes[i] = halfOf64(bytes, at + 48, i) | high << 4;
        }
    }

    /** 128 bytes of low nibbles, 64 of high pairs, 16 signed scales, scale; both halves of 128 elements alike. */
    static void readQ6(ByteBuffer bytes, int at, Block target) {
        float scale = half(bytes, at + 208);
        for (int g = 0; g < SIZE / 16; g++) {
            target.scales[g] = scale * bytes.get(at + 192 + g);
        }
        for (int i = 0; i < SIZE; i++) {
            int part = i / 128;
            int quarter = i % 128 / 32;
            int low = bytes.get(at + 64 * part + i % 64) >> quarter / 2 * 4 & 15;
            int high = bytes.get(at + 128 + 32 * part + i % 32) >> quarter * 2 & 3;
            target.codes[i] = (low | high << 4) - 32 + MIDDLE_OF_BYTES;
        }
    }

    /** Codes of two bits: a byte holds elements i, i + 32, i + 64 and i + 96. */
    private static int twoBits(ByteBuffer bytes, int at, int element) {
        return bytes.get(at + element / 128 * 32 + element % 32) >> element % 128 / 32 * 2 & 3;
    }

    /** Codes of four bits: a byte holds elements i and i + 32. */
    private static int halfOf64(ByteBuffer bytes, int at, int element) {
        return bytes.get(at + element / 64 * 32 + element % 32) >> element % 64 / 32 * 4 & 15;
    }

    /**
     * Eight scales and offsets of six bits in twelve bytes: the first four of each in the low bits of bytes 0 to 3 and 4 to 7;
     * of the others the low nibbles in bytes 8 to 11, the rest in what those bytes left free.
     */
    private static void readGroupsOf32(ByteBuffer bytes, int at, Block target) {
        float scale = half(bytes, at);
        float offsetScale = half(bytes, at + 2);
        int packed = at + 4;
        for (int g = 0; g < 4; g++) {
            int scales = bytes.get(packed + g);
            int offsets = bytes.get(packed + 4 + g);
            int rest = bytes.get(packed + 8 + g);
            target.scales[g] = scale * (scales & 63);
            target.offsets[g] = -offsetScale * (offsets & 63);
            target.scales[g + 4] = scale * (rest & 15 | (scales >> 6 & 3) << 4);
            target.offsets[g + 4] = -offsetScale * (rest >> 4 & 15 | (offsets >> 6 & 3) << 4);
        }
    }
}
