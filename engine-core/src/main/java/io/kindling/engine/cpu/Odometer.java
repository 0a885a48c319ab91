package io.kindling.engine.cpu;

/** The coordinates of successive elements of a shape, in row-major order. */
final class Odometer {
    private final long[] shape;
    private final int[] position;

    Odometer(long[] shape) {
        this.shape = shape;
        position = new int[shape.length];
    }

    int at(int axis) {
        return position[axis];
    }

    /** The element offset of the present coordinates under these strides. */
    int offset(int[] strides) {
        int offset = 0;
        for (int k = 0; k < position.length; k++) {
            offset += position[k] * strides[k];
        }
        return offset;
    }

    void next() {
        for (int k = position.length - 1; k >= 0; k--) {
            if (++position[k] < shape[k]) {
                return;
            }
            position[k] = 0;
        }
    }
}
