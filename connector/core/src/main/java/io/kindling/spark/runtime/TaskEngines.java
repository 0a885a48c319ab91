package io.kindling.spark.runtime;

import io.kindling.engine.EngineOptions;
import io.kindling.engine.GenerationEngine;
import io.kindling.engine.Session;
import io.kindling.engine.TextEncoder;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.config.GenerationPlan;
import io.kindling.spark.metrics.Counters;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;

/**
 * The engines a task uses. A task opens one client per engine, on first use; when it completes, fails or is killed, its
 * clients are closed, which cancels what they wait for, and its engines released.
 */
public final class TaskEngines {
    private static final Map<Long, TaskEngines> TASKS = new ConcurrentHashMap<>();
    /** Faults of a model, which the engine knows by its folder alone, and that may be one of the node's cache. */
    private static final Set<ErrorCode> OF_A_MODEL = EnumSet.of(ErrorCode.UNRESOLVED, ErrorCode.UNSUPPORTED);

    private static final LongAdder REQUESTS = new LongAdder();
    private static volatile EngineRegistry registry = new EngineRegistry(new ModelOpener());

    private final Map<Use, Opened> opened = new HashMap<>();
    private boolean closed;

    private TaskEngines() {}

    private record Use(ModelSource source, EngineOptions options, boolean generates) {}

    /** A model that the task holds, and its client once it generates. */
    private static final class Opened implements AutoCloseable {
        private final EngineRegistry.Lease lease;
        private GenerationEngine.Client client;

        Opened(EngineRegistry.Lease lease) {
            this.lease = lease;
        }

        synchronized GenerationEngine.Client client() {
            if (client == null) {
                client = lease.model().generation().openClient();
            }
            return client;
        }

        void load() {
            lease.model().generation();
        }

        TextEncoder encoder() {
            return lease.model().encoder();
        }

        Session session() {
            return lease.model().session();
        }

        @Override
        public synchronized void close() {
            try (lease) {
                if (client != null) {
                    client.close();
                }
            }
        }
    }

    /** What to do with a client or an encoder. */
    public interface Action<E, T> {
        T with(E engine);
    }

    /**
     * Makes one request: runs an action with the current task's client for a model. Outside of tasks, where Spark evaluates a function on the
     * driver, the client lives for this call.
     */
    public static <T> T with(
            ModelSource source, GenerationPlan plan, Counters counters, Action<GenerationEngine.Client, T> action) {
        REQUESTS.increment();
        return use(source, plan, true, counters, model -> action.with(model.client()));
    }

    /**
     * Runs an action with the encoder of a model; see {@link #with}.
     *
     * @param texts that it encodes
     */
    public static <T> T encode(
            ModelSource source, GenerationPlan plan, Counters counters, int texts, Action<TextEncoder, T> action) {
        REQUESTS.add(texts);
        return use(source, plan, false, counters, model -> {
            double entered = model.lease.clock().enter();
            try {
                return action.with(model.encoder());
            } finally {
                counters.tokensPerSecond().add(0, model.lease.clock().leave(entered));
            }
        });
    }

    /** Runs an action with the session of a model; see {@link #with}. */
    static <T> T session(ModelSource source, GenerationPlan plan, Counters counters, Action<Session, T> action) {
        return use(source, plan, false, counters, model -> action.with(model.session()));
    }

    private static <T> T use(
            ModelSource source, GenerationPlan plan, boolean generates, Counters counters, Action<Opened, T> action) {
        TaskContext context = TaskContext.get();
        try {
            if (context == null) {
                try (Opened once = open(source, plan, generates, counters)) {
                    return action.with(once);
                }
            }
            return action.with(ofTask(context).opened(source, plan, generates, counters));
        } catch (KindlingException fault) {
            throw OF_A_MODEL.contains(fault.code())
                    ? new KindlingException(fault.code(), "model '" + source.uri() + "': " + fault.getMessage(), fault)
                    : fault;
        }
    }

    /** Counts rows that went through a session. */
    static void count(int rows) {
        REQUESTS.add(rows);
    }

    /** How many models this process has loaded; for tests and support. */
    public static long sessionsOpened() {
        return registry.opened();
    }

    /** Loads a model and its engine without a task; it stays as an idle one. */
    static void load(ModelSource source, GenerationPlan plan) {
        try (Opened once = open(source, plan, true, Counters.NONE)) {
            once.load();
        }
    }

    /** Closes all models of this process; what tasks still wait for is cancelled. A later application begins anew. */
    public static synchronized void closeAll() {
        EngineRegistry ended = registry;
        registry = ended.successor();
        ended.close();
    }

    /** How many prompts, texts and rows this process has given to engines, repeated ones too; for tests and support. */
    public static long requests() {
        return REQUESTS.sum();
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

    private synchronized Opened opened(ModelSource source, GenerationPlan plan, boolean generates, Counters counters) {
        if (closed) {
            throw new IllegalStateException("the task has ended");
        }
        return opened.computeIfAbsent(
                new Use(source, plan.engine(), generates), use -> open(source, plan, generates, counters));
    }

    private static Opened open(ModelSource source, GenerationPlan plan, boolean generates, Counters counters) {
        EngineRegistry.Lease lease = registry.acquire(
                new EngineRegistry.Request(source, plan.nodeCache(), plan.engine(), generates, plan.memory()));
        if (lease.openedHere()) {
            counters.sessions().add(1);
            counters.modelLoadMillis().add(lease.loadMillis());
        }
        return new Opened(lease);
    }

    private synchronized void close() {
        closed = true;
        opened.values().forEach(Opened::close);
        opened.clear();
    }
}
