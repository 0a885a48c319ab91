package io.kindling.spark.runtime;

import io.kindling.engine.EngineOptions;
import io.kindling.engine.GenerationEngine;
import io.kindling.engine.Session;
import io.kindling.engine.TextEncoder;
import java.nio.file.Path;

/** Loads a model. The seam between Spark and the engine. */
interface EngineOpener {
    LoadedModel open(Path path, EngineOptions options);

    /** A loaded model. */
    interface LoadedModel extends AutoCloseable {
        GenerationEngine generation();

        TextEncoder encoder();

        Session session();

        /** Bytes of the weights in use, as their files hold them. */
        long weightBytes();

        /** Bytes of the layouts that kernels made of the weights. */
        long prepackedBytes();

        @Override
        void close();
    }
}
