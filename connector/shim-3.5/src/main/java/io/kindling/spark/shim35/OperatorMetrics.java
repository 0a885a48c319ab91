package io.kindling.spark.shim35;

import io.kindling.spark.metrics.Counters;
import io.kindling.spark.metrics.MeanCounter;
import io.kindling.spark.metrics.MeanMetric;
import io.kindling.spark.metrics.Metric;
import io.kindling.spark.metrics.PeakMetric;
import io.kindling.spark.runtime.ConsoleProgress;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.execution.metric.SQLMetrics;
import scala.collection.immutable.ListMap$;
import scala.collection.immutable.Map;

/**
 * The operator's metrics in the SQL tab. Spark shows sums as they are; peaks and means come out of numbers of tasks by classes that it
 * finds by name, as it does for data sources.
 */
final class OperatorMetrics {
    private OperatorMetrics() {}

    /** New ones, by their names, in the order of their declaration. */
    @SuppressWarnings("unchecked") // Scala 2.13 gives a raw map to Java
    static Map<String, SQLMetric> register(SparkContext context) {
        Map<String, SQLMetric> metrics = (Map<String, SQLMetric>) (Object) ListMap$.MODULE$.empty();
        for (Metric metric : Metric.values()) {
            metrics = metrics.updated(metric.label(), register(context, metric));
        }
        return metrics;
    }

    private static SQLMetric register(SparkContext context, Metric metric) {
        return switch (metric.kind()) {
            case SUM -> SQLMetrics.createMetric(context, metric.label());
            case PEAK -> SQLMetrics.createV2CustomMetric(context, new PeakMetric(metric.label()));
            case MEAN -> SQLMetrics.createV2CustomMetric(context, new MeanMetric(metric.label()));
        };
    }

    /** Has progress told. */
    static void watch(SparkContext context, Map<String, SQLMetric> metrics) {
        ConsoleProgress.of(context)
                .watch(
                        metrics.apply(Metric.ROWS.label()),
                        metrics.apply(Metric.FAILED_ROWS.label()),
                        metrics.apply(Metric.GENERATED_TOKENS.label()));
    }

    /** What tasks add to. */
    static Counters counters(Map<String, SQLMetric> metrics) {
        return Counters.of(
                metric -> {
                    SQLMetric sql = metrics.apply(metric.label());
                    return metric.kind() == Metric.Kind.PEAK
                            ? amount -> sql.set(Math.max(sql.value(), amount))
                            : sql::add;
                },
                metric -> new TaskMean(metrics.apply(metric.label())));
    }

    /** A task's part of a mean: each task has a copy of its own. */
    private static final class TaskMean implements MeanCounter {
        private static final long serialVersionUID = 1;

        private final SQLMetric metric;
        private double amountSum;
        private double overSum;

        TaskMean(SQLMetric metric) {
            this.metric = metric;
        }

        @Override
        public void add(double amount, double over) {
            amountSum += amount;
            overSum += over;
            metric.set(MeanMetric.pack(amountSum, overSum));
        }
    }
}
