package io.kindling.spark.runtime;

import java.nio.file.Path;

/**
 * A model package on this node, in use until closed.
 *
 * @param path what the engine opens
 * @param digest tells packages apart
 * @param bytes size of its files
 * @param release ends the use
 */
record LocalModel(Path path, String digest, long bytes, Runnable release) implements AutoCloseable {
    @Override
    public void close() {
        release.run();
    }

    /** A package of the node cache. */
    static LocalModel of(PackageManifest manifest, NodeCache.Lease lease) {
        Path path = manifest.entry().isEmpty() ? lease.folder() : lease.folder().resolve(manifest.entry());
        return new LocalModel(path, manifest.digest(), manifest.totalBytes(), lease::close);
    }
}
