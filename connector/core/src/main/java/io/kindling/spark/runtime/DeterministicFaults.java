package io.kindling.spark.runtime;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import org.apache.spark.ExceptionFailure;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/**
 * Ends a stage at the first fault that would come back: Spark would try such a task four times and load the model each
 * time, for the same message.
 */
public final class DeterministicFaults extends SparkListener {
    private static final Set<SparkContext> WATCHED = Collections.newSetFromMap(new WeakHashMap<>());
    private static final Set<ErrorCode> MAY_PASS = Set.of(
            ErrorCode.IO,
            ErrorCode.OUT_OF_MEMORY,
            ErrorCode.DEVICE_UNAVAILABLE,
            ErrorCode.CANCELLED,
            ErrorCode.INTERNAL);

    private final SparkContext context;

    private DeterministicFaults(SparkContext context) {
        this.context = context;
    }

    /** Watches a context's stages from now on; once is enough. */
    public static synchronized void watch(SparkContext context) {
        if (WATCHED.add(context)) {
            context.addSparkListener(new DeterministicFaults(context));
        }
    }

    @Override
    public void onTaskEnd(SparkListenerTaskEnd ended) {
        if (ended.reason() instanceof ExceptionFailure failure
                && failure.exception().isDefined()) {
            in(failure.exception().get())
                    .filter(fault -> !MAY_PASS.contains(fault.code()))
                    .ifPresent(fault -> context.cancelStage(ended.stageId(), describe(fault)));
        }
    }

    /** The engine's fault among an exception and its causes. */
    public static Optional<KindlingException> in(Throwable exception) {
        for (Throwable cause = exception; cause != null; cause = cause.getCause()) {
            if (cause instanceof KindlingException fault) {
                return Optional.of(fault);
            }
        }
        return Optional.empty();
    }

    /**
     * What a job failed of, without Spark's account of stages and tasks around it.
     *
     * @param failure what the action threw
     * @return the engine's fault where there is one, else {@code failure}
     */
    public static RuntimeException of(RuntimeException failure) {
        return in(failure).map(RuntimeException.class::cast).orElse(failure);
    }

    private static String describe(KindlingException fault) {
        return "Kindling " + fault.code() + ": " + fault.getMessage();
    }
}
