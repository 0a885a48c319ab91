package io.kindling.spark.runtime;

import io.kindling.spark.config.Distribution;
import org.apache.spark.api.java.JavaSparkContext;

/** Driver side: decides how executors get at a model. Reads files, loads nothing. */
public final class ModelDistributor {
    private ModelDistributor() {}

    /** @throws io.kindling.engine.error.KindlingException NOT_FOUND or IO when the driver should see the model and does not */
    public static ModelSource distribute(String uri, Distribution distribution, JavaSparkContext context) {
        if (distribution == Distribution.FILES) {
            return new SparkFilesSource(uri);
        }
        if (distribution == Distribution.PATH) {
            return new PathSource(uri, HadoopSettings.of(context.hadoopConfiguration()));
        }
        HadoopPackage listed = HadoopPackage.list(uri, context.hadoopConfiguration());
        boolean executorsMayNotSeeIt =
                listed.scheme().equals("file") && !context.master().startsWith("local");
        if (distribution == Distribution.BROADCAST || executorsMayNotSeeIt) {
            return SentPackages.of(context.sc()).get(uri, listed, () -> BroadcastSource.read(uri, listed, context));
        }
        return new PathSource(listed.qualifiedUri(), HadoopSettings.of(context.hadoopConfiguration()));
    }

    /** For callers that learn the model row by row: executors open the URI. */
    public static ModelSource byPath(String uri, HadoopSettings settings) {
        return new PathSource(uri, settings);
    }
}
