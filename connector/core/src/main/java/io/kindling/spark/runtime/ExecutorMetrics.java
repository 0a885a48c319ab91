package io.kindling.spark.runtime;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.kindling.spark.metrics.Metric;
import io.kindling.spark.metrics.ProcessCounters;
import java.util.Map;
import java.util.TreeMap;

/** What tasks of this process did since it started, for Spark's metrics system. */
public final class ExecutorMetrics {
    private ExecutorMetrics() {}

    /** Adds the gauges, by the names that the SQL tab has too. */
    public static void register(MetricRegistry registry) {
        gauges().forEach(registry::register);
    }

    static Map<String, Gauge<Number>> gauges() {
        Map<String, Gauge<Number>> gauges = new TreeMap<>();
        for (Metric metric : Metric.values()) {
            gauges.put(metric.label(), () -> ProcessCounters.value(metric));
        }
        gauges.put(Metric.MODEL_LOAD_MILLIS.label(), () -> registry().loadMillis());
        gauges.put(Metric.SESSIONS.label(), () -> registry().loaded());
        gauges.put("model bytes", () -> registry().taken());
        return gauges;
    }

    private static EngineRegistry registry() {
        return TaskEngines.registry();
    }
}
