package io.kindling.spark.metrics;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAccumulator;

/** What all tasks of this process counted together, since it started. */
public final class ProcessCounters {
    private static final Map<Metric, LongAccumulator> NUMBERS = new EnumMap<>(Metric.class);
    private static final Map<Metric, Mean> MEANS = new EnumMap<>(Metric.class);

    private record Mean(DoubleAdder amount, DoubleAdder over) {}

    static {
        for (Metric metric : Metric.values()) {
            switch (metric.kind()) {
                case SUM -> NUMBERS.put(metric, new LongAccumulator(Long::sum, 0));
                case PEAK -> NUMBERS.put(metric, new LongAccumulator(Math::max, 0));
                case MEAN -> MEANS.put(metric, new Mean(new DoubleAdder(), new DoubleAdder()));
            }
        }
    }

    /** Adds to the process's figures, in whatever process it is used. */
    public static final Counters COUNTERS =
            Counters.of(metric -> amount -> NUMBERS.get(metric).accumulate(amount), metric -> (amount, over) -> {
                MEANS.get(metric).amount().add(amount);
                MEANS.get(metric).over().add(over);
            });

    private ProcessCounters() {}

    /** The figure of a metric: a long, a double for means. */
    public static Number value(Metric metric) {
        Mean mean = MEANS.get(metric);
        if (mean == null) {
            return NUMBERS.get(metric).get();
        }
        double over = mean.over().sum();
        return over == 0 ? 0.0 : mean.amount().sum() / over;
    }
}
