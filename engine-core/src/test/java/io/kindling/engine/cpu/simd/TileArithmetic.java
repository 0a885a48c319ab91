package io.kindling.engine.cpu.simd;

/**
 * What tiles of AMX compute: the arithmetic of TDPBF16PS in Intel's Software Developer's Manual over operands split as {@code
 * gemm_amx.h} says.
 */
final class TileArithmetic {
    private static final int STEP = 32;

    private TileArithmetic() {}

    /** A value as the sum of three bfloat16. */
    private static float[] parts(float x) {
        float high = rounded(x);
        float middle = rounded(x - high);
        return new float[] {high, middle, x - high - middle};
    }

    private static float rounded(float x) {
        return Float.intBitsToFloat(Float.floatToRawIntBits(x) + 0x8000 & 0xFFFF0000);
    }

    static float dot(float[] a, int startA, float[] b, int startB, int stepB, int k) {
        return dot(a, startA, b, startB, stepB, k, new int[][] {{2, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 2}, {0, 0}});
    }

    /** Of operands without their low parts. */
    static float roundedDot(float[] a, int startA, float[] b, int startB, int stepB, int k) {
        return dot(a, startA, b, startB, stepB, k, new int[][] {{1, 0}, {0, 0}, {0, 1}});
    }

    private static float dot(float[] a, int startA, float[] b, int startB, int stepB, int k, int[][] products) {
        float sum = 0;
        for (int start = 0; start < k; start += STEP) {
            for (int[] product : products) {
                float even = 0;
                float odd = 0;
                for (int i = start; i < start + STEP / 2; i++) {
                    even = add(even, a, startA, b, startB, stepB, i, k, product);
                    odd = add(odd, a, startA, b, startB, stepB, i + STEP / 2, k, product);
                }
                sum += even + odd;
            }
        }
        return sum;
    }

    private static float add(
            float sum, float[] a, int startA, float[] b, int startB, int stepB, int i, int k, int[] product) {
        return i >= k ? sum : Math.fma(parts(a[startA + i])[product[0]], parts(b[startB + i * stepB])[product[1]], sum);
    }
}
