package io.kindling.engine;

import io.kindling.engine.error.ErrorCode;
import java.util.List;
import java.util.Optional;

/**
 * What became of a request.
 *
 * @param promptIds the ids that were fed
 * @param tokenIds the generated ids, the stop id included
 * @param text the answer, without stop id and stop text
 * @param characterCut whether the last tokens were the beginning of a character, which {@code text} then leaves out
 * @param logits per step the highest raw logits, largest first; empty unless asked for
 * @param error set when {@code finishReason} is ERROR
 * @param work what the engine did for it
 */
public record GenerationResult(
        String id,
        List<Integer> promptIds,
        List<Integer> tokenIds,
        String text,
        FinishReason finishReason,
        boolean characterCut,
        List<List<TokenLogit>> logits,
        Optional<RowError> error,
        GenerationWork work) {

    /** Why generation ended. */
    public enum FinishReason {
        STOP,
        LENGTH,
        ERROR;

        /** Lower case, as users see it. */
        public String label() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** A token and its raw logit. */
    public record TokenLogit(int tokenId, float logit) {}

    /** A fault of this row alone. */
    public record RowError(ErrorCode code, String message) {}

    public GenerationResult {
        promptIds = List.copyOf(promptIds);
        tokenIds = List.copyOf(tokenIds);
        logits = List.copyOf(logits);
    }

    public static GenerationResult failed(String id, List<Integer> promptIds, ErrorCode code, String message) {
        return new GenerationResult(
                id,
                promptIds,
                List.of(),
                "",
                FinishReason.ERROR,
                false,
                List.of(),
                Optional.of(new RowError(code, message)),
                GenerationWork.NONE);
    }

    /** The same for one who asked for it under another id, or to whom other work is counted. */
    public GenerationResult of(String newId, GenerationWork newWork) {
        return new GenerationResult(
                newId, promptIds, tokenIds, text, finishReason, characterCut, logits, error, newWork);
    }
}
