package io.kindling.spark.runtime;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The packages that this process uses, opens or evicts. File locks belong to a process: it may take one once, and closing any channel
 * to the file ends it. Spark loads this class several times where sessions bring the jar as an artifact, so that its copies share one
 * map, in the system properties, of types that are the JDK's alone.
 */
final class HeldPackages {
    private static final String PROPERTY = "io.kindling.nodeCache.held";
    private static final Map<Path, Map.Entry<CompletableFuture<Optional<FileChannel>>, AtomicInteger>> HELD = shared();

    private HeldPackages() {}

    @SuppressWarnings("unchecked")
    private static <T> Map<Path, T> shared() {
        return (Map<Path, T>)
                System.getProperties().computeIfAbsent(PROPERTY, name -> new HashMap<Path, Map.Entry<?, ?>>());
    }

    /** Takes the locks of a package. */
    interface Opener {
        /** @return the channel that holds the lock; empty where others keep the package from being used */
        Optional<FileChannel> open() throws IOException;
    }

    /**
     * Counts one more user of a package, whose lock the first one takes while the others wait. Where that fails, another one tries.
     *
     * @return whether it may be used; if so {@link #release} follows
     */
    static boolean hold(Path folder, Opener opener) throws IOException, InterruptedException {
        while (true) {
            boolean first;
            Map.Entry<CompletableFuture<Optional<FileChannel>>, AtomicInteger> held;
            synchronized (HELD) {
                held = HELD.get(folder);
                first = held == null;
                if (first) {
                    held = Map.entry(new CompletableFuture<>(), new AtomicInteger());
                    HELD.put(folder, held);
                }
                held.getValue().incrementAndGet();
            }
            if (first) {
                return openFirst(folder, held.getKey(), opener);
            }
            try {
                return held.getKey().get().isPresent();
            } catch (InterruptedException e) {
                release(folder, held);
                throw e;
            } catch (ExecutionException ofTheFirst) {
                continue;
            }
        }
    }

    private static boolean openFirst(Path folder, CompletableFuture<Optional<FileChannel>> opened, Opener opener)
            throws IOException {
        try {
            Optional<FileChannel> channel = opener.open();
            if (channel.isEmpty()) {
                forget(folder);
            }
            opened.complete(channel);
            return channel.isPresent();
        } catch (Throwable e) { // Scala throws checked ones that it does not declare
            forget(folder);
            opened.completeExceptionally(e);
            throw e;
        }
    }

    private static void forget(Path folder) {
        synchronized (HELD) {
            HELD.remove(folder);
        }
    }

    /** One user less; the last one ends the lock. */
    static void release(Path folder) throws IOException {
        synchronized (HELD) {
            Map.Entry<CompletableFuture<Optional<FileChannel>>, AtomicInteger> held = HELD.get(folder);
            if (held != null) {
                release(folder, held);
            }
        }
    }

    /** The same of one that may have been forgotten meanwhile; the package may be another's to open by now. */
    private static void release(Path folder, Map.Entry<CompletableFuture<Optional<FileChannel>>, AtomicInteger> counted)
            throws IOException {
        synchronized (HELD) {
            Map.Entry<CompletableFuture<Optional<FileChannel>>, AtomicInteger> held = HELD.get(folder);
            boolean stays = held != null && held.getKey() == counted.getKey();
            if (counted.getValue().decrementAndGet() == 0 && stays) {
                HELD.remove(folder);
                counted.getKey().join().orElseThrow().close();
            }
        }
    }

    /** What is done to a package that nobody of this process uses. */
    interface Action {
        boolean run() throws IOException;
    }

    /** Runs an action unless this process uses the package, and keeps others from doing so meanwhile. */
    static boolean unlessHeld(Path folder, Action action) throws IOException {
        CompletableFuture<Optional<FileChannel>> over = new CompletableFuture<>();
        synchronized (HELD) {
            if (HELD.putIfAbsent(folder, Map.entry(over, new AtomicInteger(1))) != null) {
                return false;
            }
        }
        try {
            return action.run();
        } finally {
            forget(folder);
            over.completeExceptionally(new IOException("evicted"));
        }
    }
}
