package io.kindling.spark.metrics;

import java.io.Serializable;

/** A mean that tasks add to: the sum of what there was, by the sum of that over which it is taken. */
@FunctionalInterface
public interface MeanCounter extends Serializable {
    /** Neither may be negative; one may be 0 when another call brings it. */
    void add(double amount, double over);

    /** Counts here and there. */
    default MeanCounter and(MeanCounter other) {
        return (amount, over) -> {
            add(amount, over);
            other.add(amount, over);
        };
    }
}
