package io.kindling.engine.cpu;

/**
 * Walks an output shape and the inputs that broadcast to it in stretches along which every input either advances by one
 * element or stands still.
 */
public final class BroadcastLoop {
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

    public BroadcastLoop(long[] output, long[]... inputShapes) {
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

    /**
     * The shape that two shapes broadcast to.
     *
     * @throws io.kindling.engine.error.OperatorException when they do not fit
     */
    public static long[] shape(long[] a, long[] b) {
        return Shapes.broadcast(a, b);
    }

    /** How many axes are left once those are merged that every input walks as one; at least 1. */
    public int rank() {
        return rank;
    }

    /** Size of a merged axis; 0 is the innermost, whose size is the length of a stretch. */
    public int size(int axis) {
        return dims[axis];
    }

    /** Elements from one place to the next along a merged axis of an input, 0 where the input stands still. */
    public int stride(int axis, int input) {
        return strides[axis][input];
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
