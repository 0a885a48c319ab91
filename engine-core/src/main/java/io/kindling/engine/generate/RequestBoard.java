package io.kindling.engine.generate;

import io.kindling.engine.GenerationResult;
import io.kindling.engine.GenerationResult.FinishReason;
import io.kindling.engine.GenerationWork;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Where tasks leave requests and the engine's thread takes jobs: round robin over the clients, equal greedy requests as
 * one job. Futures are completed outside the lock.
 */
final class RequestBoard {
    private static final int RECENT_ANSWERS = 1024;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final boolean deduplicate;
    private final Counters counters;
    private final Deque<ClientQueue> turns = new ArrayDeque<>();
    private final Set<Job> open = new HashSet<>();
    private final Map<Job.Key, Job> shared = new HashMap<>();
    private final Map<Job.Key, GenerationResult> recent = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Job.Key, GenerationResult> eldest) {
            return size() > RECENT_ANSWERS;
        }
    };
    private KindlingException closedBecause;

    RequestBoard(boolean deduplicate, Counters counters) {
        this.deduplicate = deduplicate;
        this.counters = counters;
    }

    /** Queues a job for a client, or joins its request to an equal one. */
    CompletableFuture<GenerationResult> submit(ClientQueue client, String id, Job job) {
        CompletableFuture<GenerationResult> future = new CompletableFuture<>();
        Job.Key key = deduplicate && job.isShareable() ? job.key() : null;
        GenerationResult answered = null;
        KindlingException refusal;
        lock.lock();
        try {
            refusal = client.closed ? cancelled() : closedBecause;
            if (refusal == null) {
                answered = key == null ? null : recent.get(key);
                if (answered == null) {
                    enqueue(client, new Job.Waiter(client, id, future), job, key);
                } else {
                    counters.deduplicated.increment();
                }
            }
        } finally {
            lock.unlock();
        }
        if (refusal != null) {
            future.completeExceptionally(refusal);
        } else if (answered != null) {
            future.complete(answered.of(id, GenerationWork.DEDUPLICATED));
        }
        return future;
    }

    private void enqueue(ClientQueue client, Job.Waiter waiter, Job job, Job.Key key) {
        Job equal = key == null ? null : shared.get(key);
        if (equal != null) {
            equal.waiters.add(waiter);
            counters.deduplicated.increment();
            return;
        }
        job.waiters.add(waiter);
        open.add(job);
        if (key != null) {
            shared.put(key, job);
        }
        if (client.waiting.isEmpty()) {
            turns.addLast(client);
        }
        client.waiting.addLast(job);
        work.signal();
    }

    /** The next job in turn; empty when none waits. */
    Optional<Job> poll() {
        lock.lock();
        try {
            while (!turns.isEmpty()) {
                ClientQueue client = turns.pollFirst();
                Job job = client.waiting.pollFirst();
                if (!client.waiting.isEmpty()) {
                    turns.addLast(client);
                }
                if (job != null && !job.abandoned) {
                    return Optional.of(job);
                }
            }
            return Optional.empty();
        } finally {
            lock.unlock();
        }
    }

    /** Sleeps until a job waits; false once the board is closed. */
    boolean awaitWork() throws InterruptedException {
        lock.lock();
        try {
            while (turns.isEmpty() && closedBecause == null) {
                work.await();
            }
            return closedBecause == null;
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        lock.lock();
        try {
            return closedBecause != null;
        } finally {
            lock.unlock();
        }
    }

    /** Gives a job's result to all who wait for it; its work is counted to the first of them. */
    void complete(Job job, GenerationResult result) {
        List<Job.Waiter> waiters;
        lock.lock();
        try {
            forget(job);
            waiters = List.copyOf(job.waiters);
            if (deduplicate && job.isShareable() && job.topLogits == 0 && result.finishReason() != FinishReason.ERROR) {
                recent.put(job.key(), result);
            }
        } finally {
            lock.unlock();
        }
        if (result.finishReason() == FinishReason.ERROR) {
            counters.failedRows.add(waiters.size());
        }
        GenerationWork work = result.work();
        for (Job.Waiter waiter : waiters) {
            waiter.future().complete(result.of(waiter.id(), work));
            work = GenerationWork.DEDUPLICATED;
        }
    }

    /** Ends a client: what it waits for is cancelled, jobs that nobody else waits for are abandoned. */
    void close(ClientQueue client) {
        List<Job.Waiter> cancelled = new ArrayList<>();
        lock.lock();
        try {
            client.closed = true;
            turns.remove(client);
            for (Job job : List.copyOf(open)) {
                if (!takeWaiters(job, client, cancelled)) {
                    continue;
                }
                boolean queued = client.waiting.contains(job);
                if (job.waiters.isEmpty()) {
                    job.abandoned = true;
                    forget(job);
                } else if (queued) {
                    requeue(job, job.waiters.get(0).client());
                }
            }
            client.waiting.clear();
        } finally {
            lock.unlock();
        }
        cancelled.forEach(waiter -> waiter.future().completeExceptionally(cancelled()));
    }

    private static boolean takeWaiters(Job job, ClientQueue client, List<Job.Waiter> into) {
        int before = into.size();
        job.waiters.stream().filter(waiter -> waiter.client() == client).forEach(into::add);
        job.waiters.removeIf(waiter -> waiter.client() == client);
        return into.size() > before;
    }

    private void requeue(Job job, ClientQueue client) {
        if (client.waiting.isEmpty()) {
            turns.addLast(client);
        }
        client.waiting.addLast(job);
        work.signal();
    }

    private void forget(Job job) {
        open.remove(job);
        if (deduplicate && job.isShareable()) {
            shared.remove(job.key(), job);
        }
    }

    /** Ends everything: whoever waits gets the fault. */
    void close(KindlingException reason) {
        List<Job.Waiter> waiters = new ArrayList<>();
        lock.lock();
        try {
            if (closedBecause == null) {
                closedBecause = reason;
            }
            open.forEach(job -> {
                waiters.addAll(job.waiters);
                job.abandoned = true;
            });
            open.clear();
            shared.clear();
            turns.clear();
            recent.clear();
            work.signalAll();
        } finally {
            lock.unlock();
        }
        waiters.forEach(waiter -> waiter.future().completeExceptionally(reason));
    }

    private static KindlingException cancelled() {
        return new KindlingException(ErrorCode.CANCELLED, "the client that asked for this text was closed");
    }
}
