package io.kindling.spark.runtime;

import io.kindling.engine.EngineOptions;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.config.MemoryOptions;
import io.kindling.spark.config.NodeCacheOptions;
import io.kindling.spark.runtime.EngineOpener.LoadedModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The engines of this process: one per model and engine options, shared by all tasks, counted by those that use it. An
 * engine that nobody uses stays for the next stage, for some time, until the idle ones together exceed a budget or another model
 * needs the memory; the longest idle goes first. A model for which there is no memory even then is refused before it is loaded.
 */
final class EngineRegistry implements AutoCloseable {
    /** The limit on what models take, given what they take now. */
    interface Limit {
        MemoryLimit with(MemoryOptions options, long taken);
    }

    private final EngineOpener opener;
    private final Limit limit;
    /** In the order of last use, so that the first idle one is the longest idle. */
    private final Map<Key, Entry> entries = new LinkedHashMap<>();

    private final ScheduledThreadPoolExecutor clock = new ScheduledThreadPoolExecutor(1, task -> {
        Thread thread = new Thread(task, "kindling-idle-models");
        thread.setDaemon(true);
        return thread;
    });
    private long opened;
    private long loadMillis;
    private boolean closed;

    EngineRegistry(EngineOpener opener) {
        this(opener, MemoryLimit::now);
    }

    EngineRegistry(EngineOpener opener, Limit limit) {
        this.opener = opener;
        this.limit = limit;
        clock.setRemoveOnCancelPolicy(true);
    }

    /** A registry like this one, without engines. */
    EngineRegistry successor() {
        return new EngineRegistry(opener, limit);
    }

    /** What makes two engines the same. One that generates has a cache, which the others do without. */
    record Key(String modelDigest, EngineOptions options, boolean generates) {}

    /**
     * What a task wants of a model.
     *
     * @param generates whether it is a decoder's engine, with a cache of keys and values
     */
    record Request(
            ModelSource source,
            NodeCacheOptions cache,
            EngineOptions options,
            boolean generates,
            MemoryOptions memory) {}

    /**
     * Use of an engine until closed.
     *
     * @param clock divides the model's time among tasks that call it at once
     * @param openedHere whether this call loaded the model
     * @param loadMillis how long that took; 0 when it was loaded already
     */
    record Lease(LoadedModel model, SharedClock clock, boolean openedHere, long loadMillis, Runnable release)
            implements AutoCloseable {
        @Override
        public void close() {
            release.run();
        }
    }

    private static final class Entry implements AutoCloseable {
        final CompletableFuture<LoadedModel> model = new CompletableFuture<>();
        final SharedClock clock = new SharedClock(System::nanoTime);
        final LocalModel files;
        MemoryDemand demand = new MemoryDemand(0, 0, 0, 0);
        int users;
        long idleSince;
        /** Whether the task that was to load the model was killed, which is no fault of the model. */
        volatile boolean abandoned;

        private boolean over;

        Entry(LocalModel files) {
            this.files = files;
        }

        @Override
        public void close() {
            synchronized (this) {
                if (over) {
                    return;
                }
                over = true;
            }
            try (files) {
                model.join().close();
            }
        }
    }

    /**
     * The engine for a model, loaded by the first caller while the others wait; another one loads it where the first was killed.
     *
     * @throws KindlingException DOES_NOT_FIT or OUT_OF_MEMORY when there is no memory for it
     */
    Lease acquire(Request request) {
        Optional<Lease> lease = tryAcquire(request);
        while (lease.isEmpty()) {
            lease = tryAcquire(request);
        }
        return lease.get();
    }

    private Optional<Lease> tryAcquire(Request request) {
        LocalModel files = request.source().localize(request.cache());
        Key key = new Key(files.digest(), request.options(), request.generates());
        Entry entry;
        List<Entry> evicted = List.of();
        boolean first;
        synchronized (this) {
            entry = closed ? null : entries.remove(key);
            first = entry == null;
            if (first) {
                try {
                    refuseClosed();
                    entry = new Entry(files);
                    evicted = admit(entry, request);
                } catch (RuntimeException | Error fault) {
                    files.close();
                    throw fault;
                }
            }
            entry.users++;
            entries.put(key, entry);
        }
        if (!first) {
            files.close(); // the entry holds its own
            return loadedByAnother(key, entry, request.memory());
        }
        long start;
        LoadedModel model;
        try {
            evicted.forEach(Entry::close);
            start = System.nanoTime();
            model = opener.open(files.path(), withCache(request, entry.demand));
        } catch (RuntimeException | Error e) {
            entry.abandoned = Thread.currentThread().isInterrupted();
            forget(key, entry);
            entry.model.completeExceptionally(e);
            throw e;
        }
        entry.model.complete(model);
        long millis = (System.nanoTime() - start) / 1_000_000;
        synchronized (this) {
            opened++;
            loadMillis += millis;
        }
        return Optional.of(lease(key, entry, model, true, millis, request.memory()));
    }

