package io.kindling.engine.cpu;

/**
 * The inner loops of matrix products: activations against lines of {@value #WIDTH} columns, in ascending order. Lines are arrays of
 * their own because the compiler turns loops over offsets into one array into scalar code.
 */
final class TileMath {
    static final int WIDTH = 64;

    private TileMath() {}

    /**
     * {@code sums[j] += Σ a[from + i] · tile[i][j]} for i ascending, below {@code step}, and every j.
     *
     * @param step a multiple of 4
     */
    static void accumulate(float[] a, int from, int step, float[][] tile, float[] sums) {
        for (int i = 0; i < step; i += 4) {
            fourLines(
                    a[from + i],
                    tile[i],
                    a[from + i + 1],
                    tile[i + 1],
                    a[from + i + 2],
                    tile[i + 2],
                    a[from + i + 3],
                    tile[i + 3],
                    sums,
                    0,
                    WIDTH);
        }
    }

    /** {@code sums[j] += a0 · t0[j] + … + a3 · t3[j]} from {@code first} to {@code end − 1}, added one after the other. */
    static void fourLines(
            float a0,
            float[] t0,
            float a1,
            float[] t1,
            float a2,
            float[] t2,
            float a3,
            float[] t3,
            float[] sums,
            int first,
            int end) {
        for (int j = first; j < end; j++) {
            sums[j] = sums[j] + a0 * t0[j] + a1 * t1[j] + a2 * t2[j] + a3 * t3[j];
        }
    }

    /** {@link #accumulate(float[], int, int, float[][], float[])} on integers, modulo 2^32. */
    static void accumulate(int[] a, int from, int step, int[][] tile, int[] sums) {
        for (int i = 0; i < step; i += 4) {
            fourLines(
                    a[from + i],
                    tile[i],
                    a[from + i + 1],
                    tile[i + 1],
                    a[from + i + 2],
                    tile[i + 2],
                    a[from + i + 3],
                    tile[i + 3],
                    sums);
        }
    }

    private static void fourLines(int a0, int[] t0, int a1, int[] t1, int a2, int[] t2, int a3, int[] t3, int[] sums) {
        for (int j = 0; j < WIDTH; j++) {
            sums[j] += a0 * t0[j] + a1 * t1[j] + a2 * t2[j] + a3 * t3[j];
        }
    }
}
