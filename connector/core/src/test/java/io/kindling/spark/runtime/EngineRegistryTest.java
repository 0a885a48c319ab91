package io.kindling.spark.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.kindling.engine.EngineOptions;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.error.ModelException;
import io.kindling.spark.config.MemoryOptions;
import io.kindling.spark.config.NodeCacheOptions;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineRegistryTest {
    private static final EngineOptions OPTIONS = EngineOptions.defaults();

    @TempDir
    Path folder;

    private static final MemoryLimit PLENTY = new MemoryLimit(1L << 40, "the test", "have %s");

    private MemoryLimit limit = PLENTY;
    private final EngineRegistry registry = new EngineRegistry(FakeEngines::open, (options, taken) -> limit);

    @BeforeEach
    void reset() {
        FakeEngines.install();
    }

    private ModelSource model(String name, int bytes) {
        try {
            Path model = Files.createDirectories(folder.resolve(name));
            Files.write(model.resolve("model.onnx"), new byte[bytes]);
            return new PathSource(model.toUri().toString(), new HadoopSettings(java.util.Map.of()));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private EngineRegistry.Lease acquire(ModelSource source, long idleBudget) {
        return acquire(source, new MemoryOptions(0, idleBudget, 0), OPTIONS);
    }

    private EngineRegistry.Lease acquire(ModelSource source, MemoryOptions memory, EngineOptions options) {
        return registry.acquire(new EngineRegistry.Request(
                source, new NodeCacheOptions(folder.toString(), 1000), options, true, memory));
    }

    @Test
    void concurrentTasksLoadOnce() throws Exception {
        ModelSource model = model("a", 10);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        Callable<EngineRegistry.Lease> task = () -> acquire(model, 0);
        List<EngineRegistry.Lease> leases = new java.util.ArrayList<>();
        for (Future<EngineRegistry.Lease> lease :
                threads.invokeAll(IntStream.range(0, 8).mapToObj(i -> task).toList())) {
            leases.add(lease.get());
        }
        threads.shutdown();
        assertThat(leases).filteredOn(EngineRegistry.Lease::openedHere).hasSize(1);
        assertThat(leases)
                .extracting(EngineRegistry.Lease::model)
                .containsOnly(leases.get(0).model());
        leases.subList(1, 8).forEach(EngineRegistry.Lease::close);
        assertThat(FakeEngines.LOADED).hasValue(1);
        leases.get(0).close();
        assertThat(FakeEngines.LOADED).hasValue(0);
        assertThat(registry.opened()).isEqualTo(1);
    }

    @Test
    void idleEnginesStayWithinTheirBudgetLongestIdleGoFirst() {
        ModelSource a = model("a", 60);
        ModelSource b = model("b", 60);
        acquire(a, 100).close();
        acquire(a, 100).close();
        assertThat(registry.opened()).isEqualTo(1);
        acquire(b, 100).close();
        assertThat(registry.loaded()).isEqualTo(1);
        assertThat(FakeEngines.LOADED).hasValue(1);
        acquire(b, 100).close();
        assertThat(registry.opened()).isEqualTo(2);
        acquire(a, 100).close();
        assertThat(registry.opened()).isEqualTo(3);
    }

    @Test
    void usedEnginesAreNeverClosed() {
        EngineRegistry.Lease used = acquire(model("a", 60), 0);
        acquire(model("b", 60), 0).close();
        assertThat(FakeEngines.LOADED).hasValue(1);
        used.close();
        assertThat(FakeEngines.LOADED).hasValue(0);
    }

    @Test
    void changedFilesAreAnotherModel() {
        acquire(model("a", 60), 1000).close();
        acquire(model("a", 61), 1000).close();
        assertThat(registry.opened()).isEqualTo(2);
    }

    @Test
    void aFailedLoadIsForgotten() throws IOException {
        ModelSource broken = model("a", 1);
        Files.createFile(folder.resolve("a/broken"));
        assertThatThrownBy(() -> acquire(broken, 0)).isInstanceOf(ModelException.class);
        Files.delete(folder.resolve("a/broken"));
        acquire(broken, 0).close();
        assertThat(registry.opened()).isEqualTo(1);
    }

    /** A model of 60 bytes: 60 of files, 60 of layouts, 64 MiB of cache, 8 MiB of workspace. */
    private static final long NEEDED = 60 + 60 + (72L << 20);

    @Test
    void tasksThatWaitForALoadSurviveTheOneThatWasKilledInIt() throws Exception {
        CountDownLatch loading = new CountDownLatch(1);
        AtomicBoolean first = new AtomicBoolean(true);
        EngineOpener killable = (path, options) -> {
            if (first.getAndSet(false)) {
                loading.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new KindlingException(ErrorCode.IO, "interrupted", e);
                }
            }
            return FakeEngines.open(path, options);
        };
        ModelSource model = model("one", 10);
        EngineRegistry.Request request = new EngineRegistry.Request(
                model,
                new NodeCacheOptions(folder.toString(), 1000),
                OPTIONS,
                true,
                new MemoryOptions(0, Long.MAX_VALUE, 0));
        try (EngineRegistry killing = new EngineRegistry(killable, (options, taken) -> PLENTY)) {
            CompletableFuture<Throwable> loader = new CompletableFuture<>();
            CompletableFuture<Throwable> waiter = new CompletableFuture<>();
            Thread loads = new Thread(() -> loader.complete(catchThrowable(() -> killing.acquire(request))));
            Thread waits = new Thread(() -> waiter.complete(catchThrowable(() -> killing.acquire(request))));
            loads.start();
            loading.await();
            CompletableFuture<EngineRegistry.Lease> next = new CompletableFuture<>();
            new Thread(() -> next.complete(killing.acquire(request))).start();
            waits.start();
            await().until(() -> waits.getState() == Thread.State.WAITING);
            waits.interrupt();
            assertThat(waiter.get())
                    .as("a killed task does not wait on")
                    .isInstanceOfSatisfying(
                            KindlingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CANCELLED));
            loads.interrupt();
            assertThat(loader.get()).hasMessageContaining("interrupted");
            try (EngineRegistry.Lease lease = next.get()) {
                assertThat(lease.openedHere()).isTrue();
            }
            assertThat(killing.loaded()).isEqualTo(1);
            assertThat(FakeEngines.LOADED).hasValue(1);
        }
    }

    @Test
    void aModelThatNeverFitsIsRefusedWithTheSumBeforeItIsLoaded() {
        limit = new MemoryLimit(NEEDED - 1, "a limit of this test", "raise it to %s");
        ModelSource model = model("a", 60);
        assertThatThrownBy(() -> acquire(model, 0))
                .isInstanceOfSatisfying(
                        KindlingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DOES_NOT_FIT))
                .hasMessageContainingAll(
                        model.uri(),
                        "needs 73 MiB beside the Java heap: weights 1 MiB mapped, prepacked 1 MiB, KV cache 64 MiB,"
                                + " workspace 8 MiB",
                        "may have 72 MiB (a limit of this test)",
                        "raise it to 73 MiB");
        assertThat(FakeEngines.ATTEMPTS).hasValue(0);
        limit = new MemoryLimit(NEEDED, "a limit of this test", "raise it to %s");
        acquire(model, 1000).close();
        assertThat(FakeEngines.LOADED).hasValue(1);
    }

    @Test
    void memoryThatTasksUseIsRefusedForAnotherModelUntilTheyEnd() {
        limit = new MemoryLimit(NEEDED * 3 / 2, "a limit of this test", "raise it to %s");
        EngineOptions cacheOf64 = OPTIONS.withKvBudgetBytes(64L << 20);
        EngineRegistry.Lease used = acquire(model("a", 60), new MemoryOptions(0, 1000, 0), cacheOf64);
        assertThatThrownBy(() -> acquire(model("b", 60), 1000))
                .isInstanceOfSatisfying(
                        KindlingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OUT_OF_MEMORY))
                .hasMessageContainingAll("of which other models in use take 73 MiB", "raise it to 145 MiB");
        used.close();
        assertThat(FakeEngines.LOADED).hasValue(1);
        acquire(model("b", 60), 1000).close();
        assertThat(FakeEngines.LOADED).as("the idle one made room").hasValue(1);
        assertThat(registry.opened()).isEqualTo(2);
    }

    @Test
    void anIdleEngineThatFailsToCloseLeavesNobodyWaitingForTheNextOne() throws Exception {
        AtomicBoolean fails = new AtomicBoolean(true);
        EngineOpener opener = (path, options) -> {
            EngineOpener.LoadedModel fake = FakeEngines.open(path, options);
            return (EngineOpener.LoadedModel) Proxy.newProxyInstance(
                    EngineOpener.class.getClassLoader(),
                    new Class<?>[] {EngineOpener.LoadedModel.class},
                    (proxy, method, arguments) -> {
                        Object result = method.invoke(fake, arguments);
                        if (method.getName().equals("close") && fails.getAndSet(false)) {
                            throw new IllegalStateException("closed badly");
                        }
                        return result;
                    });
        };
        MemoryLimit ofOne = new MemoryLimit(NEEDED * 3 / 2, "a limit of this test", "raise it to %s");
        EngineRegistry small = new EngineRegistry(opener, (options, taken) -> ofOne);
        List<EngineRegistry.Request> requests = Stream.of("a", "b")
                .map(name -> new EngineRegistry.Request(
                        model(name, 60),
                        new NodeCacheOptions(folder.toString(), 1000),
                        OPTIONS.withKvBudgetBytes(64L << 20),
                        true,
                        new MemoryOptions(0, 1000, 0)))
                .toList();
        small.acquire(requests.get(0)).close();
        assertThatThrownBy(() -> small.acquire(requests.get(1))).hasMessage("closed badly");
        CompletableFuture<EngineRegistry.Lease> next = new CompletableFuture<>();
        Thread task = new Thread(() -> next.complete(small.acquire(requests.get(1))));
        task.setDaemon(true);
        task.start();
        assertThat(next).succeedsWithin(Duration.ofSeconds(10)).satisfies(EngineRegistry.Lease::close);
        small.close();
        assertThat(FakeEngines.LOADED).hasValue(0);
    }

    @Test
    void withoutASettingTheCacheIsHalfOfWhatIsLeft() {
        long rest = 1000L << 20;
        limit = new MemoryLimit(60 + 60 + (8L << 20) + rest, "a limit of this test", "raise it to %s");
        acquire(model("a", 60), 1000).close();
        assertThat(FakeEngines.LAST_OPTIONS.get().kvBudgetBytes()).isEqualTo(rest / 2);
        assertThat(registry.taken())
                .as("weights and layouts as measured")
                .isEqualTo(FakeEngines.WEIGHT_BYTES + FakeEngines.PREPACKED_BYTES + rest / 2 + (8L << 20));
        acquire(model("b", 60), new MemoryOptions(0, 1000, 0), OPTIONS.withKvBudgetBytes(100L << 20))
                .close();
        assertThat(FakeEngines.LAST_OPTIONS.get().kvBudgetBytes()).isEqualTo(100L << 20);
    }

    @Test
    void anIdleEngineLeavesWhenItsTimeIsUp() {
        MemoryOptions second = new MemoryOptions(0, 1000, 1);
        acquire(model("a", 60), second, OPTIONS).close();
        EngineRegistry.Lease used = acquire(model("a", 60), second, OPTIONS);
        await().pollDelay(Duration.ofMillis(1500)).until(() -> true);
        assertThat(FakeEngines.LOADED).as("used again meanwhile").hasValue(1);
        used.close();
        await().atMost(Duration.ofSeconds(5))
                .untilAsserted(() -> assertThat(FakeEngines.LOADED).hasValue(0));
        assertThat(registry.loaded()).isZero();
        assertThat(registry.taken()).isZero();
    }

    @Test
    void closingTheRegistryClosesAllAndRefusesMore() {
        EngineRegistry.Lease used = acquire(model("a", 60), 1000);
        acquire(model("b", 60), 1000).close();
        registry.close();
        assertThat(FakeEngines.LOADED).hasValue(0);
        used.close();
        assertThatThrownBy(() -> acquire(model("a", 60), 1000)).hasMessageContaining("shutting down");
    }
}
