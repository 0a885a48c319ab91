package io.kindling.spark.metrics;

import java.io.Serializable;

/** Something that tasks count and the driver sums. */
@FunctionalInterface
public interface Counter extends Serializable {
    void add(long amount);
}
