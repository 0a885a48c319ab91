package io.kindling.spark.convert;

import io.kindling.engine.GenerationResult;
import java.util.Optional;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/** What users see of a {@link GenerationResult}. */
public final class ResultConverter {
    /**
     * Details of an answer: {@code text}, {@code finish_reason} (stop, length, error), {@code prompt_tokens},
     * {@code generated_tokens} (the stop token included), {@code error_code} and {@code error}, the last two NULL unless the
     * row failed.
     */
    public static final StructType DETAILS = new StructType()
            .add("text", DataTypes.StringType)
            .add("finish_reason", DataTypes.StringType)
            .add("prompt_tokens", DataTypes.IntegerType)
            .add("generated_tokens", DataTypes.IntegerType)
            .add("error_code", DataTypes.StringType)
            .add("error", DataTypes.StringType);

    private ResultConverter() {}

    /** The answer; empty for a row that failed. */
    public static Optional<String> text(GenerationResult result) {
        return result.error().isPresent() ? Optional.empty() : Optional.of(result.text());
    }

    /** Values of {@link #DETAILS}. */
    public static Object[] details(GenerationResult result) {
        return new Object[] {
            text(result).orElse(null),
            result.finishReason().label(),
            result.promptIds().size(),
            result.tokenIds().size(),
            result.error().map(error -> error.code().name()).orElse(null),
            result.error().map(GenerationResult.RowError::message).orElse(null)
        };
    }
}
