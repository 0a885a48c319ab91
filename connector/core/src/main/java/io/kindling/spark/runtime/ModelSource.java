package io.kindling.spark.runtime;

import io.kindling.spark.config.NodeCacheOptions;
import java.io.Serializable;

/** How an executor gets at a model package; made by the driver. */
public sealed interface ModelSource extends Serializable permits BroadcastSource, PathSource, SparkFilesSource {
    /** The model as the user named it, for messages. */
    String uri();

    /** Makes the package readable on this node. */
    // package-private result: only the registry opens models
    LocalModel localize(NodeCacheOptions cache);

    /** The same for tokenizer and templates alone, where leaving the weights behind saves a copy. */
    default LocalModel localizeText(NodeCacheOptions cache) {
        return localize(cache);
    }
}
