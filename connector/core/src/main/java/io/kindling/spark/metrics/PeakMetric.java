package io.kindling.spark.metrics;

import java.util.Arrays;
import java.util.Locale;
import org.apache.spark.sql.connector.metric.CustomMetric;

/** Makes the highest figure of all tasks one, for the SQL tab. Public, with a constructor for Spark, which makes it by its name. */
public final class PeakMetric implements CustomMetric {
    private final String label;

    public PeakMetric() {
        this("");
    }

    public PeakMetric(String label) {
        this.label = label;
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
        return String.format(Locale.US, "%,d", Arrays.stream(taskMetrics).max().orElse(0));
    }
}
