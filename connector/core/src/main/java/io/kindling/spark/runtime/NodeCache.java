package io.kindling.spark.runtime;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.config.NodeCacheOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.FileLockInterruptionException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Model packages on this node, one folder each, named by digest. Every process of the node shares it: a package is written
 * once, beside its place, and moved there atomically; one that the disk has damaged is written again; whoever uses it holds a shared file lock, so that eviction, which
 * takes exclusive locks, leaves it alone.
 */
final class NodeCache {
    private static final Logger LOG = LoggerFactory.getLogger(NodeCache.class);
    private static final String PARTIAL = ".partial";
    /** A process that looks at a package lets go of it soon, one that uses it may not. */
    private static final long PATIENCE_MILLIS = 10_000;

    private static final long PAUSE_MILLIS = 100;
    private static final int MOST_COPIES = 9;

    private final Path root;
    private final long capBytes;
    private final long patienceMillis;

    /** @param capBytes packages not in use are evicted, longest unused first, while the cache is larger */
    NodeCache(Path root, long capBytes) {
        this(root, capBytes, PATIENCE_MILLIS);
    }

    /** @param patienceMillis how long to wait for other processes to let go of a damaged package */
    NodeCache(Path root, long capBytes, long patienceMillis) {
        this.root = root;
        this.capBytes = capBytes;
        this.patienceMillis = patienceMillis;
    }

    static NodeCache of(NodeCacheOptions options) {
        Path root = options.directory().isEmpty()
                ? Path.of(System.getProperty("java.io.tmpdir"), "kindling-" + System.getProperty("user.name"))
                : Path.of(options.directory());
        return new NodeCache(root, options.capBytes());
    }

    /** Writes the files of a package into an empty folder. */
    interface Writer {
        void write(Path folder) throws IOException;
    }

    /** A package in use; closing it lets it be evicted. */
    record Lease(Path folder, Runnable release) implements AutoCloseable {
        @Override
        public void close() {
            release.run();
        }
    }

    /** The package's folder, written by {@code writer} when this node does not have it yet. */
    Lease open(PackageManifest manifest, Writer writer) {
        try {
            // A damaged package that other processes use is left to them, and another copy written.
            for (int copy = 1; copy <= MOST_COPIES; copy++) {
                Path folder = root.resolve(manifest.digest() + (copy == 1 ? "" : "-" + copy));
                if (HeldPackages.hold(folder, () -> lock(folder, manifest, writer))) {
                    return new Lease(folder, () -> release(folder));
                }
            }
            throw new IOException(MOST_COPIES + " copies of it are damaged and in use");
        } catch (IOException | UncheckedIOException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw killed(e);
            }
            throw new KindlingException(
                    ErrorCode.IO,
                    "cannot write the model package to the node cache " + root + ": " + e
                            + "; point spark.kindling.cacheDir at a writable folder with "
                            + manifest.totalBytes() + " free bytes",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw killed(e);
        }
    }

    private KindlingException killed(Exception cause) {
        return new KindlingException(
                ErrorCode.CANCELLED, "the task was killed as it put its model into the node cache " + root, cause);
    }

    private Optional<FileChannel> lock(Path folder, PackageManifest manifest, Writer writer) throws IOException {
        Files.createDirectories(root);
        FileChannel channel = FileChannel.open(
                lockFile(folder), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        boolean used = false;
        try {
            used = lock(channel, folder, manifest, writer);
            return used ? Optional.of(channel) : Optional.empty();
        } finally {
            if (used) {
                evict();
            } else {
                channel.close();
            }
        }
    }

    /** Whether the channel has a shared lock on a package that is whole. */
    private boolean lock(FileChannel channel, Path folder, PackageManifest manifest, Writer writer) throws IOException {
        for (long waited = 0; waited < patienceMillis; ) {
            FileLock shared = channel.lock(0, Long.MAX_VALUE, true); // waits for one that writes
            // Each process looks once, since what it maps must be what was sent.
            FileTime noted = PackageSums.noted(folder);
            if (PackageSums.hold(folder, manifest)) {
                LOG.info("model package {} is in the node cache", folder);
                touch(folder);
                return true;
            }
            shared.release();
            FileLock exclusive = channel.tryLock();
            for (; exclusive == null && waited < patienceMillis; waited += PAUSE_MILLIS) {
                channel.lock(0, Long.MAX_VALUE, true).release();
                if (!noted.equals(PackageSums.noted(folder))) {
                    break; // another process wrote it
                }
                pause();
                exclusive = channel.tryLock();
            }
            if (exclusive != null) {
                writeUnlessThere(folder, manifest, writer);
                exclusive.release();
            }
        }
        LOG.warn("model package {} is damaged while other processes use it; another copy is made", folder);
        return false;
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FileLockInterruptionException();
        }
    }

