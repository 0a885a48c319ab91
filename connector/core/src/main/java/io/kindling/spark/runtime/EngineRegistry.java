package io.kindling.spark.runtime;

import io.kindling.engine.EngineOptions;
import io.kindling.spark.config.NodeCacheOptions;
import io.kindling.spark.runtime.EngineOpener.LoadedModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The engines of this process: one per model and engine options, shared by all tasks, counted by those that use it. An
 * engine that nobody uses stays for the next stage until the idle ones together exceed a budget; the longest idle goes
 * first.
 */
final class EngineRegistry {
    private final EngineOpener opener;
    /** In the order of last use, so that the first idle one is the longest idle. */
    private final Map<Key, Entry> entries = new LinkedHashMap<>();

    private long opened;

    EngineRegistry(EngineOpener opener) {
        this.opener = opener;
    }

    /** What makes two engines the same. */
    record Key(String modelDigest, EngineOptions options) {}

    /**
     * Use of an engine until closed.
     *
     * @param openedHere whether this call loaded the model
     * @param loadMillis how long that took; 0 when it was loaded already
     */
    record Lease(LoadedModel model, boolean openedHere, long loadMillis, Runnable release) implements AutoCloseable {
        @Override
        public void close() {
            release.run();
        }
    }

    private static final class Entry {
        final CompletableFuture<LoadedModel> model = new CompletableFuture<>();
        final LocalModel files;
        int users;

        Entry(LocalModel files) {
            this.files = files;
        }
    }

    /**
     * The engine for a model, loaded by the first caller while the others wait.
     *
     * @param idleBudgetBytes size of model files that idle engines may hold together
     */
    Lease acquire(ModelSource source, NodeCacheOptions cache, EngineOptions options, long idleBudgetBytes) {
        LocalModel files = source.localize(cache);
        Key key = new Key(files.digest(), options);
        Entry entry;
        boolean first;
        synchronized (this) {
            entry = entries.remove(key);
            first = entry == null;
            if (first) {
                entry = new Entry(files);
            }
            entry.users++;
            entries.put(key, entry);
        }
        if (!first) {
            files.close(); // the entry holds its own
            return lease(key, entry, false, 0, idleBudgetBytes);
        }
        long start = System.nanoTime();
        try {
            entry.model.complete(opener.open(files.path(), options));
        } catch (RuntimeException | Error e) {
            forget(key, entry);
            entry.model.completeExceptionally(e);
            throw e;
        }
        synchronized (this) {
            opened++;
        }
        return lease(key, entry, true, (System.nanoTime() - start) / 1_000_000, idleBudgetBytes);
    }

    /** How many models this process has loaded. */
    synchronized long opened() {
        return opened;
    }

    /** How many engines are loaded, used or idle. */
    synchronized int loaded() {
        return entries.size();
    }

    private Lease lease(Key key, Entry entry, boolean openedHere, long loadMillis, long idleBudgetBytes) {
        try {
            LoadedModel model = entry.model.join();
            return new Lease(model, openedHere, loadMillis, () -> release(key, entry, idleBudgetBytes));
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw e;
        }
    }

    private synchronized void forget(Key key, Entry entry) {
        entries.remove(key, entry);
        entry.files.close();
    }

    private void release(Key key, Entry entry, long idleBudgetBytes) {
        List<Entry> evicted = new ArrayList<>();
        synchronized (this) {
            entry.users--;
            if (entries.remove(key, entry)) {
                entries.put(key, entry); // last used now
            }
            long idle = 0;
            for (Entry other : entries.values()) {
                idle += other.users == 0 ? other.files.bytes() : 0;
            }
            var oldestFirst = entries.values().iterator();
            while (idle > idleBudgetBytes && oldestFirst.hasNext()) {
                Entry other = oldestFirst.next();
                if (other.users == 0) {
                    oldestFirst.remove();
                    idle -= other.files.bytes();
                    evicted.add(other);
                }
            }
        }
        for (Entry other : evicted) {
            other.model.join().close();
            other.files.close();
        }
    }
}
