package io.kindling.spark.metrics;

import java.util.Locale;
import org.apache.spark.sql.connector.metric.CustomMetric;

/**
 * Makes one mean of all tasks' parts, for the SQL tab. Spark takes one number of a task, so both sums of its mean are packed into
 * it, as float32. Public, with a constructor for Spark, which makes it by its name.
 */
public final class MeanMetric implements CustomMetric {
    private final String label;

    public MeanMetric() {
        this("");
    }

    public MeanMetric(String label) {
        this.label = label;
    }

    /** A task's number. Neither sum may be negative. */
    public static long pack(double amount, double over) {
        return (long) Float.floatToIntBits((float) amount) << 32 | Float.floatToIntBits((float) over);
    }

    @Override
    public String name() {
        return label;
    }

    @Override
    public String description() {
        return label;
    }

    @Override
    public String aggregateTaskMetrics(long[] taskMetrics) {
        double amount = 0;
        double over = 0;
        for (long packed : taskMetrics) {
            amount += Float.intBitsToFloat((int) (packed >>> 32));
            over += Float.intBitsToFloat((int) packed);
        }
        return String.format(Locale.US, "%,.1f", over == 0 ? 0 : amount / over);
    }
}
