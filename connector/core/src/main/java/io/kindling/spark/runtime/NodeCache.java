package io.kindling.spark.runtime;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.config.NodeCacheOptions;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
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
    private static final Map<Path, Held> HELD = new HashMap<>();

    private final Path root;
    private final long capBytes;

    /** @param capBytes packages not in use are evicted, longest unused first, while the cache is larger */
    NodeCache(Path root, long capBytes) {
        this.root = root;
        this.capBytes = capBytes;
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

    private static final class Held {
        final FileChannel channel;
        int users;

        Held(FileChannel channel) {
            this.channel = channel;
        }
    }

    /** The package's folder, written by {@code writer} when this node does not have it yet. */
    Lease open(PackageManifest manifest, Writer writer) {
        Path folder = root.resolve(manifest.digest());
        try {
            // File locks belong to the process, so its own threads are counted here.
            synchronized (HELD) {
                Held held = HELD.get(folder);
                if (held == null) {
                    held = new Held(lock(folder, manifest, writer));
                    HELD.put(folder, held);
                    evict();
                }
                held.users++;
            }
            return new Lease(folder, () -> release(folder));
        } catch (IOException e) {
            throw new KindlingException(
                    ErrorCode.IO,
                    "cannot write the model package to the node cache " + root + ": " + e
                            + "; point spark.kindling.cacheDir at a writable folder with "
                            + manifest.totalBytes() + " free bytes",
                    e);
        }
    }

    private FileChannel lock(Path folder, PackageManifest manifest, Writer writer) throws IOException {
        Files.createDirectories(root);
        FileChannel channel = FileChannel.open(
                lockFile(folder), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            while (true) {
                FileLock shared = channel.lock(0, Long.MAX_VALUE, true);
                // Each process looks once, since what it maps must be what was sent.
                if (PackageSums.hold(folder, manifest)) {
                    LOG.info("model package {} is in the node cache", folder);
                    Files.setLastModifiedTime(folder, FileTime.fromMillis(System.currentTimeMillis()));
                    return channel;
                }
                shared.release();
                try (FileLock exclusive = channel.lock()) {
                    if (exclusive.isValid() && !PackageSums.hold(folder, manifest)) {
                        write(folder, manifest, writer);
                        if (!PackageSums.hold(folder, manifest)) {
                            throw new IOException("the files written to " + folder + " are not those of the package");
                        }
                        LOG.info("model package {} was written, {} bytes", folder, manifest.totalBytes());
                    }
                }
            }
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
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

    private void release(Path folder) {
        synchronized (HELD) {
            Held held = HELD.get(folder);
            if (--held.users == 0) {
                HELD.remove(folder);
                closeQuietly(held.channel);
            }
        }
    }

    private void evict() throws IOException {
        List<Path> folders;
        try (Stream<Path> children = Files.list(root)) {
            folders = children.filter(Files::isDirectory)
                    .sorted(Comparator.comparing(NodeCache::lastUsed))
                    .toList();
        }
        List<Path> packages = new ArrayList<>();
        for (Path folder : folders) {
            String name = folder.getFileName().toString();
            if (name.endsWith(PARTIAL)) {
                // Of a process that was killed as it wrote, unless one is writing.
                deleteUnlessUsed(folder.resolveSibling(name.substring(0, name.length() - PARTIAL.length())), folder);
            } else {
                packages.add(folder);
            }
        }
        long total = 0;
        for (Path folder : packages) {
            total += size(folder);
        }
        for (Path folder : packages) {
            if (total <= capBytes) {
                return;
            }
            long size = size(folder);
            if (deleteUnlessUsed(folder, folder, PackageSums.file(folder))) {
                total -= size;
            }
        }
    }

    private static boolean deleteUnlessUsed(Path folder, Path... what) throws IOException {
        if (HELD.containsKey(folder)) {
            return false;
        }
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
        } catch (OverlappingFileLockException e) {
            return false; // another copy of this class, under another class loader, uses it
        }
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
        } catch (NoSuchFileException e) {
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

    private static void closeQuietly(FileChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new KindlingException(ErrorCode.IO, "cannot release a node cache lock: " + e, e);
        }
    }
}
