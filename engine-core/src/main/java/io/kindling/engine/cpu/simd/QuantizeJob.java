package io.kindling.engine.cpu.simd;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Writes how elements are scaled where C can read it: {@code quantize_job} of {@code quantize.h}, 64-bit fields in its order. */
final class QuantizeJob {
    static final int BYTE_SIZE = 64;

    /** Elements of a line where all have one scale. */
    private static final long LINE = 1024;

    private QuantizeJob() {}

    /**
     * Which elements share a scale.
     *
     * @param line elements of a line
     * @param channels line {@code l} has scale {@code l % channels}
     * @param perElement whether each element of a line has a scale of its own instead
     */
    record Lines(long count, long line, long channels, boolean perElement) {
        /** One scale for all. */
        static Lines of(long count) {
            return new Lines(count, LINE, 1, false);
        }

        /** One scale a slice of an axis. */
        static Lines along(long[] shape, int axis, long count) {
            long inner = 1;
            for (int next = axis + 1; next < shape.length; next++) {
                inner *= shape[next];
            }
            return inner == 1 ? new Lines(count, shape[axis], 1, true) : new Lines(count, inner, shape[axis], false);
        }

        long lines() {
            return (count + line - 1) / line;
        }
    }

    /**
     * @param struct at least {@link #BYTE_SIZE} bytes
     * @param zeros address of bytes of the quantised type; 0: there are none
     */
    static void write(ByteBuffer struct, Lines lines, long scales, long zeros, boolean signed) {
        struct.order(ByteOrder.nativeOrder())
                .putLong(0, lines.count)
                .putLong(8, lines.line)
                .putLong(16, lines.channels)
                .putLong(24, lines.perElement ? 1 : 0)
                .putLong(32, scales)
                .putLong(40, zeros)
                .putLong(48, signed ? 1 : 0);
    }
}
