package io.kindling.spark.runtime;

import io.kindling.engine.GenerationResult;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskKilledException;

/** Waits for results. */
public final class Answer {
    /** Spark marks a killed task and, by default, does not interrupt its thread. */
    private static final long KILL_CHECK_MILLIS = 200;

    private Answer() {}

    /**
     * The result, or what failed in the engine.
     *
     * @throws TaskKilledException when the task was killed meanwhile
     */
    public static GenerationResult await(CompletableFuture<GenerationResult> answer) {
        TaskContext context = TaskContext.get();
        while (true) {
            try {
                return answer.get(KILL_CHECK_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                if (context != null && context.isInterrupted()) {
                    throw new TaskKilledException("killed while waiting for the engine");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new TaskKilledException("interrupted while waiting for the engine");
            } catch (ExecutionException e) {
                if (e.getCause() instanceof RuntimeException cause) {
                    throw cause;
                }
                throw new KindlingException(ErrorCode.INTERNAL, "the engine failed: " + e.getCause(), e.getCause());
            }
        }
    }
}
