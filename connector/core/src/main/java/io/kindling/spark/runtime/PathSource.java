package io.kindling.spark.runtime;

import io.kindling.spark.config.NodeCacheOptions;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;

/**
 * The executor opens the URI itself: local files in place, others through the node cache.
 *
 * @param uri as the user named it
 * @param settings the driver's Hadoop settings
 */
record PathSource(String uri, HadoopSettings settings) implements ModelSource {
    @Override
    public LocalModel localize(NodeCacheOptions cache) {
        return localize(HadoopPackage.list(uri, settings.configuration()), cache);
    }

    @Override
    public LocalModel localizeText(NodeCacheOptions cache) {
        return localize(HadoopPackage.list(uri, settings.configuration()).textOnly(), cache);
    }

    private static LocalModel localize(HadoopPackage listed, NodeCacheOptions cache) {
        PackageManifest manifest = listed.manifest();
        if (listed.scheme().equals("file")) {
            Path path = Path.of(URI.create(listed.qualifiedUri()).getPath());
            return new LocalModel(path, manifest.digest(), manifest.totalBytes(), () -> {});
        }
        return LocalModel.of(manifest, NodeCache.of(cache).open(manifest, folder -> copy(listed, folder)));
    }

    private static void copy(HadoopPackage listed, Path folder) throws IOException {
        List<FileStatus> files = listed.files();
        for (FileStatus file : files) {
            Path target = listed.target(file, folder);
            Files.createDirectories(target.getParent());
            try (InputStream in = listed.open(file)) {
                Files.copy(in, target);
            }
        }
    }
}
