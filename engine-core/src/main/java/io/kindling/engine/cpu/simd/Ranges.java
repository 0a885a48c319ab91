package io.kindling.engine.cpu.simd;

import io.kindling.engine.cpu.KernelPool;

/** Splits a job of equal items into ranges for the pool: a few for each thread, so that a late thread is caught up with. */
final class Ranges {
    private static final int RANGES_PER_THREAD = 4;

    @FunctionalInterface
    interface Body {
        void run(int from, int to);
    }

    private Ranges() {}

    /**
     * @param pool null to run here
     * @param multiple ranges begin at multiples of it
     */
    static void run(KernelPool pool, int items, int multiple, Body body) {
        int ranges = pool == null || pool.threads() == 1 ? 1 : pool.threads() * RANGES_PER_THREAD;
        int units = (items + multiple - 1) / multiple;
        int size = (units + ranges - 1) / ranges * multiple;
        if (size >= items) {
            body.run(0, items);
            return;
        }
        pool.run((items + size - 1) / size, part -> body.run(part * size, Math.min(items, (part + 1) * size)));
    }
}
