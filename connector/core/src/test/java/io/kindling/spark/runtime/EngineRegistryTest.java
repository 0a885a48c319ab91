package io.kindling.spark.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.EngineOptions;
import io.kindling.engine.error.ModelException;
import io.kindling.spark.config.NodeCacheOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EngineRegistryTest {
    private static final EngineOptions OPTIONS = EngineOptions.defaults();

    @TempDir
    Path folder;

    private final EngineRegistry registry = new EngineRegistry(FakeEngines::open);

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
        return registry.acquire(source, new NodeCacheOptions(folder.toString(), 1000), OPTIONS, idleBudget);
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
}
