package io.kindling.spark.metrics;

import org.apache.spark.util.AccumulatorV2;

/** The highest of all amounts; 0 before the first. */
public final class PeakAccumulator extends AccumulatorV2<Long, Long> {
    private static final long serialVersionUID = 1;

    private long peak;

    @Override
    public boolean isZero() {
        return peak == 0;
    }

    @Override
    public PeakAccumulator copy() {
        PeakAccumulator copy = new PeakAccumulator();
        copy.peak = peak;
        return copy;
    }

    @Override
    public void reset() {
        peak = 0;
    }

    @Override
    public void add(Long amount) {
        peak = Math.max(peak, amount);
    }

    @Override
    public void merge(AccumulatorV2<Long, Long> other) {
        add(other.value());
    }

    @Override
    public Long value() {
        return peak;
    }
}
