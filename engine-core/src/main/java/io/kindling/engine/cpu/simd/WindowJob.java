package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.Window;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Writes one execution of a convolution or a pooling where C can read it: {@code window_job} of {@code window.h}. */
final class WindowJob {
    /** Fields in C's order, 64 bits each. */
    enum Field {
        X,
        W,
        BIAS,
        SUM,
        Y,
        FILTERS,
        CHANNELS,
        GROUPS,
        HEIGHT,
        WIDTH,
        KERNEL_HEIGHT,
        KERNEL_WIDTH,
        STRIDE_Y,
        STRIDE_X,
        DILATION_Y,
        DILATION_X,
        TOP,
        LEFT,
        OUT_HEIGHT,
        OUT_WIDTH,
        ROW_BLOCK,
        PANEL_BLOCK,
        ACTIVATION,
        ALPHA,
        BETA,
        MODE,
        COUNTS_Y,
        COUNTS_X,
        ROUNDED
    }

    /** What becomes of the values in a window, in the order of {@code window.h}. */
    enum Mode {
        SUM,
        MAX,
        MEAN
    }

    /** Room for all fields, in whole cache lines. */
    static final int BYTE_SIZE = (Field.values().length * Long.BYTES + 63) / 64 * 64;

    private static final long LARGEST_COPY = 256 << 20;

    private final ByteBuffer struct;

    /** @param struct at least {@link #BYTE_SIZE} bytes; fields that are not set are 0 */
    WindowJob(ByteBuffer struct) {
        this.struct = struct.order(ByteOrder.nativeOrder());
        for (Field field : Field.values()) {
            set(field, 0);
        }
    }

    WindowJob set(Field field, long value) {
        struct.putLong(field.ordinal() * Long.BYTES, value);
        return this;
    }

    private WindowJob set(Field field, double value) {
        struct.putDouble(field.ordinal() * Long.BYTES, value);
        return this;
    }

    WindowJob activation(Activation activation) {
        return set(Field.ACTIVATION, activation.kind().ordinal())
                .set(Field.ALPHA, (double) activation.alpha())
                .set(Field.BETA, (double) activation.beta());
    }

    /** The sizes; a window over one axis is one over planes of one row. */
    WindowJob window(Window window) {
        return set(Field.HEIGHT, row(window, window.input, 1))
                .set(Field.WIDTH, column(window.input))
                .set(Field.KERNEL_HEIGHT, row(window, window.kernel, 1))
                .set(Field.KERNEL_WIDTH, column(window.kernel))
                .set(Field.STRIDE_Y, row(window, window.strides, 1))
                .set(Field.STRIDE_X, column(window.strides))
                .set(Field.DILATION_Y, row(window, window.dilations, 1))
                .set(Field.DILATION_X, column(window.dilations))
                .set(Field.TOP, row(window, window.before, 0))
                .set(Field.LEFT, column(window.before))
                .set(Field.OUT_HEIGHT, row(window, window.output, 1))
                .set(Field.OUT_WIDTH, column(window.output));
    }

    private static int row(Window window, int[] sizes, int absent) {
        return window.rank == 1 ? absent : sizes[0];
    }

    private static int column(int[] sizes) {
        return sizes[sizes.length - 1];
    }

    /** Whether C can compute with these sizes: one or two axes, nothing negative or empty, offsets of 32 bits. */
    static boolean covers(Window window) {
        if (window.rank > 2) {
            return false;
        }
        long plane = 1;
        boolean sound = true;
        for (int axis = 0; axis < window.rank; axis++) {
            sound &= window.input[axis] > 0
                    && window.output[axis] > 0
                    && window.kernel[axis] > 0
                    && window.strides[axis] > 0
                    && window.dilations[axis] > 0
                    && window.before[axis] >= 0
                    && window.after[axis] >= 0
                    && reach(window, axis) < Integer.MAX_VALUE / 2;
            plane *= window.input[axis];
        }
        return sound && plane < Integer.MAX_VALUE;
    }

    /** What all windows together read of an axis, padding included. */
    private static long reach(Window window, int axis) {
        return (window.output[axis] - 1L) * window.strides[axis]
                + (window.kernel[axis] - 1L) * window.dilations[axis]
                + 1;
    }

    /** Whether a padded copy of a plane is worth its memory: a file may ask for any padding. */
    static boolean canPad(Window window) {
        return paddedBytes(window) <= LARGEST_COPY;
    }

    /** Bytes of the padded copy of a plane, which ends where the windows of a whole vector of places end; in whole cache lines. */
    static long paddedBytes(Window window) {
        int across = window.rank - 1;
        long vectors = GemmJob.panels(window.output[across]) * GemmJob.PANEL;
        long wide = reach(window, across) + (vectors - window.output[across]) * window.strides[across];
        long rows = window.rank == 1 ? 1 : reach(window, 0);
        return (Math.multiplyExact(rows, wide) * Float.BYTES + 63) / 64 * 64;
    }
}
