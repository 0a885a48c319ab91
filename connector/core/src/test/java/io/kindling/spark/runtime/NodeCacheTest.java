package io.kindling.spark.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.runtime.PackageManifest.PackageFile;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
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

    @Test
    void aDamagedPackageIsWrittenAgain() throws IOException {
        NodeCache cache = new NodeCache(root, 1000);
        cache.open(manifest("a", 3), file("a", 3)).close();
        Path damaged = root.resolve(manifest("a", 3).digest()).resolve("a");
        Files.write(damaged, new byte[] {0, 1, 0});
        cache.open(manifest("a", 3), file("a", 3)).close();
        assertThat(damaged).hasBinaryContent(new byte[3]);
        Files.delete(PackageSums.file(damaged.getParent()));
        Files.write(damaged, new byte[] {0, 1, 0});
        cache.open(manifest("a", 3), file("a", 3)).close();
        assertThat(damaged).hasBinaryContent(new byte[3]);
    }

    /**
     * Another process: opens a package in {@code args[0]}, says so, and holds it; with "slow" it says so amid the write and waits,
     * with "evict" it opens another one where there is room for none.
     */
    static final class Other {
        public static void main(String[] args) {
            NodeCache.Writer writer = folder -> {
                Files.writeString(Path.of(args[0], "writes.txt"), "x", CREATE, APPEND);
                Files.write(folder.resolve("a"), new byte[2]);
                if (args.length > 1) {
                    sayAndWait();
                }
                Files.write(folder.resolve("a"), new byte[3]);
            };
            Path root = Path.of(args[0]);
            if (List.of(args).contains("evict")) {
                new NodeCache(root, 0).open(manifest("other", 1), file("other", 1));
            } else {
                new NodeCache(root, 1000).open(manifest("a", 3), writer);
            }
            sayAndWait();
        }

        private static void sayAndWait() throws UncheckedIOException {
            System.out.println("here");
            try {
                System.in.read();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private Process other(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                Other.class.getName(),
                root.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        processes.add(process);
        return process;
    }

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void endProcesses() {
        processes.forEach(Process::destroyForcibly);
    }

    private static void awaitHere(Process process) throws IOException {
        assertThat(process.inputReader().readLine()).isEqualTo("here");
    }

    @Test
    void aProcessKilledAsItWritesLeavesNoLockAndNothingThatIsTakenForAPackage() throws Exception {
        Process slow = other("slow");
        awaitHere(slow);
        Process waiting = other();
        waiting.getOutputStream().flush();
        slow.destroyForcibly().waitFor();
        awaitHere(waiting);
        assertThat(root.resolve("writes.txt")).hasContent("xx");
        assertThat(root.resolve(manifest("a", 3).digest()).resolve("a")).hasSize(3);
        assertThat(root).isDirectoryNotContaining("glob:**.partial");
        awaitHere(other());
        assertThat(root.resolve("writes.txt")).as("shared").hasContent("xx");
        try (NodeCache.Lease here = new NodeCache(root, 0).open(manifest("b", 1), file("b", 1))) {
            assertThat(here.folder()).isDirectory();
            assertThat(root.resolve(manifest("a", 3).digest()))
                    .as("others use it")
                    .isDirectory();
            processes.forEach(process -> process.destroyForcibly().onExit().join());
        }
        new NodeCache(root, 0).open(manifest("c", 1), file("c", 1)).close();
        assertThat(root.resolve(manifest("a", 3).digest())).as("nobody uses it").doesNotExist();
    }

    @Test
    void aPackageThatIsDamagedWhileOthersUseItIsCopiedRatherThanWaitedFor() throws Exception {
        awaitHere(other());
        Path damaged = root.resolve(manifest("a", 3).digest());
        Files.write(damaged.resolve("a"), new byte[] {0, 1, 0});
        NodeCache cache = new NodeCache(root, 1000, 300);
        try (NodeCache.Lease lease = cache.open(manifest("a", 3), file("a", 3))) {
            assertThat(lease.folder()).isNotEqualTo(damaged);
            assertThat(lease.folder().resolve("a")).hasBinaryContent(new byte[3]);
        }
        assertThat(damaged.resolve("a")).as("what others use is left alone").hasBinaryContent(new byte[] {0, 1, 0});
        processes.forEach(process -> process.destroyForcibly().onExit().join());
        try (NodeCache.Lease lease = cache.open(manifest("a", 3), file("a", 3))) {
            assertThat(lease.folder()).isEqualTo(damaged);
            assertThat(damaged.resolve("a")).hasBinaryContent(new byte[3]);
        }
    }

    /** Opens a package where it is constructed, for a second copy of these classes. */
    static final class Held implements AutoCloseable {
        private final NodeCache.Lease lease;

        Held(Path root) {
            lease = new NodeCache(root, 0).open(manifest("a", 3), folder -> {
                throw new IOException("it is there already");
            });
        }

        @Override
        public void close() {
            lease.close();
        }
    }

    private AutoCloseable heldByAnotherLoader() throws ReflectiveOperationException, IOException {
        List<URL> places = new ArrayList<>();
        for (String place : System.getProperty("java.class.path").split(File.pathSeparator)) {
            places.add(Path.of(place).toUri().toURL());
        }
        Class<?> copy = new URLClassLoader(places.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())
                .loadClass(Held.class.getName());
        assertThat(copy).isNotEqualTo(Held.class);
        Constructor<?> constructor = copy.getDeclaredConstructor(Path.class);
        constructor.setAccessible(true);
        return (AutoCloseable) constructor.newInstance(root);
    }

    @Test
    void copiesOfTheClassInOneProcessShareAPackageAndItsLock() throws Exception {
        NodeCache cache = new NodeCache(root, 1000);
        cache.open(manifest("a", 3), file("a", 3)).close();
        try (AutoCloseable elsewhere = heldByAnotherLoader()) {
            cache.open(manifest("a", 3), file("a", 3)).close();
            new NodeCache(root, 0).open(manifest("b", 1), file("b", 1)).close();
            assertThat(root.resolve(manifest("a", 3).digest()))
                    .as("the other copy uses it")
                    .isDirectory();
            Process evicting = other("evict");
            awaitHere(evicting);
            assertThat(root.resolve(manifest("a", 3).digest()))
                    .as("it still has its lock")
                    .isDirectory();
            assertThat(elsewhere).isNotNull();
        }
        awaitHere(other("evict"));
        assertThat(root.resolve(manifest("a", 3).digest()))
                .as("nobody uses it any more")
                .doesNotExist();
    }

    @Test
    void aTaskKilledAsItWritesLetsTheNextOneWriteWhileOtherPackagesDoNotWait() throws Exception {
        NodeCache cache = new NodeCache(root, 1000);
        CountDownLatch writing = new CountDownLatch(1);
        CompletableFuture<Throwable> fault = new CompletableFuture<>();
        Thread killed = new Thread(() -> fault.complete(catchThrowable(() -> cache.open(manifest("a", 3), folder -> {
            writing.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }))));
        killed.start();
        writing.await();
        cache.open(manifest("b", 1), file("b", 1)).close();
        CompletableFuture<NodeCache.Lease> next =
                CompletableFuture.supplyAsync(() -> cache.open(manifest("a", 3), file("a", 3)));
        killed.interrupt();
        assertThat(fault.get()).isInstanceOfSatisfying(KindlingException.class, e -> assertThat(e.code())
                .isEqualTo(ErrorCode.CANCELLED));
        try (NodeCache.Lease lease = next.get()) {
            assertThat(lease.folder().resolve("a")).hasSize(3);
        }
    }

    @Test
    void whatAKilledProcessLeftOfAnotherPackageIsRemoved() throws IOException {
        Path left = Files.createDirectories(root.resolve("0123.partial"));
        Files.write(left.resolve("a"), new byte[2]);
        new NodeCache(root, 1000).open(manifest("b", 1), file("b", 1)).close();
        assertThat(left).doesNotExist();
    }

    @Test
    void aFullDiskIsToldAndLeavesNothing() throws Exception {
        assumeTrue(
                "root".equals(System.getProperty("user.name"))
                        && System.getProperty("os.name").equals("Linux"),
                "mounting a small file system needs root on Linux");
        Process mount = new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", root.toString())
                .redirectErrorStream(true)
                .start();
        String told = new String(mount.getInputStream().readAllBytes(), UTF_8);
        assumeTrue(mount.waitFor() == 0, "mounting a small file system is refused here: " + told);
        try {
            NodeCache cache = new NodeCache(root, 1 << 20);
            assertThatThrownBy(() -> cache.open(manifest("a", 100_000), file("a", 100_000)))
                    .isInstanceOfSatisfying(
                            KindlingException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IO))
                    .hasMessageContainingAll("No space left on device", "100000 free bytes");
            assertThat(root).isDirectoryNotContaining("glob:**.partial");
            cache.open(manifest("b", 20_000), file("b", 20_000)).close();
        } finally {
            assertThat(new ProcessBuilder("umount", root.toString()).start().waitFor())
                    .isZero();
        }
    }
}
