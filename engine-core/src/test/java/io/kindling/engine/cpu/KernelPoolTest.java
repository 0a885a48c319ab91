package io.kindling.engine.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

class KernelPoolTest {
    @Test
    void runsEveryPartOnceForAnyCountAndPause() throws InterruptedException {
        try (KernelPool pool = new KernelPool(3)) {
            for (int round = 0; round < 2000; round++) {
                AtomicIntegerArray runs = new AtomicIntegerArray(round % 17);
                pool.run(runs.length(), runs::incrementAndGet);
                for (int part = 0; part < runs.length(); part++) {
                    assertThat(runs.get(part)).isEqualTo(1);
                }
                if (round % 500 == 0) {
                    // Long enough for the workers to fall asleep.
                    Thread.sleep(3);
                }
            }
        }
    }

    @Test
    void servesConcurrentAndNestedCallers() throws InterruptedException {
        try (KernelPool pool = new KernelPool(2)) {
            AtomicIntegerArray sums = new AtomicIntegerArray(4);
            List<Thread> callers = new ArrayList<>();
            for (int caller = 0; caller < 4; caller++) {
                int index = caller;
                callers.add(new Thread(() -> {
                    for (int k = 0; k < 200; k++) {
                        pool.run(5, part -> pool.run(2, inner -> sums.incrementAndGet(index)));
                    }
                }));
            }
            callers.forEach(Thread::start);
            for (Thread caller : callers) {
                caller.join();
            }
            for (int caller = 0; caller < 4; caller++) {
                assertThat(sums.get(caller)).isEqualTo(200 * 5 * 2);
            }
        }
    }

    @Test
    void asManyCallersAsThreadsComputeAloneAndOneAfterThemHasHelpersAgain() {
        try (KernelPool pool = new KernelPool(3)) {
            pool.enter();
            pool.enter();
            assertThat(threadsOf(pool, 2)).hasSize(2).doesNotContain("kindling-kernel-2");
            pool.enter();
            assertThat(threadsOf(pool, 1))
                    .containsExactly(Thread.currentThread().getName());
            pool.leave();
            pool.leave();
            assertThat(threadsOf(pool, 3)).hasSize(3);
            pool.leave();
        }
    }

    /** Names of the threads that take part in a job, each part of which waits for so many threads. */
    private static Set<String> threadsOf(KernelPool pool, int expected) {
        Set<String> names = ConcurrentHashMap.newKeySet();
        pool.run(3, part -> {
            names.add(Thread.currentThread().getName());
            long until = System.nanoTime() + 5_000_000_000L;
            while (names.size() < expected && System.nanoTime() < until) {
                Thread.onSpinWait();
            }
        });
        return names;
    }

    @Test
    void usesMoreThanOneThreadAndThrowsThePartsFault() {
        try (KernelPool pool = new KernelPool(2)) {
            ConcurrentHashMap<String, Boolean> names = new ConcurrentHashMap<>();
            pool.run(2, part -> {
                names.put(Thread.currentThread().getName(), true);
                long until = System.nanoTime() + 5_000_000_000L;
                while (names.size() < 2 && System.nanoTime() < until) {
                    Thread.onSpinWait();
                }
            });
            assertThat(names).hasSize(2);
            assertThatThrownBy(() -> pool.run(9, part -> {
                        if (part == 7) {
                            throw new IllegalStateException("part seven");
                        }
                    }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("part seven");
            pool.run(2, part -> {});
        }
    }
}
