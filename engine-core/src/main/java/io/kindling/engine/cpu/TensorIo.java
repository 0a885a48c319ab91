package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.PackedElements;
import io.kindling.engine.provider.Tensor;
import java.nio.IntBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;

/**
 * Stretches of tensor elements to and from Java arrays, converting between the element type and the type kernels compute
 * in: float for the floating-point types up to 32 bits, double for DOUBLE, long for integers and booleans. Integers are
 * stored by truncation, that is modulo their width; UINT64 travels as its bits.
 */
public final class TensorIo {
    private TensorIo() {}

    /** Reads elements {@code start} to {@code start + count − 1}; integers are converted. */
    static void load(Tensor tensor, int start, float[] target, int offset, int count) {
        switch (tensor.type()) {
            case FLOAT -> tensor.floats().get(start, target, offset, count);
            case FLOAT16 -> {
                ShortBuffer source = tensor.shorts();
                for (int k = 0; k < count; k++) {
                    target[offset + k] = HalfFloat.fromHalf(source.get(start + k));
                }
            }
            case BFLOAT16 -> {
                ShortBuffer source = tensor.shorts();
                for (int k = 0; k < count; k++) {
                    target[offset + k] = HalfFloat.fromBrain(source.get(start + k));
                }
            }
            case DOUBLE -> {
                for (int k = 0; k < count; k++) {
                    target[offset + k] = (float) tensor.doubles().get(start + k);
                }
            }
            case UINT64 -> {
                for (int k = 0; k < count; k++) {
                    target[offset + k] = (float) unsignedToDouble(tensor.longs().get(start + k));
                }
            }
            default -> {
                if (SmallFloats.handles(tensor.type())) {
                    for (int k = 0; k < count; k++) {
                        target[offset + k] = SmallFloats.get(tensor, start + k);
                    }
                } else {
                    for (int k = 0; k < count; k++) {
                        target[offset + k] = getLong(tensor, start + k);
                    }
                }
            }
        }
    }

    /** Writes elements of a floating-point tensor, rounding once. */
    static void store(float[] source, int offset, Tensor tensor, int start, int count) {
        switch (tensor.type()) {
            case FLOAT -> tensor.floats().put(start, source, offset, count);
            case FLOAT16 -> {
                ShortBuffer target = tensor.shorts();
                for (int k = 0; k < count; k++) {
                    target.put(start + k, HalfFloat.toHalf(source[offset + k]));
                }
            }
            case BFLOAT16 -> {
                ShortBuffer target = tensor.shorts();
                for (int k = 0; k < count; k++) {
                    target.put(start + k, HalfFloat.toBrain(source[offset + k]));
                }
            }
            case DOUBLE -> {
                for (int k = 0; k < count; k++) {
                    tensor.doubles().put(start + k, source[offset + k]);
                }
            }
            default ->
                throw new IllegalArgumentException(
                        "floats cannot be stored as " + tensor.type().onnxName());
        }
    }

    static void load(Tensor tensor, int start, double[] target, int offset, int count) {
        if (tensor.type() == DataType.DOUBLE) {
            tensor.doubles().get(start, target, offset, count);
            return;
        }
        for (int k = 0; k < count; k++) {
            target[offset + k] = getDouble(tensor, start + k);
        }
    }

    static void store(double[] source, int offset, Tensor tensor, int start, int count) {
        if (tensor.type() == DataType.DOUBLE) {
            tensor.doubles().put(start, source, offset, count);
            return;
        }
        for (int k = 0; k < count; k++) {
            putDouble(tensor, start + k, source[offset + k]);
        }
    }

    static void load(Tensor tensor, int start, long[] target, int offset, int count) {
        if (tensor.type() == DataType.INT64 || tensor.type() == DataType.UINT64) {
            tensor.longs().get(start, target, offset, count);
            return;
        }
        for (int k = 0; k < count; k++) {
            target[offset + k] = getLong(tensor, start + k);
        }
    }

    static void store(long[] source, int offset, Tensor tensor, int start, int count) {
        switch (tensor.type()) {
            case INT64, UINT64 -> tensor.longs().put(start, source, offset, count);
            case INT32, UINT32 -> {
                IntBuffer target = tensor.ints();
                for (int k = 0; k < count; k++) {
                    target.put(start + k, (int) source[offset + k]);
                }
            }
            default -> {
                for (int k = 0; k < count; k++) {
                    putLong(tensor, start + k, source[offset + k]);
                }
            }
        }
    }

    /** One element of an integer or boolean tensor; UINT64 as its bits. */
    public static long getLong(Tensor tensor, int index) {
        return switch (tensor.type()) {
            case INT64, UINT64 -> tensor.longs().get(index);
            case INT32 -> tensor.ints().get(index);
            case UINT32 -> tensor.ints().get(index) & 0xffffffffL;
            case INT16 -> tensor.shorts().get(index);
            case UINT16 -> tensor.shorts().get(index) & 0xffff;
            case INT8 -> tensor.bytes().get(index);
            case UINT8 -> tensor.bytes().get(index) & 0xff;
            case BOOL -> tensor.bytes().get(index) == 0 ? 0 : 1;
            case UINT4 -> PackedElements.get(tensor.bytes(), index, 4);
            case INT4 -> (byte) (PackedElements.get(tensor.bytes(), index, 4) << 4) >> 4;
            case UINT2 -> PackedElements.get(tensor.bytes(), index, 2);
            case INT2 -> (byte) (PackedElements.get(tensor.bytes(), index, 2) << 6) >> 6;
            default -> throw new IllegalArgumentException(tensor.type().onnxName() + " is no integer type");
        };
    }

