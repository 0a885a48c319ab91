package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;

/**
 * How one product is split into parts for threads: a grid of blocks of C.
 *
 * @param rows rows of a part, but for the last
 * @param panels panels of columns of a part, but for the last
 * @param count parts
 * @param across parts side by side
 */
record GemmParts(long rows, long panels, long count, long across) {
    private static final int PARTS_PER_THREAD = 4;
    private static final int TILED_PARTS_PER_THREAD = 2;

    /** What the blocks of the instruction sets divide. */
    private static final int ROW_UNIT = 24;

    private static final int PANEL_UNIT = 3;
    private static final int SINGLE_ROW_PANEL_UNIT = 4;
    private static final int TILED_ROW_UNIT = 32;
    private static final int TILED_PANEL_UNIT = 2;

    /**
     * @param threads 1 for a single part
     * @param stacks products that are computed at once
     * @param tiled whether the kernel turns A and B into tiles, each part for itself
     */
    static GemmParts of(long m, long n, int threads, long stacks, boolean tiled) {
        long panels = GemmJob.panels(n);
        if (threads == 1) {
            return grid(m, panels, m, panels);
        }
        long wanted = divideUp((long) threads * (tiled ? TILED_PARTS_PER_THREAD : PARTS_PER_THREAD), stacks);
        return tiled ? square(m, panels, wanted) : columns(m, panels, wanted);
    }

    /** Columns are shared out before rows, so that each weight is read by one thread. */
    private static GemmParts columns(long m, long panels, long wanted) {
        long panelsPerPart = perPart(panels, wanted, m == 1 ? SINGLE_ROW_PANEL_UNIT : PANEL_UNIT);
        long rowsPerPart = perPart(m, divideUp(wanted, divideUp(panels, panelsPerPart)), ROW_UNIT);
        return grid(m, panels, rowsPerPart, panelsPerPart);
    }

    /** As many parts as wanted, with the least to turn into tiles: a part does so with its rows of A and its columns of B. */
    private static GemmParts square(long m, long panels, long wanted) {
        GemmParts best = null;
        for (long across = 1; across <= wanted; across++) {
            long panelsPerPart = perPart(panels, across, TILED_PANEL_UNIT);
            long rowsPerPart = perPart(m, divideUp(wanted, divideUp(panels, panelsPerPart)), TILED_ROW_UNIT);
            GemmParts parts = grid(m, panels, rowsPerPart, panelsPerPart);
            long more = best == null ? 1 : Math.min(parts.count, wanted) - Math.min(best.count, wanted);
            if (more > 0 || more == 0 && parts.edges() < best.edges()) {
                best = parts;
            }
        }
        return best;
    }

    /** A block of one of several products: rows {@code row} to {@code endRow − 1}, panels {@code panel} to {@code endPanel − 1}. */
    @FunctionalInterface
    interface Block {
        void run(long stack, long row, long endRow, long panel, long endPanel);
    }

    /** Runs all blocks of {@code stacks} products of the sizes that these parts were made for. */
    void run(KernelPool pool, long stacks, long m, long n, Block block) {
        Ranges.run(pool, Math.toIntExact(stacks * count), 1, (from, to) -> {
            for (int part = from; part < to; part++) {
                long row = row(part % count);
                long panel = panel(part % count);
                block.run(
                        part / count, row, Math.min(m, row + rows), panel, Math.min(GemmJob.panels(n), panel + panels));
            }
        });
    }

    private long edges() {
        return count * (rows + panels * GemmJob.PANEL);
    }

    private static GemmParts grid(long m, long panels, long rowsPerPart, long panelsPerPart) {
        long across = divideUp(panels, panelsPerPart);
        return new GemmParts(rowsPerPart, panelsPerPart, across * divideUp(m, rowsPerPart), across);
    }

    /** First row of a part. */
    private long row(long part) {
        return part / across * rows;
    }

    /** First panel of a part. */
    private long panel(long part) {
        return part % across * panels;
    }

    private static long perPart(long items, long parts, long unit) {
        return divideUp(divideUp(items, parts), unit) * unit;
    }

    private static long divideUp(long value, long divisor) {
        return (value + divisor - 1) / divisor;
    }
}
