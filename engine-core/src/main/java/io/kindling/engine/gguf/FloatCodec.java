package io.kindling.engine.gguf;

import io.kindling.engine.ir.Half;
import java.nio.ByteBuffer;

/** Single elements of a weight as float32, for the types that have such a form. */
final class FloatCodec {
    private final WeightRows rows;

    FloatCodec(WeightRows rows) {
        this.rows = rows;
    }

    static boolean isConverted(GgufType type) {
        return type == GgufType.F32 || type == GgufType.F16 || BlockCodec.isBlockQuantised(type);
    }

    void putRow(int row, ByteBuffer target) {
        for (int column = 0; column < rows.columns(); column++) {
            target.putFloat(value(row, column));
        }
    }

    void putHalfRow(int row, ByteBuffer target) {
        for (int column = 0; column < rows.columns(); column++) {
            target.putShort(Half.ofFloat(value(row, column)));
        }
    }

    /** A row of the transpose. */
    void putColumn(int column, ByteBuffer target) {
        for (int row = 0; row < rows.rows(); row++) {
            target.putFloat(value(row, column));
        }
    }

    private float value(int row, int column) {
        ByteBuffer bytes = rows.bytes(row);
        int block = rows.offset(row)
                + column / rows.type().blockElements() * rows.type().blockBytes();
        int within = column % rows.type().blockElements();
        return switch (rows.type()) {
            case F32 -> bytes.getFloat(block);
            case F16 -> Half.toFloat(bytes.getShort(block));
            case Q8_0 -> Half.toFloat(bytes.getShort(block)) * bytes.get(block + 2 + within);
            case Q4_0 -> Half.toFloat(bytes.getShort(block)) * (nibble(bytes, block + 2, within) - 8);
            case Q4_1 ->
                Half.toFloat(bytes.getShort(block)) * nibble(bytes, block + 4, within)
                        + Half.toFloat(bytes.getShort(block + 2));
            default -> throw new IllegalStateException("no float form of " + rows.type());
        };
    }

    private static int nibble(ByteBuffer bytes, int at, int within) {
        return within < 16 ? bytes.get(at + within) & 15 : bytes.get(at + within - 16) >> 4 & 15;
    }
}