    /** Empty where it was not loaded after all, through no fault of its own. */
    private Optional<Lease> loadedByAnother(Key key, Entry entry, MemoryOptions memory) {
        try {
            return Optional.of(lease(key, entry, entry.model.get(), false, 0, memory));
        } catch (ExecutionException e) {
            if (entry.abandoned) {
                return Optional.empty();
            }
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            throw new CompletionException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            synchronized (this) {
                if (entry.model.isDone() && !entry.model.isCompletedExceptionally()) {
                    release(key, entry, memory);
                } else {
                    entry.users--;
                }
            }
            throw new KindlingException(
                    ErrorCode.CANCELLED, "the task was killed as it waited for its model to be loaded", e);
        }
    }

    private Lease lease(
            Key key, Entry entry, LoadedModel model, boolean openedHere, long loadMillis, MemoryOptions memory) {
        return new Lease(model, entry.clock, openedHere, loadMillis, () -> release(key, entry, memory));
    }

    private void refuseClosed() {
        if (closed) {
            throw new KindlingException(ErrorCode.CANCELLED, "this executor is shutting down and loads no more models");
        }
    }

    private static EngineOptions withCache(Request request, MemoryDemand demand) {
        return request.generates() ? request.options().withKvBudgetBytes(demand.keyValues()) : request.options();
    }

    /** Reserves what an engine will take and returns the idle ones that had to go for it. */
    private List<Entry> admit(Entry entry, Request request) {
        MemoryDemand demand = MemoryDemand.expected(
                entry.files.bytes(),
                request.generates(),
                request.options().kvBudgetBytes(),
                request.options().maxStepTokens());
        long taken = taken(false);
        long inUse = taken(true);
        MemoryLimit most = limit.with(request.memory(), taken);
        if (inUse + demand.sum() > most.bytes()) {
            throw demand.refused(most, inUse, request.source().uri());
        }
        long left = most.bytes() - taken;
        List<Entry> evicted = new ArrayList<>();
        var oldestFirst = entries.values().iterator();
        while (demand.sum() > left && oldestFirst.hasNext()) {
            Entry other = oldestFirst.next();
            if (other.users == 0) {
                oldestFirst.remove();
                left += other.demand.sum();
                evicted.add(other);
            }
        }
        boolean unset = request.generates() && request.options().kvBudgetBytes() == 0;
        entry.demand = unset ? demand.share(left) : demand;
        return evicted;
    }

    private long taken(boolean byUsed) {
        long sum = 0;
        for (Entry entry : entries.values()) {
            sum += byUsed && entry.users == 0 ? 0 : entry.demand.sum();
        }
        return sum;
    }

    /** How many models this process has loaded. */
    synchronized long opened() {
        return opened;
    }

    /** How many engines are loaded, used or idle. */
    synchronized int loaded() {
        return entries.size();
    }

    /** What all loaded engines take, in bytes; expected until they were used, measured then. */
    synchronized long taken() {
        return taken(false);
    }

    /** Time that loading took, all models together. */
    synchronized long loadMillis() {
        return loadMillis;
    }

    private synchronized void forget(Key key, Entry entry) {
        entries.remove(key, entry);
        entry.files.close();
    }

    private void release(Key key, Entry entry, MemoryOptions memory) {
        List<Entry> evicted = new ArrayList<>();
        synchronized (this) {
            entry.users--;
            entry.idleSince = System.nanoTime();
            LoadedModel model = entry.model.join();
            entry.demand = entry.demand.measured(model.weightBytes(), model.prepackedBytes());
            if (entries.remove(key, entry)) {
                entries.put(key, entry); // last used now
            } else if (entry.users == 0) {
                evicted.add(entry); // the registry was closed meanwhile
            }
            long idle = 0;
            for (Entry other : entries.values()) {
                idle += other.users == 0 ? other.files.bytes() : 0;
            }
            var oldestFirst = entries.values().iterator();
            while (idle > memory.idleBytes() && oldestFirst.hasNext()) {
                Entry other = oldestFirst.next();
                if (other.users == 0) {
                    oldestFirst.remove();
                    idle -= other.files.bytes();
                    evicted.add(other);
                }
            }
            if (entry.users == 0 && !closed && memory.idleSeconds() > 0 && entries.containsValue(entry)) {
                long idleSince = entry.idleSince;
                clock.schedule(() -> evict(key, entry, idleSince), memory.idleSeconds(), TimeUnit.SECONDS);
            }
        }
        evicted.forEach(Entry::close);
    }

    /** Closes an engine that nobody has used since. */
    private void evict(Key key, Entry entry, long idleSince) {
        synchronized (this) {
            if (entry.users > 0 || entry.idleSince != idleSince || !entries.remove(key, entry)) {
                return;
            }
        }
        entry.close();
    }

    /** Closes all engines, used ones too, whose requests are cancelled. */
    @Override
    public void close() {
        List<Entry> all;
        synchronized (this) {
            closed = true;
            clock.shutdownNow();
            all = List.copyOf(entries.values());
            entries.clear();
        }
        // One that is being loaded is closed by its user.
        all.stream().filter(entry -> entry.model.isDone()).forEach(Entry::close);
    }
}
