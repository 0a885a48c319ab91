package io.kindling.engine.cpu;

/** IEEE 754 binary16 and bfloat16 to and from float, rounding to nearest, ties to even. */
final class HalfFloat {
    private HalfFloat() {}

    static float fromHalf(short bits) {
        int sign = (bits & 0x8000) << 16;
        int exponent = bits >>> 10 & 0x1f;
        int mantissa = bits & 0x3ff;
        if (exponent == 0x1f) {
            return Float.intBitsToFloat(sign | 0x7f800000 | mantissa << 13);
        }
        if (exponent == 0) {
            float magnitude = mantissa * 0x1p-24f;
            return sign == 0 ? magnitude : -magnitude;
        }
        return Float.intBitsToFloat(sign | exponent + 112 << 23 | mantissa << 13);
    }

    static short toHalf(float value) {
        int bits = Float.floatToRawIntBits(value);
        int sign = bits >>> 16 & 0x8000;
        int magnitude = bits & 0x7fffffff;
        if (magnitude >= 0x7f800000) {
            return (short) (sign | (magnitude > 0x7f800000 ? 0x7e00 : 0x7c00));
        }
        if (magnitude >= 0x477ff000) {
            return (short) (sign | 0x7c00);
        }
        if (magnitude < 0x38800000) {
            // Subnormal results are multiples of 2^-24; rint rounds ties to even.
            return (short) (sign | (int) Math.rint((double) Float.intBitsToFloat(magnitude) * 0x1p24));
        }
        int rounded = magnitude + 0xfff + (magnitude >>> 13 & 1);
        return (short) (sign | (rounded >>> 13) - (112 << 10));
    }

    static float fromBrain(short bits) {
        return Float.intBitsToFloat(bits << 16);
    }

    static short toBrain(float value) {
        int bits = Float.floatToRawIntBits(value);
        if ((bits & 0x7fffffff) > 0x7f800000) {
            return (short) (bits >>> 16 | 0x40);
        }
        return (short) (bits + 0x7fff + (bits >>> 16 & 1) >>> 16);
    }
}