    private static void touch(Path folder) {
        try {
            Files.setLastModifiedTime(folder, FileTime.fromMillis(System.currentTimeMillis()));
        } catch (IOException e) {
            LOG.debug("model package {} belongs to another user and keeps its time of use", folder, e);
        }
    }

    private static void writeUnlessThere(Path folder, PackageManifest manifest, Writer writer) throws IOException {
        if (PackageSums.hold(folder, manifest)) {
            return;
        }
        write(folder, manifest, writer);
        if (!PackageSums.hold(folder, manifest)) {
            throw new IOException("the files written to " + folder + " are not those of the package");
        }
        LOG.info("model package {} was written, {} bytes", folder, manifest.totalBytes());
    }

    private static void write(Path folder, PackageManifest manifest, Writer writer) throws IOException {
        Path scratch = folder.resolveSibling(folder.getFileName() + PARTIAL);
        delete(scratch);
        delete(folder);
        Files.createDirectory(scratch);
        try {
            writer.write(scratch);
            PackageSums.note(folder, scratch, manifest);
            Files.move(scratch, folder, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            delete(scratch);
        }
    }

    private static void release(Path folder) {
        try {
            HeldPackages.release(folder);
        } catch (IOException e) {
            throw new KindlingException(ErrorCode.IO, "cannot release a node cache lock: " + e, e);
        }
    }

    /** A cache that is too large for a while is no reason not to use a package. */
    private void evict() {
        try {
            Map<Path, FileTime> used = new HashMap<>();
            try (Stream<Path> children = Files.list(root)) {
                children.filter(Files::isDirectory).forEach(folder -> used.put(folder, lastUsed(folder)));
            }
            List<Path> packages = new ArrayList<>();
            for (Path folder : used.keySet()) {
                String name = folder.getFileName().toString();
                if (name.endsWith(PARTIAL)) {
                    // Of a process that was killed as it wrote, unless one is writing.
                    deleteUnlessUsed(
                            folder.resolveSibling(name.substring(0, name.length() - PARTIAL.length())), folder);
                } else {
                    packages.add(folder);
                }
            }
            packages.sort(Comparator.comparing(used::get));
            evictLongestUnused(packages);
        } catch (IOException | UncheckedIOException e) {
            LOG.warn("the node cache {} was not cleared up: {}", root, e.toString());
        }
    }

    private void evictLongestUnused(List<Path> packages) throws IOException {
        Map<Path, Long> sizes = new HashMap<>();
        long total = 0;
        for (Path folder : packages) {
            long size = size(folder);
            sizes.put(folder, size);
            total += size;
        }
        for (Path folder : packages) {
            if (total <= capBytes) {
                return;
            }
            if (deleteUnlessUsed(folder, folder, PackageSums.file(folder))) {
                total -= sizes.get(folder);
            }
        }
    }

    private static boolean deleteUnlessUsed(Path folder, Path... what) throws IOException {
        return HeldPackages.unlessHeld(folder, () -> {
            try (FileChannel channel =
                            FileChannel.open(lockFile(folder), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock exclusive = channel.tryLock()) {
                if (exclusive == null) {
                    return false;
                }
                for (Path path : what) {
                    delete(path);
                }
                return true;
            }
        });
    }

    private static Path lockFile(Path folder) {
        return folder.resolveSibling(folder.getFileName() + ".lock");
    }

    private static FileTime lastUsed(Path folder) {
        try {
            return Files.getLastModifiedTime(folder);
        } catch (IOException e) {
            return FileTime.fromMillis(0); // evicted meanwhile
        }
    }

    private static long size(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile)
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        } catch (NoSuchFileException | UncheckedIOException evictedMeanwhile) {
            return 0;
        }
    }

    private static void delete(Path path) throws IOException {
        if (!Files.exists(path)) {
            return;
        }
        List<Path> deepestFirst;
        try (Stream<Path> files = Files.walk(path)) {
            deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path file : deepestFirst) {
            Files.deleteIfExists(file);
        }
    }
}
