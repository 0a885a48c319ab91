package io.kindling.engine.gguf;

import static io.kindling.engine.gguf.SmallBlocks.half;
import static io.kindling.engine.gguf.SmallBlocks.nibble;

import io.kindling.engine.gguf.BlockLayout.Block;
import java.nio.ByteBuffer;

/** ggml's IQ4 types: nibbles that name one of sixteen uneven steps, which are integers of eight bits. */
final class CodebookBlocks {
    private static final int[] STEPS = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
    private static final int GROUP = 32;
    private static final int MIDDLE_OF_BYTES = 128;

    private CodebookBlocks() {}

    /** IQ4_NL: a scale and 32 nibbles. */
    static void readSmall(ByteBuffer bytes, int at, Block target) {
        target.scales[0] = half(bytes, at);
        readGroup(bytes, at + 2, target, 0);
    }

    /** IQ4_XS: a scale, high pairs of eight group scales, their low nibbles, 256 nibbles. */
    static void readSuper(ByteBuffer bytes, int at, Block target) {
        float scale = half(bytes, at);
        int high = bytes.getShort(at + 2);
        for (int g = 0; g < 8; g++) {
            int low = bytes.get(at + 4 + g / 2) >> g % 2 * 4 & 15;
            target.scales[g] = scale * ((low | (high >> 2 * g & 3) << 4) - 32);
            readGroup(bytes, at + 8 + g * GROUP / 2, target, g * GROUP);
        }
    }

    private static void readGroup(ByteBuffer bytes, int at, Block target, int first) {
        for (int i = 0; i < GROUP; i++) {
            target.codes[first + i] = STEPS[nibble(bytes, at, i)] + MIDDLE_OF_BYTES;
        }
    }
}
