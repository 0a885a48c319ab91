package io.kindling.spark.runtime;

import io.kindling.engine.EngineOptions;
import io.kindling.engine.GenerationEngine;
import io.kindling.engine.Model;
import io.kindling.engine.Session;
import io.kindling.engine.TextEncoder;
import java.nio.file.Path;
import org.apache.spark.SparkEnv;

/** Opens models with Kindling's own engine. */
final class ModelOpener implements EngineOpener {
    @Override
    public LoadedModel open(Path path, EngineOptions options) {
        return new Opened(Model.open(path, options.withThreads(threads(options))));
    }

    private static final class Opened implements LoadedModel {
        private final Model model;

        Opened(Model model) {
            this.model = model;
        }

        @Override
        public GenerationEngine generation() {
            return model.generation();
        }

        @Override
        public TextEncoder encoder() {
            return model.encoder();
        }

        @Override
        public Session session() {
            return model.session();
        }

        @Override
        public long weightBytes() {
            return model.weightBytes();
        }

        @Override
        public long prepackedBytes() {
            return model.prepackedBytes();
        }

        @Override
        public void close() {
            model.close();
        }
    }

    /** An executor takes the cores that it was given, not all that its node has. */
    private static int threads(EngineOptions options) {
        SparkEnv environment = SparkEnv.get();
        if (options.threads() > 0 || environment == null) {
            return options.threads();
        }
        int granted = environment.conf().getInt("spark.executor.cores", 0);
        return Math.min(granted, Runtime.getRuntime().availableProcessors());
    }
}
