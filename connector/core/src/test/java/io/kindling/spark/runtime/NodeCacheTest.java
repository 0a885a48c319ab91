package io.kindling.spark.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.runtime.PackageManifest.PackageFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeCacheTest {
    @TempDir
    Path root;

    private static PackageManifest manifest(String name, long size) {
        return PackageManifest.of("", "", List.of(new PackageFile(name, size, "stamp")));
    }

    private static NodeCache.Writer file(String name, int size) {
        return folder -> Files.write(folder.resolve(name), new byte[size]);
    }

    @Test
    void writesOncePerDigestThoughManyAsk() throws Exception {
        NodeCache cache = new NodeCache(root, 1000);
        AtomicInteger writes = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Callable<Path>> tasks = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            tasks.add(() -> {
                try (NodeCache.Lease lease = cache.open(manifest("a", 3), folder -> {
                    writes.incrementAndGet();
                    Files.write(folder.resolve("a"), new byte[3]);
                })) {
                    assertThat(lease.folder().resolve("a")).hasSize(3);
                    return lease.folder();
                }
            });
        }
        for (Future<Path> done : threads.invokeAll(tasks)) {
            assertThat(done.get()).isEqualTo(root.resolve(manifest("a", 3).digest()));
        }
        threads.shutdown();
        assertThat(writes).hasValue(1);
    }

    @Test
    void packagesWithEqualFileNamesLieApart() {
        NodeCache cache = new NodeCache(root, 1000);
        try (NodeCache.Lease one = cache.open(manifest("model.onnx", 1), file("model.onnx", 1));
                NodeCache.Lease two = cache.open(manifest("model.onnx", 2), file("model.onnx", 2))) {
            assertThat(one.folder().resolve("model.onnx")).hasSize(1);
            assertThat(two.folder().resolve("model.onnx")).hasSize(2);
        }
    }

    @Test
    void aFailedWriteLeavesNothingAndIsTriedAgain() {
        NodeCache cache = new NodeCache(root, 1000);
        assertThatThrownBy(() -> cache.open(manifest("a", 3), folder -> {
                    Files.write(folder.resolve("a"), new byte[3]);
                    throw new IOException("disk full");
                }))
                .isInstanceOfSatisfying(
                        KindlingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IO))
                .hasMessageContainingAll("disk full", "spark.kindling.cacheDir");
        assertThat(root.resolve(manifest("a", 3).digest())).doesNotExist();
        try (NodeCache.Lease lease = cache.open(manifest("a", 3), file("a", 3))) {
            assertThat(lease.folder().resolve("a")).hasSize(3);
        }
    }

    @Test
    void aCutPackageIsWrittenAgain() throws IOException {
        NodeCache cache = new NodeCache(root, 1000);
        cache.open(manifest("a", 3), file("a", 3)).close();
        Files.write(root.resolve(manifest("a", 3).digest()).resolve("a"), new byte[1]);
        try (NodeCache.Lease lease = cache.open(manifest("a", 3), file("a", 3))) {
            assertThat(lease.folder().resolve("a")).hasSize(3);
        }
    }

    @Test
    void evictsLongestUnusedButNothingInUse() throws IOException {
        NodeCache cache = new NodeCache(root, 250);
        NodeCache.Lease used = cache.open(manifest("used", 100), file("used", 100));
        Path old = root.resolve(manifest("old", 100).digest());
        cache.open(manifest("old", 100), file("old", 100)).close();
        Files.setLastModifiedTime(used.folder(), FileTime.fromMillis(1000));
        Files.setLastModifiedTime(old, FileTime.fromMillis(2000));
        cache.open(manifest("new", 100), file("new", 100)).close();
        assertThat(used.folder().resolve("used")).hasSize(100);
        assertThat(old).doesNotExist();
        assertThat(root.resolve(manifest("new", 100).digest())).isDirectory();
        used.close();
    }
}
