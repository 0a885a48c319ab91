package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.PackedElements;
import io.kindling.engine.provider.Tensor;

/**
 * The floating-point types of 8 bits and fewer, by the encodings of the ONNX float8, float6, float4 and float8e8m0 documents: decoded
 * by field, encoded by search over the decoded values, to nearest, ties to the even code.
 */
final class SmallFloats {
    private static final float[][] DECODED = new float[DataType.values().length][];

    static {
        DECODED[DataType.FLOAT8E4M3FN.ordinal()] = table(256, code -> decode(code, 4, 7, false));
        DECODED[DataType.FLOAT8E4M3FNUZ.ordinal()] = table(256, code -> decode(code, 4, 8, true));
        DECODED[DataType.FLOAT8E5M2.ordinal()] = table(256, code -> HalfFloat.fromHalf((short) (code << 8)));
        DECODED[DataType.FLOAT8E5M2FNUZ.ordinal()] = table(256, code -> decode(code, 5, 16, true));
        DECODED[DataType.FLOAT4E2M1.ordinal()] = table(16, code -> decodeFinite(code, 2, 1));
        DECODED[DataType.FLOAT6E2M3.ordinal()] = table(64, code -> decodeFinite(code, 2, 3));
        DECODED[DataType.FLOAT6E3M2.ordinal()] = table(64, code -> decodeFinite(code, 3, 2));
        DECODED[DataType.FLOAT8E8M0.ordinal()] =
                table(256, code -> code == 255 ? Float.NaN : (float) Math.scalb(1.0, code - 127));
    }

    private SmallFloats() {}

    private interface Decoder {
        float decode(int code);
    }

    private static float[] table(int size, Decoder decoder) {
        float[] values = new float[size];
        for (int code = 0; code < size; code++) {
            values[code] = decoder.decode(code);
        }
        return values;
    }

    private static float decode(int code, int exponentBits, int bias, boolean unsignedZero) {
        if (unsignedZero ? code == 0x80 : exponentBits == 4 && (code & 0x7f) == 0x7f) {
            return Float.NaN;
        }
        int mantissaBits = 7 - exponentBits;
        int exponent = (code & 0x7f) >> mantissaBits;
        int mantissa = code & (1 << mantissaBits) - 1;
        double magnitude = exponent == 0
                ? Math.scalb((double) mantissa, 1 - bias - mantissaBits)
                : Math.scalb((double) (mantissa + (1 << mantissaBits)), exponent - bias - mantissaBits);
        return (float) (code >= 128 ? -magnitude : magnitude);
    }

    /** A type in which every code is a number; its bias is half the range of the exponent. */
    private static float decodeFinite(int code, int exponentBits, int mantissaBits) {
        int exponent = code >> mantissaBits & (1 << exponentBits) - 1;
        int mantissa = code & (1 << mantissaBits) - 1;
        int bias = (1 << exponentBits - 1) - 1;
        double magnitude = exponent == 0
                ? Math.scalb((double) mantissa, 1 - bias - mantissaBits)
                : Math.scalb((double) (mantissa + (1 << mantissaBits)), exponent - bias - mantissaBits);
        boolean negative = code >> exponentBits + mantissaBits != 0;
        return (float) (negative ? -magnitude : magnitude);
    }

    static boolean handles(DataType type) {
        return DECODED[type.ordinal()] != null;
    }

    static float get(Tensor tensor, int index) {
        return DECODED[tensor.type().ordinal()][
                PackedElements.get(tensor.bytes(), index, tensor.type().bits())];
    }

    static void put(Tensor tensor, int index, int code) {
        PackedElements.put(tensor.bytes(), index, code, tensor.type().bits());
    }

    /**
     * The code of the nearest value.
     *
     * @param saturate whether values beyond the largest become it, else NaN or infinity as the type has them
     */
    static int encode(DataType type, float value, boolean saturate) {
        return switch (type) {
            case FLOAT8E4M3FN -> encodeSigned(type, value, saturate, 126, 127, 127);
            case FLOAT8E4M3FNUZ -> encodeSigned(type, value, saturate, 127, 128, 128);
            case FLOAT8E5M2 -> encodeSigned(type, value, saturate, 123, 124, 127);
            case FLOAT8E5M2FNUZ -> encodeSigned(type, value, saturate, 127, 128, 128);
            case FLOAT4E2M1 -> encodeSigned(type, value, true, 7, 7, 7);
            case FLOAT6E2M3, FLOAT6E3M2 -> encodeSigned(type, value, true, 31, 31, 31);
            default -> throw new IllegalArgumentException(type.onnxName() + " has no signed small encoding");
        };
    }

    /** @param largest code of the largest finite magnitude; {@code overflow} what lies beyond becomes; {@code nan} code of NaN */
    private static int encodeSigned(DataType type, float value, boolean saturate, int largest, int overflow, int nan) {
        float[] values = DECODED[type.ordinal()];
        boolean unsignedZero = nan == 128;
        int signBit = values.length / 2;
        int sign = Float.floatToRawIntBits(value) < 0 ? signBit : 0;
        if (Float.isNaN(value)) {
            return type == DataType.FLOAT4E2M1 ? 0 : unsignedZero ? nan : sign | nan;
        }
        double magnitude = Math.abs((double) value);
        double top = values[largest];
        // Half a step above the largest value, from where rounding to nearest would leave the type.
        double limit = top + (top - values[largest - 1]) / 2;
        if (magnitude > limit || magnitude == limit && (largest & 1) == 1 || Double.isInfinite(magnitude)) {
            int code = saturate ? largest : overflow;
            return unsignedZero && code == nan ? nan : sign | code;
        }
        int low = 0;
        int high = largest;
        while (low < high) {
            int middle = low + high + 1 >>> 1;
            if (values[middle] <= magnitude) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        if (low < largest) {
            double below = magnitude - values[low];
            double above = values[low + 1] - magnitude;
            if (above < below || above == below && (low & 1) == 1) {
                low++;
            }
        }
        return low == 0 && unsignedZero ? 0 : sign | low;
    }
}
