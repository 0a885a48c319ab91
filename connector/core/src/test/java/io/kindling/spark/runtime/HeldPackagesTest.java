package io.kindling.spark.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class HeldPackagesTest {
    private static final Path FOLDER = Path.of("held-packages-test");

    @SuppressWarnings("unchecked")
    private static Map<Path, Map.Entry<CompletableFuture<Optional<FileChannel>>, AtomicInteger>> held() {
        return (Map<Path, Map.Entry<CompletableFuture<Optional<FileChannel>>, AtomicInteger>>)
                System.getProperties().get("io.kindling.nodeCache.held");
    }

    private static Map.Entry<CompletableFuture<Optional<FileChannel>>, AtomicInteger> opening() {
        return Map.entry(new CompletableFuture<>(), new AtomicInteger(1));
    }

    /** Whoever opened first has failed and another one has begun, when a task that waited for the first is killed. */
    @Test
    void whoIsKilledAmidAWaitLetsGoOfWhatItWaitedForAlone() throws Exception {
        HeldPackages.unlessHeld(FOLDER, () -> true); // makes the map
        var first = opening();
        var second = opening();
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            try {
                HeldPackages.hold(FOLDER, Optional::empty);
                end.complete(null);
            } catch (Throwable e) {
                end.complete(e);
            }
        });
        waiting.setDaemon(true);
        synchronized (held()) {
            held().put(FOLDER, first);
        }
        try {
            waiting.start();
            await().until(() -> first.getValue().get() == 2 && waiting.getState() == Thread.State.WAITING);
            synchronized (held()) {
                held().put(FOLDER, second);
            }
            waiting.interrupt();
            assertThat(end).succeedsWithin(Duration.ofSeconds(10)).isInstanceOf(InterruptedException.class);
            synchronized (held()) {
                assertThat(held()).containsEntry(FOLDER, second);
            }
            assertThat(second.getValue()).hasValue(1);
        } finally {
            second.getKey().complete(Optional.empty());
            synchronized (held()) {
                held().remove(FOLDER);
            }
        }
    }
}
