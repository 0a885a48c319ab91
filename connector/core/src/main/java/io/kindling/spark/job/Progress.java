package io.kindling.spark.job;

import io.kindling.spark.metrics.GenerationMetrics;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkStageInfo;
import org.apache.spark.api.java.JavaSparkContext;

/** Says on the console how far a job is, until closed. Spark reports counters when tasks end, so rows follow the tasks. */
final class Progress implements AutoCloseable {
    private static final long SECONDS_BETWEEN = 5;

    private final JavaSparkContext context;
    private final GenerationMetrics metrics;
    private final PrintWriter console;
    private final long start = System.nanoTime();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "kindling-progress");
        thread.setDaemon(true);
        return thread;
    });

    Progress(SparkContext context, GenerationMetrics metrics, PrintWriter console) {
        this.context = JavaSparkContext.fromSparkContext(context);
        this.metrics = metrics;
        this.console = console;
        clock.scheduleAtFixedRate(this::print, SECONDS_BETWEEN, SECONDS_BETWEEN, TimeUnit.SECONDS);
    }

    private void print() {
        for (int stage : context.statusTracker().getActiveStageIds()) {
            SparkStageInfo info = context.statusTracker().getStageInfo(stage);
            if (info != null) {
                console.printf(
                        Locale.ROOT,
                        "kindling: %.0f s, stage %d: %d of %d tasks done, %d running; %d rows answered (%d failed), %d tokens%n",
                        seconds(),
                        stage,
                        info.numCompletedTasks(),
                        info.numTasks(),
                        info.numActiveTasks(),
                        metrics.rows().value(),
                        metrics.failedRows().value(),
                        metrics.generatedTokens().value());
            }
        }
    }

    double seconds() {
        return (System.nanoTime() - start) / 1e9;
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
