package io.kindling.spark.convert;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Half;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Elements of rows as elements of tensors: whole numbers are never rounded nor cut, fractions only to fewer digits. */
final class ElementWriter {
    private final String port;
    private final DataType type;

    private ElementWriter(String port, DataType type) {
        this.port = port;
        this.type = type;
    }

    /** @throws KindlingException SHAPE_OR_TYPE when a value is none of the port's type */
    static RowTensor write(String port, DataType type, List<Object> elements, long[] shape) {
        ElementWriter writer = new ElementWriter(port, type);
        if (type == DataType.STRING) {
            return new RowTensor(
                    type,
                    shape,
                    new byte[0],
                    elements.stream().map(writer::text).toArray(String[]::new));
        }
        ByteBuffer bytes =
                ByteBuffer.allocate(elements.size() * type.bits() / 8).order(ByteOrder.LITTLE_ENDIAN);
        elements.forEach(element -> writer.put(bytes, element));
        return new RowTensor(type, shape, bytes.array(), new String[0]);
    }

    private String text(Object value) {
        if (value instanceof String text) {
            return text;
        }
        throw wrong(value, "is no string");
    }

    private void put(ByteBuffer bytes, Object value) {
        switch (type) {
            case BOOL -> {
                if (!(value instanceof Boolean truth)) {
                    throw wrong(value, "is no boolean");
                }
                bytes.put((byte) (truth ? 1 : 0));
            }
            case FLOAT -> bytes.putFloat((float) finite(value, (float) real(value)));
            case DOUBLE -> bytes.putDouble(real(value));
            case FLOAT16 -> {
                short half = Half.ofFloat((float) real(value));
                finite(value, Half.toFloat(half));
                bytes.putShort(half);
            }
            case BFLOAT16 -> {
                short brain = brain((float) real(value));
                finite(value, Float.intBitsToFloat(brain << 16));
                bytes.putShort(brain);
            }
            default -> putInteger(bytes, value);
        }
    }

    private void putInteger(ByteBuffer bytes, Object value) {
        if (!(value instanceof Byte || value instanceof Short || value instanceof Integer || value instanceof Long)) {
            throw wrong(value, "is no whole number; cast the column");
        }
        long number = ((Number) value).longValue();
        boolean unsigned = type.onnxName().startsWith("u");
        int bits = type.bits();
        boolean fits = unsigned
                ? number >= 0 && (bits == 64 || number >>> bits == 0)
                : bits == 64 || number >> bits - 1 == 0 || number >> bits - 1 == -1;
        if (!fits) {
            throw wrong(value, "is out of range");
        }
        switch (bits) {
            case 8 -> bytes.put((byte) number);
            case 16 -> bytes.putShort((short) number);
            case 32 -> bytes.putInt((int) number);
            default -> bytes.putLong(number);
        }
    }

    private double real(Object value) {
        if (value instanceof Number) {
            return ((Number) value).doubleValue();
        }
        throw wrong(value, "is no number");
    }

    private double finite(Object value, double stored) {
        if (Double.isInfinite(stored) && !Double.isInfinite(real(value))) {
            throw wrong(value, "is out of range");
        }
        return stored;
    }

    /** The nearest bfloat16, ties to even. */
    private static short brain(float value) {
        int bits = Float.floatToRawIntBits(value);
        return Float.isNaN(value) ? (short) (bits >>> 16 | 0x40) : (short) (bits + 0x7FFF + (bits >>> 16 & 1) >>> 16);
    }

    private KindlingException wrong(Object value, String problem) {
        return new KindlingException(
                ErrorCode.SHAPE_OR_TYPE,
                "input '" + port + "' of " + type.onnxName() + ": the value '" + value + "' ("
                        + value.getClass().getSimpleName() + ") " + problem);
    }
}
