package io.kindling.spark.runtime;

import io.kindling.engine.GenerationResult.RowError;
import java.util.Optional;

/** What became of a row: a result or an error. */
public record Outcome<T>(Optional<T> result, Optional<RowError> error) {
    static <T> Outcome<T> of(T result) {
        return new Outcome<>(Optional.of(result), Optional.empty());
    }
}
