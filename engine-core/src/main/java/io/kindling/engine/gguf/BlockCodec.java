package io.kindling.engine.gguf;

import io.kindling.engine.ir.Half;
import java.nio.ByteBuffer;

/**
 * Quantised blocks of 32 in the layouts of ggml (Q4_0, Q4_1, Q8_0) turned into those of {@code MatMulNBits}: codes of
 * consecutive elements packed low nibble first, and float32 scales and zero points with
 * {@code value = scale * (code - zeroPoint)}. Q4_0 and Q8_0 keep their values exactly; Q4_1 ({@code d * q + m}) has zero
 * point {@code -m/d}, equal up to float32 rounding.
 */
final class BlockCodec {
    static final int BLOCK = 32;
    private static final int HALF_BLOCK = BLOCK / 2;

    private final WeightRows rows;

    BlockCodec(WeightRows rows) {
        this.rows = rows;
    }

    static boolean isBlockQuantised(GgufType type) {
        return type == GgufType.Q4_0 || type == GgufType.Q4_1 || type == GgufType.Q8_0;
    }

    int bits() {
        return rows.type() == GgufType.Q8_0 ? 8 : 4;
    }

    boolean hasZeroPoints() {
        return rows.type() == GgufType.Q4_1;
    }

    int codeBytesPerBlock() {
        return BLOCK * bits() / 8;
    }

    void putCodes(int row, ByteBuffer target) {
        ByteBuffer bytes = rows.bytes(row);
        int at = rows.offset(row);
        for (int block = 0; block < rows.blocks(); block++, at += rows.type().blockBytes()) {
            switch (rows.type()) {
                case Q8_0 -> {
                    for (int i = 0; i < BLOCK; i++) {
                        target.put((byte) (bytes.get(at + 2 + i) + 128));
                    }
                }
                case Q4_0 -> putNibbles(bytes, at + 2, target);
                default -> {
                    if (Half.toFloat(bytes.getShort(at)) == 0) {
                        putConstant(target);
                    } else {
                        putNibbles(bytes, at + 4, target);
                    }
                }
            }
        }
    }

    /** Without a step all elements are the offset m: code 1, scale m, zero point 0. */
    private static void putConstant(ByteBuffer target) {
        for (int i = 0; i < HALF_BLOCK; i++) {
            target.put((byte) 0x11);
        }
    }

    /** A ggml byte holds elements i and i + 16; a MatMulNBits byte holds 2i and 2i + 1. */
    private static void putNibbles(ByteBuffer bytes, int at, ByteBuffer target) {
        for (int i = 0; i < HALF_BLOCK; i++) {
            int first = 2 * i;
            int shift = first < HALF_BLOCK ? 0 : 4;
            int low = bytes.get(at + first % HALF_BLOCK) >> shift & 15;
            int high = bytes.get(at + first % HALF_BLOCK + 1) >> shift & 15;
            target.put((byte) (low | high << 4));
        }
    }

    void putScales(int row, ByteBuffer target) {
        ByteBuffer bytes = rows.bytes(row);
        int at = rows.offset(row);
        for (int block = 0; block < rows.blocks(); block++, at += rows.type().blockBytes()) {
            float scale = finite(bytes.getShort(at), row, block);
            if (hasZeroPoints()) {
                float offset = finite(bytes.getShort(at + 2), row, block);
                scale = scale == 0 ? offset : scale;
            }
            target.putFloat(scale);
        }
    }

    void putZeroPoints(int row, ByteBuffer target) {
        ByteBuffer bytes = rows.bytes(row);
        int at = rows.offset(row);
        for (int block = 0; block < rows.blocks(); block++, at += rows.type().blockBytes()) {
            float scale = Half.toFloat(bytes.getShort(at));
            target.putFloat(scale == 0 ? 0 : -Half.toFloat(bytes.getShort(at + 2)) / scale);
        }
    }

    private float finite(short bits, int row, int block) {
        float value = Half.toFloat(bits);
        if (!Float.isFinite(value)) {
            throw rows.file()
                    .invalid(
                            "tensor '" + rows.name(row) + "'",
                            "has a scale or offset that is " + value + " in block " + block + "; the file is damaged");
        }
        return value;
    }
}