    static void putLong(Tensor tensor, int index, long value) {
        switch (tensor.type()) {
            case INT64, UINT64 -> tensor.longs().put(index, value);
            case INT32, UINT32 -> tensor.ints().put(index, (int) value);
            case INT16, UINT16 -> tensor.shorts().put(index, (short) value);
            case INT8, UINT8, BOOL -> tensor.bytes().put(index, (byte) value);
            case INT4, UINT4 -> PackedElements.put(tensor.bytes(), index, (int) value, 4);
            case INT2, UINT2 -> PackedElements.put(tensor.bytes(), index, (int) value, 2);
            default -> throw new IllegalArgumentException(tensor.type().onnxName() + " is no integer type");
        }
    }

    /** One element of any numeric tensor. */
    static float getFloat(Tensor tensor, int index) {
        return switch (tensor.type()) {
            case FLOAT -> tensor.floats().get(index);
            case FLOAT16 -> HalfFloat.fromHalf(tensor.shorts().get(index));
            case BFLOAT16 -> HalfFloat.fromBrain(tensor.shorts().get(index));
            default -> (float) getDouble(tensor, index);
        };
    }

    public static double getDouble(Tensor tensor, int index) {
        return switch (tensor.type()) {
            case DOUBLE -> tensor.doubles().get(index);
            case FLOAT, FLOAT16, BFLOAT16 -> getFloat(tensor, index);
            case UINT64 -> unsignedToDouble(tensor.longs().get(index));
            default -> SmallFloats.handles(tensor.type()) ? SmallFloats.get(tensor, index) : getLong(tensor, index);
        };
    }

    static void putDouble(Tensor tensor, int index, double value) {
        switch (tensor.type()) {
            case DOUBLE -> tensor.doubles().put(index, value);
            case FLOAT -> tensor.floats().put(index, (float) value);
            case FLOAT16 -> tensor.shorts().put(index, HalfFloat.toHalf((float) value));
            case BFLOAT16 -> tensor.shorts().put(index, HalfFloat.toBrain((float) value));
            default ->
                throw new IllegalArgumentException(
                        "floats cannot be stored as " + tensor.type().onnxName());
        }
    }

    /** Stores as {@link #putDouble}, or truncated towards 0 where the tensor holds integers. */
    static void putNumber(Tensor tensor, int index, double value) {
        if (tensor.type().isFloatingPoint()) {
            putDouble(tensor, index, value);
        } else {
            putLong(tensor, index, (long) value);
        }
    }

    /** Makes elements 0, false or the empty string. */
    static void clear(Tensor tensor, int start, int count) {
        if (tensor.type() == DataType.STRING) {
            Arrays.fill(tensor.strings(), start, start + count, "");
            return;
        }
        int bits = tensor.type().bits();
        for (int k = start; bits < 8 && k < start + count; k++) {
            PackedElements.put(tensor.bytes(), k, 0, bits);
        }
        for (int k = start * (bits / 8); k < (start + count) * (bits / 8); k++) {
            tensor.bytes().put(k, (byte) 0);
        }
    }

    static double unsignedToDouble(long bits) {
        // Halving keeps the top bit out of the sign; the low bit is kept sticky so that rounding stays right.
        return bits >= 0 ? bits : (double) (bits >>> 1 | bits & 1) * 2.0;
    }

    /** All elements of an integer tensor, such as a shape or a list of axes. */
    static long[] longs(Tensor tensor) {
        long[] values = new long[Math.toIntExact(tensor.elementCount())];
        load(tensor, 0, values, 0, values.length);
        return values;
    }

    /** All elements of a numeric tensor. */
    static float[] floats(Tensor tensor) {
        float[] values = new float[Math.toIntExact(tensor.elementCount())];
        load(tensor, 0, values, 0, values.length);
        return values;
    }

    /** Copies {@code count} elements of equal type from one dense tensor to another. */
    static void copy(Tensor source, int sourceStart, Tensor target, int targetStart, int count) {
        if (source.type() == DataType.STRING) {
            System.arraycopy(source.strings(), sourceStart, target.strings(), targetStart, count);
            return;
        }
        int bits = source.type().bits();
        if (bits >= 8) {
            int width = bits / 8;
            target.bytes().put(targetStart * width, source.bytes(), sourceStart * width, count * width);
            return;
        }
        for (int k = 0; k < count; k++) {
            PackedElements.put(
                    target.bytes(), targetStart + k, PackedElements.get(source.bytes(), sourceStart + k, bits), bits);
        }
    }

    /** Number of elements, which Java can index. */
    static int count(Tensor tensor) {
        return Math.toIntExact(tensor.elementCount());
    }
}
