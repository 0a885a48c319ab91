package io.kindling.engine.random;

/**
 * The counter-based generator Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3"
 * (SC 2011). A draw depends on its key and counter alone, so it is the same wherever and whenever it is made.
 */
public final class Philox {
    private static final int ROUNDS = 10;
    private static final long MULTIPLIER_0 = 0xD2511F53L;
    private static final long MULTIPLIER_1 = 0xCD9E8D57L;
    private static final int WEYL_0 = 0x9E3779B9;
    private static final int WEYL_1 = 0xBB67AE85;
    private static final long LOW = 0xFFFFFFFFL;

    private Philox() {}

    /** Replaces the four words of the counter by four random words. */
    static void block(int[] counter, int key0, int key1) {
        int k0 = key0;
        int k1 = key1;
        for (int round = 0; round < ROUNDS; round++) {
            long product0 = MULTIPLIER_0 * (counter[0] & LOW);
            long product1 = MULTIPLIER_1 * (counter[2] & LOW);
            int c1 = counter[1];
            int c3 = counter[3];
            counter[0] = (int) (product1 >>> 32) ^ c1 ^ k0;
            counter[1] = (int) product1;
            counter[2] = (int) (product0 >>> 32) ^ c3 ^ k1;
            counter[3] = (int) product0;
            k0 += WEYL_0;
            k1 += WEYL_1;
        }
    }

    /**
     * A number in [0, 1) with 53 random bits.
     *
     * @param seed the key
     * @param row the counter's upper half
     * @param step the counter's lower half
     */
    public static double uniform(long seed, long row, long step) {
        int[] words = {(int) step, (int) (step >>> 32), (int) row, (int) (row >>> 32)};
        block(words, (int) seed, (int) (seed >>> 32));
        return ((words[0] >>> 5) * (double) (1 << 26) + (words[1] >>> 6)) * 0x1.0p-53;
    }
}
