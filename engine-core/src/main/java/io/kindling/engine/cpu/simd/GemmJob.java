package io.kindling.engine.cpu.simd;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Writes one product where C can read it: {@code gemm_job} of {@code gemm.h}, 64-bit fields in its order. */
final class GemmJob {
    /** Columns of a panel: {@code PANEL}. */
    static final int PANEL = 16;

    static final int BYTE_SIZE = 14 * Long.BYTES;

    /** Values of k that a tile holds: {@code STEP} of {@code gemm_amx.h}. */
    private static final int TILE_DEPTH = 32;

    /** How B lies, by the codes of {@code gemm_job.packed}. */
    enum Layout {
        /** As its strides say. */
        PLAIN,
        /** In panels of floats, as {@link Native#gemmPack} makes them. */
        FLOATS,
        /** In panels of tiles for rounded operands, likewise. */
        TILES
    }

    private GemmJob() {}

    /** @param struct at least {@link #BYTE_SIZE} bytes */
    static void write(
            ByteBuffer struct,
            long k,
            long n,
            GemmShape.Matrix a,
            GemmShape.Matrix b,
            Layout layout,
            Addend addend,
            float alpha) {
        write(struct, k, n, a, b, layout, addend, alpha, n, false);
    }

    /**
     * @param rowOfC stride from one row of the product to the next
     * @param rounded whether operands may lose what lies below 2^-16 of them, where that is faster
     */
    static void write(
            ByteBuffer struct,
            long k,
            long n,
            GemmShape.Matrix a,
            GemmShape.Matrix b,
            Layout layout,
            Addend addend,
            float alpha,
            long rowOfC,
            boolean rounded) {
        struct.order(ByteOrder.nativeOrder())
                .putLong(0, k)
                .putLong(8, n)
                .putLong(16, a.row())
                .putLong(24, a.column())
                .putLong(32, b.row())
                .putLong(40, b.column())
                .putLong(48, layout.ordinal())
                .putLong(56, addend.address)
                .putLong(64, addend.row)
                .putLong(72, addend.column)
                .putDouble(80, alpha)
                .putDouble(88, addend.beta)
                .putLong(96, rowOfC)
                .putLong(104, rounded ? 1 : 0);
    }

    /**
     * What is added to the product, times {@code beta}.
     *
     * @param address 0 where nothing is added
     * @param row stride in elements from one row to the next, 0 where they repeat; {@code column} alike
     */
    record Addend(long address, long row, long column, float beta) {
        static final Addend NONE = new Addend(0, 0, 0, 0);

        /**
         * @param shape of the addend, which broadcasts to {@code [m, n]}
         * @return null where it does not
         */
        static Addend of(long address, long[] shape, long m, long n, float beta) {
            long columns = shape.length > 0 ? shape[shape.length - 1] : 1;
            long rows = shape.length > 1 ? shape[shape.length - 2] : 1;
            if (shape.length > 2 || columns != n && columns != 1 || rows != m && rows != 1) {
                return null;
            }
            return new Addend(address, rows == 1 ? 0 : columns, columns == 1 ? 0 : 1, beta);
        }
    }

    static long panels(long n) {
        return (n + PANEL - 1) / PANEL;
    }

    /** Bytes of all panels of a matrix {@code [k, n]}. */
    static long packedBytes(Layout layout, long k, long n) {
        long depth = layout == Layout.TILES ? (k + TILE_DEPTH - 1) / TILE_DEPTH * TILE_DEPTH : k;
        return Math.multiplyExact(panels(n) * PANEL * Float.BYTES, depth);
    }
}
