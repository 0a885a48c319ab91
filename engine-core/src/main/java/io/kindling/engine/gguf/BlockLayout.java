package io.kindling.engine.gguf;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * The quantised types that are converted, each with the form of {@code MatMulNBits} that holds its values: codes of
 * {@link #bits} in groups of {@link #group} consecutive elements, {@code value = scale * code + offset}. A type without
 * offsets has codes about a middle of {@code 2^(bits - 1)}. What has no form of its own width goes to the next wider one.
 */
enum BlockLayout {
    Q4_0(GgufType.Q4_0, 4, 32, false, SmallBlocks::readQ4),
    Q4_1(GgufType.Q4_1, 4, 32, true, SmallBlocks::readQ4WithOffset),
    Q5_0(GgufType.Q5_0, 8, 32, false, SmallBlocks::readQ5),
    Q5_1(GgufType.Q5_1, 8, 32, true, SmallBlocks::readQ5WithOffset),
    Q8_0(GgufType.Q8_0, 8, 32, false, SmallBlocks::readQ8),
    Q2_K(GgufType.Q2_K, 4, 16, true, SuperBlocks::readQ2),
    Q3_K(GgufType.Q3_K, 4, 16, false, SuperBlocks::readQ3),
    Q4_K(GgufType.Q4_K, 4, 32, true, SuperBlocks::readQ4),
    Q5_K(GgufType.Q5_K, 8, 32, true, SuperBlocks::readQ5),
    Q6_K(GgufType.Q6_K, 8, 16, false, SuperBlocks::readQ6),
    IQ4_NL(GgufType.IQ4_NL, 8, 32, false, CodebookBlocks::readSmall),
    IQ4_XS(GgufType.IQ4_XS, 8, 32, false, CodebookBlocks::readSuper);

    /** Unpacks a block that starts at a byte; offsets are set only by types that have them. */
    interface Reader {
        void read(ByteBuffer bytes, int at, Block target);
    }

    /** What a block holds; only its first elements and groups are set where the type's blocks are smaller. */
    static final class Block {
        final int[] codes = new int[256];
        final float[] scales = new float[16];
        final float[] offsets = new float[16];
    }

    private final GgufType type;
    private final int bits;
    private final int group;
    private final boolean offsets;
    private final Reader reader;

    BlockLayout(GgufType type, int bits, int group, boolean offsets, Reader reader) {
        this.type = type;
        this.bits = bits;
        this.group = group;
        this.offsets = offsets;
        this.reader = reader;
    }

    static Optional<BlockLayout> of(GgufType type) {
        return Arrays.stream(values()).filter(layout -> layout.type == type).findFirst();
    }

    int bits() {
        return bits;
    }

    int group() {
        return group;
    }

    int groupsPerBlock() {
        return type.blockElements() / group;
    }

    boolean hasOffsets() {
        return offsets;
    }

    void read(ByteBuffer bytes, int at, Block target) {
        reader.read(bytes, at, target);
    }

    /** An element of a block that was read. */
    float value(Block block, int element) {
        int g = element / group;
        return offsets
                ? block.scales[g] * block.codes[element] + block.offsets[g]
                : block.scales[g] * (block.codes[element] - (1 << bits - 1));
    }
}
