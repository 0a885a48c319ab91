package io.kindling.engine.gguf;

import io.kindling.engine.ir.Half;
import java.nio.ByteBuffer;

/** Rows of a weight as floating-point numbers. */
final class FloatCodec {
    private final WeightRows rows;
    private final BlockLayout.Block block = new BlockLayout.Block();

    FloatCodec(WeightRows rows) {
        this.rows = rows;
    }

    static boolean isFloat(GgufType type) {
        return type == GgufType.F32 || type == GgufType.F16 || type == GgufType.BF16;
    }

    void putRow(int row, ByteBuffer target) {
        for (int column = 0; column < rows.columns(); column++) {
            target.putFloat(value(row, column));
        }
    }

    /** A row as it is in the file, for types that ONNX has too. */
    void putSourceRow(int row, ByteBuffer target) {
        target.put(rows.bytes(row)
                .slice(rows.offset(row), rows.blocks() * rows.type().blockBytes()));
    }

    /** A quantised row rounded to float16. */
    void putHalfRow(int row, ByteBuffer target) {
        BlockLayout layout = BlockLayout.of(rows.type()).orElseThrow();
        for (int k = 0; k < rows.blocks(); k++) {
            layout.read(rows.bytes(row), rows.offset(row) + k * rows.type().blockBytes(), block);
            for (int i = 0; i < rows.type().blockElements(); i++) {
                target.putShort(Half.ofFloat(layout.value(block, i)));
            }
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
        int at = rows.offset(row) + column * rows.type().blockBytes();
        return switch (rows.type()) {
            case F32 -> bytes.getFloat(at);
            case F16 -> Half.toFloat(bytes.getShort(at));
            case BF16 -> Float.intBitsToFloat(bytes.getShort(at) << 16);
            default -> throw new IllegalStateException(rows.type() + " has no single elements");
        };
    }
}
