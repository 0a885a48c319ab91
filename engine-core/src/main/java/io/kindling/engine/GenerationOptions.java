package io.kindling.engine;

import java.io.Serializable;
import java.util.List;

/**
 * How one text is generated; Hugging Face's parameter names and meanings.
 *
 * @param maxNewTokens most tokens to generate, prompt not counted
 * @param temperature 0 is greedy
 * @param topK keep the k likeliest tokens; 0 keeps all
 * @param topP keep the smallest set whose probability reaches p; 1 keeps all
 * @param minP drop tokens less likely than p times the likeliest
 * @param repetitionPenalty above 1 discourages tokens of prompt and answer
 * @param seed key of the counter-based generator
 * @param stop texts that end generation and are not part of the answer
 * @param ignoreEos goes on past end tokens, for benchmarks
 * @param responseFormat what the answer is held to
 * @param onOverflow what happens to a prompt that leaves no room for an answer
 */
public record GenerationOptions(
        int maxNewTokens,
        double temperature,
        int topK,
        double topP,
        double minP,
        double repetitionPenalty,
        long seed,
        List<String> stop,
        boolean ignoreEos,
        ResponseFormat responseFormat,
        OnOverflow onOverflow)
        implements Serializable {

    /** What to do with a prompt that is too long for the model. */
    public enum OnOverflow {
        ERROR,
        TRUNCATE_LEFT,
        TRUNCATE_RIGHT
    }

    public GenerationOptions {
        stop = List.copyOf(stop);
    }

    /** The defaults that {@link Options} declares: greedy, 128 tokens. */
    public static GenerationOptions defaults() {
        return OptionTable.standard().defaults().generation();
    }

    public GenerationOptions withMaxNewTokens(int value) {
        return new GenerationOptions(
                value,
                temperature,
                topK,
                topP,
                minP,
                repetitionPenalty,
                seed,
                stop,
                ignoreEos,
                responseFormat,
                onOverflow);
    }

    public GenerationOptions withResponseFormat(ResponseFormat value) {
        return new GenerationOptions(
                maxNewTokens,
                temperature,
                topK,
                topP,
                minP,
                repetitionPenalty,
                seed,
                stop,
                ignoreEos,
                value,
                onOverflow);
    }
}
