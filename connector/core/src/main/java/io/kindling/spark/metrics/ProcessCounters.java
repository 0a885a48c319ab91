package io.kindling.spark.metrics;

import java.util.concurrent.atomic.LongAdder;

/** What all tasks of this process counted together. */
public final class ProcessCounters {
    /** Rows that operators have read. */
    public static final LongAdder ROWS = new LongAdder();

    /** Rows whose result is an error. */
    public static final LongAdder FAILED_ROWS = new LongAdder();

    private ProcessCounters() {}
}
