package io.kindling.engine.cpu;

/**
 * Walks an output shape and the inputs that broadcast to it in stretches along which every input either advances by one
 * element or stands still.
 */
final class BroadcastLoop {
    /** One stretch: output elements from {@code out}; input i from {@code in[i]}, advancing by {@code strides[i]} (0 or 1). */
    @FunctionalInterface
    interface Body {
        void run(int out, int[] in, int count, int[] strides);
    }

    private final int[] dims;
    private final int[][] strides;
    private final int inputs;
    private final int rank;
    private final int total;

    BroadcastLoop(long[] output, long[]... inputShapes) {
        inputs = inputShapes.length;
        total = Shapes.product(output, 0, output.length);
        int[][] full = new int[inputs][];
        for (int i = 0; i < inputs; i++) {
            full[i] = Shapes.broadcastStrides(inputShapes[i], output);
        }
        int[] merged = new int[output.length + 1];
        int[][] mergedStrides = new int[output.length + 1][inputs];
        int axes = 0;
        for (int axis = output.length - 1; axis >= 0; axis--) {
            if (output[axis] == 1) {
                continue;
            }
            if (axes > 0 && mergeable(full, axis, merged[axes - 1], mergedStrides[axes - 1])) {
                merged[axes - 1] *= (int) output[axis];
                continue;
            }
            merged[axes] = (int) output[axis];
            for (int i = 0; i < inputs; i++) {
                mergedStrides[axes][i] = full[i][axis];
            }
            axes++;
        }
        if (axes == 0) {
            merged[axes++] = 1;
        }
        dims = merged;
        strides = mergedStrides;
        rank = axes;
    }

    /** Whether an axis continues the merged ones inside it for every input. */
    private static boolean mergeable(int[][] full, int axis, int innerSize, int[] innerStrides) {
        for (int i = 0; i < full.length; i++) {
            if (full[i][axis] != innerStrides[i] * innerSize) {
                return false;
            }
        }
        return true;
    }

    void forEach(Body body) {
        if (total == 0) {
            return;
        }
        int count = dims[0];
        int[] position = new int[rank];
        int[] in = new int[inputs];
        for (int out = 0; out < total; out += count) {
            body.run(out, in, count, strides[0]);
            for (int axis = 1; axis < rank; axis++) {
                for (int i = 0; i < inputs; i++) {
                    in[i] += strides[axis][i];
                }
                if (++position[axis] < dims[axis]) {
                    break;
                }
                position[axis] = 0;
                for (int i = 0; i < inputs; i++) {
                    in[i] -= strides[axis][i] * dims[axis];
                }
            }
        }
    }
}
