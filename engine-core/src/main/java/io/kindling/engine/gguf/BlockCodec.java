package io.kindling.engine.gguf;

import java.nio.ByteBuffer;

/**
 * Rows of a quantised weight in the layout of {@code MatMulNBits}: codes of consecutive elements packed low bits first,
 * and float32 scales and zero points with {@code value = scale * (code - zeroPoint)}. Scales and codes are exact. A zero
 * point is {@code -offset / scale} rounded to float32, which moves a value by no more than {@code 2^-23} of its offset.
 */
final class BlockCodec {
    private final WeightRows rows;
    private final BlockLayout layout;
    private final BlockLayout.Block block = new BlockLayout.Block();

    BlockCodec(WeightRows rows) {
        this.rows = rows;
        layout = BlockLayout.of(rows.type()).orElseThrow();
    }

    int bits() {
        return layout.bits();
    }

    /** Elements that share a scale. */
    int groupSize() {
        return layout.group();
    }

    int groupsPerRow() {
        return rows.columns() / layout.group();
    }

    boolean hasZeroPoints() {
        return layout.hasOffsets();
    }

    int codeBytesPerGroup() {
        return layout.group() * layout.bits() / 8;
    }

    void putCodes(int row, ByteBuffer target) {
        for (int k = 0; k < rows.blocks(); k++) {
            read(row, k);
            for (int g = 0; g < layout.groupsPerBlock(); g++) {
                // Without a step all elements are the offset: code 1, scale offset, zero point 0.
                boolean constant = layout.hasOffsets() && block.scales[g] == 0;
                for (int i = g * layout.group(); i < (g + 1) * layout.group(); i += 8 / layout.bits()) {
                    int first = constant ? 1 : block.codes[i];
                    int second = layout.bits() == 8 ? 0 : constant ? 1 : block.codes[i + 1];
                    target.put((byte) (first | second << 4));
                }
            }
        }
    }

    void putScales(int row, ByteBuffer target) {
        for (int k = 0; k < rows.blocks(); k++) {
            read(row, k);
            for (int g = 0; g < layout.groupsPerBlock(); g++) {
                float scale = block.scales[g];
                if (layout.hasOffsets()) {
                    requireFinite(block.offsets[g], row, k);
                    scale = scale == 0 ? block.offsets[g] : scale;
                }
                requireFinite(scale, row, k);
                target.putFloat(scale);
            }
        }
    }

    void putZeroPoints(int row, ByteBuffer target) {
        for (int k = 0; k < rows.blocks(); k++) {
            read(row, k);
            for (int g = 0; g < layout.groupsPerBlock(); g++) {
                target.putFloat(block.scales[g] == 0 ? 0 : -block.offsets[g] / block.scales[g]);
            }
        }
    }

    private void read(int row, int index) {
        layout.read(rows.bytes(row), rows.offset(row) + index * rows.type().blockBytes(), block);
    }

    private void requireFinite(float value, int row, int index) {
        if (!Float.isFinite(value)) {
            throw rows.file()
                    .invalid(
                            "tensor '" + rows.name(row) + "'",
                            "has a scale or offset that is " + value + " in block " + index + "; the file is damaged");
        }
    }
}
