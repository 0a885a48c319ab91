package io.kindling.spark.metrics;

import java.io.Serializable;

/** Something that tasks count and the driver puts together: the sum of the amounts, or the highest one. */
@FunctionalInterface
public interface Counter extends Serializable {
    void add(long amount);

    /** Counts here and there. */
    default Counter and(Counter other) {
        return amount -> {
            add(amount);
            other.add(amount);
        };
    }
}
