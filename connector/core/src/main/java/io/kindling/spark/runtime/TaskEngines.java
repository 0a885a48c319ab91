package io.kindling.spark.runtime;

import io.kindling.engine.EngineOptions;
import io.kindling.engine.GenerationEngine;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.metrics.GenerationMetrics;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;

/**
 * The engines a task uses. A task opens one client per engine, on first use; when it completes, fails or is killed, its
 * clients are closed, which cancels what they wait for, and its engines released.
 */
public final class TaskEngines {
    private static final Map<Long, TaskEngines> TASKS = new ConcurrentHashMap<>();
    private static volatile EngineRegistry registry = new EngineRegistry(new ModelOpener());

    private final Map<Use, Opened> opened = new HashMap<>();
    private boolean closed;

    private TaskEngines() {}

    private record Use(ModelSource source, EngineOptions options) {}

    private record Opened(EngineRegistry.Lease lease, GenerationEngine.Client client) implements AutoCloseable {
        @Override
        public void close() {
            try (lease) {
                client.close();
            }
        }
    }

    /** What to do with a client. */
    public interface Action<T> {
        T with(GenerationEngine.Client client);
    }

    /**
     * Runs an action with the current task's client for a model. Outside of tasks, where Spark evaluates a function on the
     * driver, the client lives for this call.
     */
    public static <T> T with(
            ModelSource source, GenerationPlan plan, Optional<GenerationMetrics> metrics, Action<T> action) {
        TaskContext context = TaskContext.get();
        if (context == null) {
            try (Opened once = open(source, plan, metrics)) {
                return action.with(once.client());
            }
        }
        return action.with(ofTask(context).client(source, plan, metrics));
    }

    /** How many models this process has loaded; for tests and support. */
    public static long sessionsOpened() {
        return registry.opened();
    }

    static EngineRegistry registry() {
        return registry;
    }

    /** Replaces the engine; tests run Spark with one of their own. */
    static void use(EngineRegistry replacement) {
        registry = replacement;
    }

    private static TaskEngines ofTask(TaskContext context) {
        return TASKS.computeIfAbsent(context.taskAttemptId(), id -> {
            TaskEngines engines = new TaskEngines();
            TaskCompletionListener release = completed -> {
                TASKS.remove(id);
                engines.close();
            };
            context.addTaskCompletionListener(release);
            return engines;
        });
    }

    private synchronized GenerationEngine.Client client(
            ModelSource source, GenerationPlan plan, Optional<GenerationMetrics> metrics) {
        if (closed) {
            throw new IllegalStateException("the task has ended");
        }
        return opened.computeIfAbsent(new Use(source, plan.engine()), use -> open(source, plan, metrics))
                .client();
    }

    private static Opened open(ModelSource source, GenerationPlan plan, Optional<GenerationMetrics> metrics) {
        EngineRegistry.Lease lease = registry.acquire(source, plan.nodeCache(), plan.engine(), plan.idleModelBytes());
        if (lease.openedHere()) {
            metrics.ifPresent(to -> {
                to.sessions().add(1);
                to.modelLoadMillis().add(lease.loadMillis());
            });
        }
        return new Opened(lease, lease.model().generation().openClient());
    }

    private synchronized void close() {
        closed = true;
        opened.values().forEach(Opened::close);
        opened.clear();
    }
}
