package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;
import io.kindling.engine.cpu.Window;

/**
 * How a job over windows is split for threads, each range of parts with scratch memory of its own.
 *
 * @param count parts
 * @param ranges ranges of parts that are run at once
 * @param rows filters that a part takes, but for the last
 * @param panels panels of places that a part takes, but for the last
 * @param rangeBytes scratch memory of one range
 */
record WindowParts(int count, int ranges, long rows, long panels, long rangeBytes) {
    private static final int RANGES_PER_THREAD = 4;
    private static final int PARTS_PER_THREAD = 2;

    /** Columns stay in the second cache as long as a block of the product can be wide nevertheless. */
    private static final long CACHED_BYTES = 512 << 10;

    private static final long LARGEST_BYTES = 4 << 20;
    private static final long WIDE_PANELS = 12;
    private static final long MOST_PANELS = 64;
    private static final long ROW_UNIT = 32;

    /** A range of parts with its scratch memory. */
    @FunctionalInterface
    interface Body {
        void run(long scratch, long from, long to);
    }

    /**
     * Products with columns.
     *
     * @param images products: for each image and group one
     * @param panelBytes of a panel of columns
     * @param filters of one group
     */
    static WindowParts columns(Window window, long images, long panelBytes, long filters, int threads) {
        long places = 1;
        for (int axis = 0; axis < window.rank; axis++) {
            places *= window.output[axis];
        }
        long all = GemmJob.panels(places);
        long wanted = threads == 1 ? 1 : (long) threads * PARTS_PER_THREAD;
        long cached = Math.min(MOST_PANELS, CACHED_BYTES / panelBytes);
        long wide = Math.max(1, Math.min(WIDE_PANELS, LARGEST_BYTES / panelBytes));
        long share = Math.max(wide, divideUp(all * images, wanted));
        long panels = Math.min(all, Math.min(share, Math.max(cached, wide)));
        long blocks = images * divideUp(all, panels);
        long down = divideUp(wanted, blocks);
        long rows = Math.min(filters, divideUp(divideUp(filters, down), ROW_UNIT) * ROW_UNIT);
        return of(blocks * divideUp(filters, rows), rows, panels, panels * panelBytes, threads);
    }

    /** Windows that slide over planes, one a part. */
    static WindowParts planes(Window window, long planes, int threads) {
        return of(planes, 0, 0, WindowJob.paddedBytes(window), threads);
    }

    private static WindowParts of(long count, long rows, long panels, long rangeBytes, int threads) {
        int parts = Math.toIntExact(count);
        int ranges = threads == 1 ? 1 : Math.min(parts, threads * RANGES_PER_THREAD);
        return new WindowParts(parts, ranges, rows, panels, rangeBytes);
    }

    private static long divideUp(long value, long divisor) {
        return (value + divisor - 1) / divisor;
    }

    /** The same with {@code bytes} more scratch memory for each range. */
    WindowParts withMore(long bytes) {
        return new WindowParts(count, ranges, rows, panels, rangeBytes + bytes);
    }

    long scratchBytes() {
        return Math.multiplyExact(ranges, rangeBytes);
    }

    /** @param scratch address of {@link #scratchBytes} bytes */
    void run(KernelPool pool, long scratch, Body body) {
        long each = divideUp(count, ranges);
        pool.run(
                ranges,
                range -> body.run(
                        scratch + range * rangeBytes,
                        Math.min(count, range * each),
                        Math.min(count, (range + 1) * each)));
    }
}
