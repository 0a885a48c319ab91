package io.kindling.engine.ir;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * A constant tensor of a model. Elements are little-endian in row-major order; 4-bit elements are packed two a byte,
 * low nibble first, 2-bit ones four a byte, lowest bits first.
 */
public final class TensorData {
    /** Where the elements are. */
    public sealed interface Content {}

    /** Elements in memory; the buffer is little-endian and its remaining bytes are the elements. */
    public record Inline(ByteBuffer bytes) implements Content {}

    /** Elements in a file that the path guard has accepted: {@code length} bytes from {@code offset}. */
    public record External(Path file, long offset, long length) implements Content {}

    /** Elements of a string tensor. */
    public record Strings(List<String> values) implements Content {}

    private final DataType type;
    private final long[] shape;
    private final Content content;

    public TensorData(DataType type, long[] shape, Content content) {
        this.type = type;
        this.shape = shape.clone();
        this.content = content;
    }

    public static TensorData ofFloats(long[] shape, float... values) {
        ByteBuffer bytes =
                ByteBuffer.allocateDirect(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(values);
        return new TensorData(DataType.FLOAT, shape, new Inline(bytes));
    }

    public static TensorData ofLongs(long[] shape, long... values) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(values.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(values);
        return new TensorData(DataType.INT64, shape, new Inline(bytes));
    }

    public static TensorData ofInts(long[] shape, int... values) {
        ByteBuffer bytes =
                ByteBuffer.allocateDirect(values.length * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asIntBuffer().put(values);
        return new TensorData(DataType.INT32, shape, new Inline(bytes));
    }

    public DataType type() {
        return type;
    }

    public long[] shape() {
        return shape.clone();
    }

    public Content content() {
        return content;
    }

    /** Product of the dimensions. The loader has checked that it does not overflow. */
    public long elementCount() {
        long count = 1;
        for (long dimension : shape) {
            count = Math.multiplyExact(count, dimension);
        }
        return count;
    }

    public long byteSize() {
        return type.byteSize(elementCount());
    }

    /** The elements of an int64 or int32 tensor that lies in memory; empty for all others. */
    public Optional<long[]> integers() {
        if ((type != DataType.INT64 && type != DataType.INT32) || !(content instanceof Inline inline)) {
            return Optional.empty();
        }
        ByteBuffer bytes = inline.bytes().slice().order(ByteOrder.LITTLE_ENDIAN);
        long[] values = new long[Math.toIntExact(elementCount())];
        Arrays.setAll(values, k -> type == DataType.INT64 ? bytes.getLong(8 * k) : bytes.getInt(4 * k));
        return Optional.of(values);
    }

    /** The elements of a float32 tensor that lies in memory; empty for all others. */
    public Optional<float[]> floats() {
        if (type != DataType.FLOAT || !(content instanceof Inline inline)) {
            return Optional.empty();
        }
        float[] values = new float[Math.toIntExact(elementCount())];
        inline.bytes().slice().order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer().get(values);
        return Optional.of(values);
    }

    /** The one element of a tensor that has no other, where it is a number that lies in memory. */
    public OptionalDouble number() {
        if (elementCount() != 1 || !(content instanceof Inline inline)) {
            return OptionalDouble.empty();
        }
        ByteBuffer bytes = inline.bytes().slice().order(ByteOrder.LITTLE_ENDIAN);
        return switch (type) {
            case FLOAT -> OptionalDouble.of(bytes.getFloat(0));
            case DOUBLE -> OptionalDouble.of(bytes.getDouble(0));
            case FLOAT16 -> OptionalDouble.of(Half.toFloat(bytes.getShort(0)));
            case INT64 -> OptionalDouble.of(bytes.getLong(0));
            case INT32 -> OptionalDouble.of(bytes.getInt(0));
            case BOOL -> OptionalDouble.of(bytes.get(0));
            default -> OptionalDouble.empty();
        };
    }

    @Override
    public String toString() {
        return type.onnxName() + Arrays.toString(shape);
    }
}
