package io.kindling.spark.runtime;

import java.util.function.LongSupplier;

/** Divides time evenly among those who work at once: what all are given adds up to the time in which anyone worked. Thread-safe. */
final class SharedClock {
    private final LongSupplier nanos;
    private long since;
    private int working;
    /** Seconds that one who worked from the beginning would have. */
    private double given;

    SharedClock(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Begins to work; the result goes to {@link #leave}. */
    synchronized double enter() {
        divide();
        working++;
        return given;
    }

    /** Ends it, with the seconds that were one's own. */
    synchronized double leave(double entered) {
        divide();
        working--;
        return given - entered;
    }

    private void divide() {
        long now = nanos.getAsLong();
        given += working == 0 ? 0 : (now - since) / 1e9 / working;
        since = now;
    }
}
