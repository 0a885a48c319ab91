package io.kindling.spark.runtime;

import io.kindling.engine.error.KindlingException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.ExceptionFailure;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/**
 * Ends a stage at the first fault that would come back: Spark would try such a task four times and load the model each
 * time, for the same message.
 */
public final class DeterministicFaults extends SparkListener {
    private static final Map<SparkContext, DeterministicFaults> WATCHED = new IdentityHashMap<>();
    private static final int REMEMBERED = 16;

    private final SparkContext context;
    /** Spark says why a stage was cancelled as text only. */
    private final Deque<KindlingException> latest = new ArrayDeque<>();

    private DeterministicFaults(SparkContext context) {
        this.context = context;
    }

    /** Watches a context's stages from now on; once is enough. */
    public static void watch(SparkContext context) {
        synchronized (WATCHED) {
            if (!WATCHED.containsKey(context)) {
                DeterministicFaults watcher = new DeterministicFaults(context);
                WATCHED.put(context, watcher);
                context.addSparkListener(watcher);
            }
        }
    }

    @Override
    public void onTaskEnd(SparkListenerTaskEnd ended) {
        if (ended.reason() instanceof ExceptionFailure failure
                && failure.exception().isDefined()) {
            in(failure.exception().get())
                    .filter(fault -> !fault.code().mayPass())
                    .ifPresent(fault -> {
                        remember(fault);
                        context.cancelStage(ended.stageId(), describe(fault));
                    });
        }
    }

    @Override
    public void onApplicationEnd(SparkListenerApplicationEnd ended) {
        synchronized (WATCHED) {
            WATCHED.remove(context);
        }
    }

    private synchronized void remember(KindlingException fault) {
        latest.addFirst(fault);
        if (latest.size() > REMEMBERED) {
            latest.removeLast();
        }
    }

    private synchronized Optional<KindlingException> named(String message) {
        return latest.stream()
                .filter(fault -> message.contains(describe(fault)))
                .findFirst();
    }

    /** The engine's fault that made an action of this context fail, if that was the reason. */
    public static Optional<KindlingException> in(SparkContext context, Throwable failure) {
        Optional<KindlingException> fault = in(failure);
        DeterministicFaults watcher;
        synchronized (WATCHED) {
            watcher = WATCHED.get(context);
        }
        for (Throwable cause = failure; fault.isEmpty() && watcher != null && cause != null; cause = cause.getCause()) {
            fault = watcher.named(String.valueOf(cause.getMessage()));
        }
        return fault;
    }

    private static Optional<KindlingException> in(Throwable exception) {
        for (Throwable cause = exception; cause != null; cause = cause.getCause()) {
            if (cause instanceof KindlingException fault) {
                return Optional.of(fault);
            }
        }
        return Optional.empty();
    }

    private static String describe(KindlingException fault) {
        return "Kindling " + fault.code() + ": " + fault.getMessage();
    }
}
