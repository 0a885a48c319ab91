package io.kindling.spark.runtime;

import io.kindling.spark.metrics.GenerationMetrics;
import java.io.PrintWriter;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkStageInfo;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerExecutorMetricsUpdate;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.util.AccumulatorV2;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple4;

/**
 * Says how far long queries are, from what executors report with their heartbeats while tasks run. On the console where Spark shows its own
 * progress there ({@code spark.ui.showConsoleProgress}, which Spark's shells set), else in the log.
 */
public final class ConsoleProgress extends SparkListener {
    private static final Logger LOG = LoggerFactory.getLogger(ConsoleProgress.class);
    private static final Map<SparkContext, ConsoleProgress> WATCHING = new IdentityHashMap<>();
    /** Spark's bar stays in its line; a line of ours covers it. */
    private static final String BESIDE_THE_BAR = "\r%-110s%n";

    private final SparkContext context;
    private final List<Watched> watched = new ArrayList<>();
    private final Map<Long, Running> running = new HashMap<>();
    private Duration between = Duration.ofSeconds(10);
    private long said = System.nanoTime();
    private Consumer<String> sink;

    /** The figures of an operator; gone with its query. */
    private record Watched(
            WeakReference<AccumulatorV2<?, ?>> rows,
            WeakReference<AccumulatorV2<?, ?>> failed,
            WeakReference<AccumulatorV2<?, ?>> tokens) {}

    /** What a running task has added so far, by the accumulators' numbers. */
    private record Running(String executor, int stage, Map<Long, Long> added) {}

    private ConsoleProgress(SparkContext context) {
        this.context = context;
        sink = usual();
    }

    private Consumer<String> usual() {
        return context.getConf().getBoolean("spark.ui.showConsoleProgress", false)
                ? line -> System.err.printf(BESIDE_THE_BAR, line)
                : LOG::info;
    }

    /** The one of a context. */
    public static ConsoleProgress of(SparkContext context) {
        synchronized (WATCHING) {
            return WATCHING.computeIfAbsent(context, first -> {
                ConsoleProgress progress = new ConsoleProgress(first);
                first.addSparkListener(progress);
                return progress;
            });
        }
    }

    /** Reports an application of the DataFrame API. */
    public static void watch(SparkContext context, GenerationMetrics metrics) {
        of(context).watch(metrics.rows(), metrics.failedRows(), metrics.generatedTokens());
    }

    /** Reports an operator by its accumulators, whose values are numbers. */
    public synchronized void watch(AccumulatorV2<?, ?> rows, AccumulatorV2<?, ?> failed, AccumulatorV2<?, ?> tokens) {
        watched.removeIf(other -> other.rows().get() == null || other.rows().get() == rows);
        watched.add(new Watched(new WeakReference<>(rows), new WeakReference<>(failed), new WeakReference<>(tokens)));
    }

    /** Says it there instead, or as usual when closed. */
    public synchronized Redirection to(PrintWriter console) {
        sink = console::println;
        return () -> {
            synchronized (this) {
                sink = usual();
            }
        };
    }

    /** Until closed. */
    public interface Redirection extends AutoCloseable {
        @Override
        void close();
    }

    synchronized void every(Duration time) {
        between = time;
    }

    @Override
    public synchronized void onExecutorMetricsUpdate(SparkListenerExecutorMetricsUpdate beat) {
        String executor = beat.execId();
        running.values().removeIf(task -> task.executor().equals(executor)); // it names all that still run
        // Not accumUpdates(): Scala 2.12 and 2.13 have sequences of different types there.
        var tasks = ((scala.collection.Iterable<?>) beat.productElement(1)).iterator();
        while (tasks.hasNext()) {
            Tuple4<?, ?, ?, ?> task = (Tuple4<?, ?, ?, ?>) tasks.next();
            Map<Long, Long> added = new HashMap<>();
            var updates = ((scala.collection.Iterable<?>) task._4()).iterator();
            while (updates.hasNext()) {
                AccumulableInfo update = (AccumulableInfo) updates.next();
                if (update.update().isDefined() && update.update().get() instanceof Long amount) {
                    added.put(update.id(), amount);
                }
            }
            running.put((Long) task._1(), new Running(executor, (Integer) task._2(), added));
        }
        if (System.nanoTime() - said >= between.toNanos()) {
            said = System.nanoTime();
            say();
        }
    }

    private void say() {
        for (Watched operator : watched) {
            AccumulatorV2<?, ?> rows = operator.rows().get();
            if (rows == null) {
                continue;
            }
            var stages = new TreeSet<Integer>();
            running.values().stream()
                    .filter(task -> task.added().containsKey(rows.id()))
                    .forEach(task -> stages.add(task.stage()));
            for (int stage : stages) {
                sink.accept(String.format(
                        Locale.US,
                        "kindling: stage %d%s; %,d rows (%,d failed), %,d tokens generated",
                        stage,
                        tasks(stage),
                        soFar(rows),
                        soFar(operator.failed().get()),
                        soFar(operator.tokens().get())));
            }
        }
    }

    private String tasks(int stage) {
        var info = context.statusTracker().getStageInfo(stage);
        if (info.isEmpty()) {
            return "";
        }
        SparkStageInfo tasks = info.get();
        return String.format(
                Locale.US,
                ": %,d of %,d tasks done, %,d running",
                tasks.numCompletedTasks(),
                tasks.numTasks(),
                tasks.numActiveTasks());
    }

    /** What ended tasks and running ones have added. */
    private long soFar(AccumulatorV2<?, ?> accumulator) {
        if (accumulator == null) {
            return 0;
        }
        long sum = ((Number) accumulator.value()).longValue();
        for (Running task : running.values()) {
            sum += task.added().getOrDefault(accumulator.id(), 0L);
        }
        return sum;
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd ended) {
        running.remove(ended.taskInfo().taskId());
    }

    @Override
    public void onApplicationEnd(SparkListenerApplicationEnd ended) {
        synchronized (WATCHING) {
            WATCHING.remove(context);
        }
    }
}
