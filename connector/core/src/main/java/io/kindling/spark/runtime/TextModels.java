package io.kindling.spark.runtime;

import io.kindling.engine.TextModel;
import io.kindling.spark.config.NodeCacheOptions;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;

/**
 * The text halves of models that this process uses: tokenizers and templates, shared by all tasks. A task holds those it
 * uses until it ends; a few that nobody uses stay for the next one.
 */
public final class TextModels {
    private static final int MOST_IDLE = 8;
    /** By the digest of their files, in the order of their last use. */
    private static final Map<String, Shared> OPEN = new LinkedHashMap<>();

    private static final Map<Long, Map<ModelSource, Shared>> TASKS = new HashMap<>();

    private TextModels() {}

    private static final class Shared {
        final LocalModel files;
        final TextModel model;
        int users;

        Shared(LocalModel files) {
            this.files = files;
            model = TextModel.open(files.path());
        }
    }

    /**
     * Runs an action with a model's text half. Outside of tasks, where Spark evaluates a function on the driver, it is in use
     * for this call.
     */
    public static <T> T with(ModelSource source, NodeCacheOptions cache, Function<TextModel, T> action) {
        TaskContext context = TaskContext.get();
        if (context != null) {
            return action.apply(ofTask(context, source, cache).model);
        }
        Shared once = acquire(source, cache);
        try {
            return action.apply(once.model);
        } finally {
            release(once);
        }
    }

    private static Shared ofTask(TaskContext context, ModelSource source, NodeCacheOptions cache) {
        long id = context.taskAttemptId();
        synchronized (TextModels.class) {
            Shared held = TASKS.getOrDefault(id, Map.of()).get(source);
            if (held != null) {
                return held;
            }
        }
        Shared acquired = acquire(source, cache);
        synchronized (TextModels.class) {
            Map<ModelSource, Shared> held = TASKS.get(id);
            if (held == null) {
                held = new HashMap<>();
                TASKS.put(id, held);
                TaskCompletionListener end = completed -> releaseAll(id);
                context.addTaskCompletionListener(end);
            }
            Shared before = held.putIfAbsent(source, acquired);
            if (before != null) {
                release(acquired); // another thread of the task was faster
            }
            return held.get(source);
        }
    }

    private static Shared acquire(ModelSource source, NodeCacheOptions cache) {
        LocalModel files = source.localizeText(cache);
        synchronized (TextModels.class) {
            Shared shared = OPEN.remove(files.digest());
            if (shared != null) {
                files.close(); // the shared one holds its own
            } else {
                try {
                    shared = new Shared(files);
                } catch (RuntimeException | Error fault) {
                    files.close();
                    throw fault;
                }
            }
            shared.users++;
            OPEN.put(files.digest(), shared);
            return shared;
        }
    }

    private static synchronized void releaseAll(long task) {
        TASKS.remove(task).values().forEach(TextModels::release);
    }

    private static synchronized void release(Shared shared) {
        shared.users--;
        long idle = OPEN.values().stream().filter(other -> other.users == 0).count();
        Iterator<Shared> oldestFirst = OPEN.values().iterator();
        while (idle > MOST_IDLE && oldestFirst.hasNext()) {
            Shared other = oldestFirst.next();
            if (other.users == 0) {
                oldestFirst.remove();
                other.model.close();
                other.files.close();
                idle--;
            }
        }
    }
}
