package io.kindling.spark.runtime;

import io.kindling.engine.EngineOptions;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import java.nio.file.Path;

/** Opens models with Kindling's own engine. */
final class ModelOpener implements EngineOpener {
    @Override
    public LoadedModel open(Path path, EngineOptions options) {
        throw new KindlingException(
                ErrorCode.UNSUPPORTED, "cannot run '" + path + "': this build has no generation engine yet");
    }
}
