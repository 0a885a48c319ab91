package io.kindling.engine.cpu;

import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * Products of float rows with weights that come tile by tile, such as dequantised ones; float32 sums over the inputs in ascending order.
 * A part takes the float row slots 0 and 1 of its thread's {@link Work}.
 */
final class TiledProduct {
    private static final int TILE = TileMath.WIDTH;
    private static final int STEP = 32;

    /** Where weights come from. */
    @FunctionalInterface
    interface Source {
        /** Sets {@code tile[i][j]} to the weight of input {@code start + i} for output {@code column + j}, i below step, j below width. */
        void fill(int start, int step, int column, int width, float[][] tile);
    }

    /** Where sums go: those of outputs {@code column} and following of one row. */
    @FunctionalInterface
    interface Sink {
        void put(int row, int column, float[] sums, int width);
    }

    private TiledProduct() {}

    /** Elements from one row to the next: rows are padded so that tiles need no tail. */
    static int stride(int inputs) {
        return (inputs + STEP - 1) / STEP * STEP;
    }

    /** Reads row {@code from} of a tensor of rows into padded row {@code to}. */
    static void load(Tensor tensor, int from, int inputs, float[] rows, int to) {
        int at = to * stride(inputs);
        TensorIo.load(tensor, from * inputs, rows, at, inputs);
        Arrays.fill(rows, at + inputs, at + stride(inputs), 0);
    }

    /** Sums of {@code count} padded rows of {@code inputs} elements with {@code outputs} weight columns. */
    static void run(KernelPool pool, float[] rows, int count, int inputs, int outputs, Source source, Sink sink) {
        pool.run((outputs + TILE - 1) / TILE, part -> {
            int column = part * TILE;
            int width = Math.min(TILE, outputs - column);
            float[][] tile = Work.mine().floatRows(0, STEP, TILE);
            float[][] sums = Work.mine().floatRows(1, count, TILE);
            for (int row = 0; row < count; row++) {
                Arrays.fill(sums[row], 0, TILE, 0);
            }
            for (int i = 0; i < STEP; i++) {
                Arrays.fill(tile[i], 0, TILE, 0);
            }
            for (int start = 0; start < inputs; start += STEP) {
                source.fill(start, Math.min(STEP, inputs - start), column, width, tile);
                for (int row = 0; row < count; row++) {
                    TileMath.accumulate(rows, row * stride(inputs) + start, STEP, tile, sums[row]);
                }
            }
            for (int row = 0; row < count; row++) {
                sink.put(row, column, sums[row], width);
            }
        });
    }
}
