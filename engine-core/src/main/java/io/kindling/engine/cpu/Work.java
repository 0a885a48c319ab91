package io.kindling.engine.cpu;

import java.util.Arrays;

/**
 * Arrays that one thread lends to the kernel part it runs, kept from call to call so that a steady state allocates
 * nothing. Contents are undefined; a slot is one array, so a part asks for each slot once.
 */
final class Work {
    private static final int SLOTS = 8;
    private static final ThreadLocal<Work> MINE = ThreadLocal.withInitial(Work::new);

    private final float[][] floats = new float[SLOTS][0];
    private final double[][] doubles = new double[SLOTS][0];
    private final float[][][] floatRows = new float[SLOTS][0][];
    private final int[][][] intRows = new int[SLOTS][0][];
    private final int[][] ints = new int[SLOTS][0];
    private final byte[][] bytes = new byte[SLOTS][0];

    private Work() {}

    static Work mine() {
        return MINE.get();
    }

    float[] floats(int slot, int size) {
        if (floats[slot].length < size) {
            floats[slot] = new float[grown(size)];
        }
        return floats[slot];
    }

    double[] doubles(int slot, int size) {
        if (doubles[slot].length < size) {
            doubles[slot] = new double[grown(size)];
        }
        return doubles[slot];
    }

    int[] ints(int slot, int size) {
        if (ints[slot].length < size) {
            ints[slot] = new int[grown(size)];
        }
        return ints[slot];
    }

    byte[] bytes(int slot, int size) {
        if (bytes[slot].length < size) {
            bytes[slot] = new byte[grown(size)];
        }
        return bytes[slot];
    }

    /** At least {@code rows} arrays of at least {@code size} elements each. */
    float[][] floatRows(int slot, int rows, int size) {
        float[][] arrays = floatRows[slot];
        if (arrays.length < rows) {
            arrays = Arrays.copyOf(arrays, grown(rows));
            floatRows[slot] = arrays;
        }
        for (int k = 0; k < rows; k++) {
            if (arrays[k] == null || arrays[k].length < size) {
                arrays[k] = new float[grown(size)];
            }
        }
        return arrays;
    }

    int[][] intRows(int slot, int rows, int size) {
        int[][] arrays = intRows[slot];
        if (arrays.length < rows) {
            arrays = Arrays.copyOf(arrays, grown(rows));
            intRows[slot] = arrays;
        }
        for (int k = 0; k < rows; k++) {
            if (arrays[k] == null || arrays[k].length < size) {
                arrays[k] = new int[grown(size)];
            }
        }
        return arrays;
    }

    private static int grown(int size) {
        return size + (size >> 2);
    }
}
