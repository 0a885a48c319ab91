package io.kindling.spark.runtime;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.spark.config.NodeCacheOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.SparkFiles;

/**
 * What {@code --files} or {@code --archives} brought to the executor.
 *
 * @param uri the name Spark gave it there
 */
record SparkFilesSource(String uri) implements ModelSource {
    @Override
    public LocalModel localize(NodeCacheOptions cache) {
        Path path = Path.of(SparkFiles.get(uri));
        if (!Files.exists(path)) {
            throw new KindlingException(
                    ErrorCode.NOT_FOUND,
                    "model '" + uri + "' was not brought by --files or --archives (distribution 'files' looks for '"
                            + path + "')");
        }
        PackageManifest manifest =
                HadoopPackage.list(path.toUri().toString(), new Configuration()).manifest();
        return new LocalModel(path, manifest.digest(), manifest.totalBytes(), () -> {});
    }
}
