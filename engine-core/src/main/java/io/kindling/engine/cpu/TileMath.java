package io.kindling.engine.cpu;

/** The inner loops of matrix products: a few activations against lines of {@value #WIDTH} columns, in ascending order. */
final class TileMath {
    static final int WIDTH = 64;

    private TileMath() {}

    /**
     * {@code sums[to + j] += Σ a[from + i] · tile[i · WIDTH + j]} for i ascending, below {@code step}, and every j.
     *
     * @param step a multiple of 4
     */
    static void accumulate(float[] a, int from, int step, float[] tile, float[] sums, int to) {
        for (int i = 0; i < step; i += 4) {
            float a0 = a[from + i];
            float a1 = a[from + i + 1];
            float a2 = a[from + i + 2];
            float a3 = a[from + i + 3];
            int line = i * WIDTH;
            for (int j = 0; j < WIDTH; j++) {
                sums[to + j] = sums[to + j]
                        + a0 * tile[line + j]
                        + a1 * tile[line + WIDTH + j]
                        + a2 * tile[line + 2 * WIDTH + j]
                        + a3 * tile[line + 3 * WIDTH + j];
            }
        }
    }

    /** The same on integers, modulo 2^32. */
    static void accumulate(int[] a, int from, int step, int[] tile, int[] sums, int to) {
        for (int i = 0; i < step; i += 4) {
            int a0 = a[from + i];
            int a1 = a[from + i + 1];
            int a2 = a[from + i + 2];
            int a3 = a[from + i + 3];
            int line = i * WIDTH;
            for (int j = 0; j < WIDTH; j++) {
                sums[to + j] += a0 * tile[line + j]
                        + a1 * tile[line + WIDTH + j]
                        + a2 * tile[line + 2 * WIDTH + j]
                        + a3 * tile[line + 3 * WIDTH + j];
            }
        }
    }
}
