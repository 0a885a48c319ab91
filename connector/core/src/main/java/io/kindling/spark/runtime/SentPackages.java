package io.kindling.spark.runtime;

import io.kindling.spark.config.LeastRecent;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.apache.spark.SparkContext;

/** The packages that an application has sent last, so that its next queries need not read and send them again. */
final class SentPackages {
    private static final int MOST_KEPT = 4;
    private static final Map<SparkContext, SentPackages> OF = new WeakHashMap<>();

    private final LeastRecent<Key, CompletableFuture<BroadcastSource>> packages = new LeastRecent<>(MOST_KEPT);

    private SentPackages() {}

    /** @param version digest of the names, sizes and times of the files */
    private record Key(String uri, String version) {}

    static SentPackages of(SparkContext context) {
        synchronized (OF) {
            return OF.computeIfAbsent(context, first -> new SentPackages());
        }
    }

    /** A package, read by the first query that wants it while others wait; where that fails, each reads it. */
    BroadcastSource get(String uri, HadoopPackage listed, Supplier<BroadcastSource> read) {
        Key key = new Key(uri, listed.manifest().digest());
        CompletableFuture<BroadcastSource> mine = new CompletableFuture<>();
        CompletableFuture<BroadcastSource> sent;
        synchronized (packages) {
            sent = packages.get(key);
            if (sent == null) {
                packages.put(key, mine);
            }
        }
        if (sent == null) {
            return readFirst(key, mine, read);
        }
        try {
            return sent.join();
        } catch (CompletionException ofTheFirst) {
            return read.get();
        }
    }

    private BroadcastSource readFirst(
            Key key, CompletableFuture<BroadcastSource> mine, Supplier<BroadcastSource> read) {
        try {
            BroadcastSource source = read.get();
            mine.complete(source);
            return source;
        } catch (RuntimeException | Error e) {
            synchronized (packages) {
                packages.remove(key, mine);
            }
            throw e;
        } finally {
            mine.completeExceptionally(new IllegalStateException("not read"));
        }
    }
}
