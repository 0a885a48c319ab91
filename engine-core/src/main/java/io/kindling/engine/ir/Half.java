package io.kindling.engine.ir;

/** IEEE 754 binary16, as {@link DataType#FLOAT16} stores it. */
public final class Half {
    private Half() {}

    /** The value of 16 bits, exactly; infinities and NaN stay such. */
    public static float toFloat(short bits) {
        int sign = (bits & 0x8000) << 16;
        int exponent = bits >> 10 & 31;
        int fraction = bits & 0x3FF;
        if (exponent == 0) {
            float magnitude = fraction * 0x1p-24f;
            return sign == 0 ? magnitude : -magnitude;
        }
        int wide = exponent == 31 ? 255 : exponent + 112;
        return Float.intBitsToFloat(sign | wide << 23 | fraction << 13);
    }

    /** The nearest half, ties to even; what is too large becomes infinite. */
    public static short ofFloat(float value) {
        int bits = Float.floatToRawIntBits(value);
        int sign = bits >>> 16 & 0x8000;
        float magnitude = Math.abs(value);
        if (Float.isNaN(value)) {
            return (short) (sign | 0x7E00);
        }
        if (magnitude >= 65520f) {
            return (short) (sign | 0x7C00);
        }
        if (magnitude < 0x1p-14f) {
            return (short) (sign | (int) Math.rint(magnitude * 0x1p24f));
        }
        int rounded = (bits & 0x7FFF_FFFF) + 0xFFF + (bits >> 13 & 1);
        return (short) (sign | (rounded >> 13) - (112 << 10));
    }
}
