package io.kindling.engine.cpu;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * Fork and join over a fixed set of threads, the caller taking part. One job runs at a time; a caller that finds the pool
 * busy does its job alone. Workers spin for a bounded time after a job, because the next one of the same step follows
 * within microseconds, and then sleep. A run allocates nothing.
 *
 * <p>Callers that run whole graphs side by side say so by {@link #enter}: each counts as one of the pool's threads, so that as many
 * callers as threads get no helpers, and no more threads compute than there are cores.
 */
public final class KernelPool implements AutoCloseable {
    /** Work of one job, in numbered parts that any thread may run in any order. */
    @FunctionalInterface
    public interface Parts {
        void run(int part);
    }

    private static final long SPIN_NANOS = 100_000;
    private static final int SPINS_PER_CLOCK_READ = 32;

    private final Worker[] workers;

    /** Job number in the high half, parts not yet taken in the low half; one word, so that no thread takes a part of a past job. */
    private final AtomicLong ticket = new AtomicLong();

    private final AtomicInteger unfinished = new AtomicInteger();
    private final AtomicReference<Throwable> fault = new AtomicReference<>();
    private final AtomicReference<Thread> owner = new AtomicReference<>();
    private final AtomicInteger callers = new AtomicInteger();
    private volatile boolean callerSleeps;
    private volatile boolean closed;
    /** Workers that take part in the present job: those of a lower number. */
    private volatile int helpers;

    private int parts;
    private Parts task;

    /** @param threads threads that compute at once, the caller among them */
    public KernelPool(int threads) {
        workers = new Worker[Math.max(threads, 1) - 1];
        for (int k = 0; k < workers.length; k++) {
            workers[k] = new Worker(k);
            workers[k].start();
        }
    }

    /** Threads that compute at once. */
    public int threads() {
        return workers.length + 1;
    }

    /** The calling thread begins a stretch of jobs; {@link #leave} ends it. */
    void enter() {
        callers.incrementAndGet();
    }

    void leave() {
        callers.decrementAndGet();
    }

    /** Runs parts 0 to {@code count − 1} and returns when all are done. The first fault of a part is thrown here. */
    public void run(int count, Parts work) {
        int wanted = Math.min(count - 1, threads() - Math.max(callers.get(), 1));
        if (wanted <= 0 || closed || !owner.compareAndSet(null, Thread.currentThread())) {
            for (int part = 0; part < count; part++) {
                work.run(part);
            }
            return;
        }
        try {
            parts = count;
            task = work;
            unfinished.set(count);
            helpers = wanted;
            ticket.set(((ticket.get() >>> 32) + 1) << 32 | count);
            wake(wanted);
            takeParts();
            awaitOthers();
        } finally {
            task = null;
            Throwable first = fault.getAndSet(null);
            owner.set(null);
            if (first != null) {
                throwUnchecked(first);
            }
        }
    }

    private static void throwUnchecked(Throwable first) {
        if (first instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) first;
    }

    private void wake(int wanted) {
        for (int k = 0; k < wanted; k++) {
            if (workers[k].sleeps) {
                LockSupport.unpark(workers[k]);
            }
        }
    }

    private void takeParts() {
        long seen = ticket.get();
        while ((int) seen > 0) {
            if (ticket.compareAndSet(seen, seen - 1)) {
                runPart(parts - (int) seen);
            }
            seen = ticket.get();
        }
    }

    private void runPart(int part) {
        try {
            task.run(part);
        } catch (RuntimeException | Error problem) {
            fault.compareAndSet(null, problem);
        } finally {
            // Read before the job can end: afterwards the fields belong to the next one.
            Thread caller = owner.get();
            if (unfinished.decrementAndGet() == 0 && callerSleeps) {
                LockSupport.unpark(caller);
            }
        }
    }

    private void awaitOthers() {
        long deadline = 0;
        int spins = 0;
        while (unfinished.get() > 0) {
            Thread.onSpinWait();
            if (++spins % SPINS_PER_CLOCK_READ == 0) {
                long now = System.nanoTime();
                if (deadline == 0) {
                    deadline = now + SPIN_NANOS;
                } else if (now - deadline > 0) {
                    sleepUntilFinished();
                }
            }
        }
    }

    private void sleepUntilFinished() {
        boolean interrupted = false;
        callerSleeps = true;
        while (unfinished.get() > 0) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        callerSleeps = false;
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the workers; later runs are done by their callers alone. */
    @Override
    public void close() {
        closed = true;
        for (Worker worker : workers) {
            LockSupport.unpark(worker);
        }
    }

    private final class Worker extends Thread {
        private final int number;
        private volatile boolean sleeps;

        private Worker(int number) {
            super("kindling-kernel-" + (number + 1));
            this.number = number;
            setDaemon(true);
        }

        @Override
        public void run() {
            while (!closed) {
                if (isWanted()) {
                    takeParts();
                }
                spin();
                if (!isWanted()) {
                    sleeps = true;
                    while (!isWanted() && !closed) {
                        LockSupport.park(KernelPool.this);
                    }
                    sleeps = false;
                }
            }
        }

        private boolean isWanted() {
            return (int) ticket.get() > 0 && number < helpers;
        }

        private void spin() {
            long deadline = System.nanoTime() + SPIN_NANOS;
            while (!isWanted() && System.nanoTime() - deadline < 0) {
                for (int k = 0; k < SPINS_PER_CLOCK_READ && !isWanted(); k++) {
                    Thread.onSpinWait();
                }
            }
        }
    }
}
