package io.kindling.spark.runtime;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import io.kindling.engine.GenerationStats;
import io.kindling.spark.metrics.ProcessCounters;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** What all engines of this process did since it started, closed ones included, for Spark's metrics system. */
public final class ExecutorMetrics {
    private ExecutorMetrics() {}

    /** Adds the gauges, by the names that the SQL tab has too. */
    public static void register(MetricRegistry registry) {
        gauges().forEach(registry::register);
    }

    static Map<String, Gauge<Number>> gauges() {
        Map<String, Gauge<Number>> gauges = new TreeMap<>();
        gauges.put("rows", ProcessCounters.ROWS::sum);
        gauges.put("failed rows", ProcessCounters.FAILED_ROWS::sum);
        count(gauges, "engine requests", GenerationStats::requests);
        count(gauges, "deduplicated", GenerationStats::deduplicated);
        count(gauges, "prompt tokens", GenerationStats::promptTokens);
        count(gauges, "generated tokens", GenerationStats::generatedTokens);
        count(gauges, "prefix hits", GenerationStats::prefixHitTokens);
        count(gauges, "KV pages peak", GenerationStats::kvPagesPeak);
        ratio(gauges, "mean batch size", stats -> ratio(stats.stepRows(), stats.steps()));
        gauges.put(
                "tokens per second",
                () -> ratio(
                        registry().stats().generatedTokens() * 1e9, registry().usedNanos()));
        gauges.put("model load ms", () -> registry().loadMillis());
        gauges.put("sessions", () -> registry().loaded());
        gauges.put("model bytes", () -> registry().taken());
        return gauges;
    }

    private static void count(Map<String, Gauge<Number>> gauges, String name, ToLongFunction<GenerationStats> figure) {
        gauges.put(name, () -> figure.applyAsLong(registry().stats()));
    }

    private static void ratio(
            Map<String, Gauge<Number>> gauges, String name, ToDoubleFunction<GenerationStats> figure) {
        gauges.put(name, () -> figure.applyAsDouble(registry().stats()));
    }

    private static double ratio(double part, long whole) {
        return whole == 0 ? 0 : part / whole;
    }

    private static EngineRegistry registry() {
        return TaskEngines.registry();
    }
}
