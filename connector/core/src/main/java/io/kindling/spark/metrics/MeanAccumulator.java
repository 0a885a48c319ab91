package io.kindling.spark.metrics;

import org.apache.spark.util.AccumulatorV2;

/** A mean over all tasks; 0 before anything is added. */
public final class MeanAccumulator extends AccumulatorV2<MeanAccumulator.Part, Double> {
    private static final long serialVersionUID = 1;

    private double amount;
    private double over;

    /** What there was, and that over which the mean is taken. */
    public record Part(double amount, double over) {}

    @Override
    public boolean isZero() {
        return amount == 0 && over == 0;
    }

    @Override
    public MeanAccumulator copy() {
        MeanAccumulator copy = new MeanAccumulator();
        copy.merge(this);
        return copy;
    }

    @Override
    public void reset() {
        amount = 0;
        over = 0;
    }

    @Override
    public void add(Part part) {
        amount += part.amount();
        over += part.over();
    }

    @Override
    public void merge(AccumulatorV2<Part, Double> other) {
        MeanAccumulator that = (MeanAccumulator) other;
        add(new Part(that.amount, that.over));
    }

    @Override
    public Double value() {
        return over == 0 ? 0 : amount / over;
    }
}
