package io.kindling.engine;

/**
 * What an engine did for one answer. Rows that share a pass through the model divide it evenly, so that sums over answers are
 * what the engine did, whoever asked for them: nothing is counted twice.
 *
 * @param deduplicated whether the answer is that of an equal request; the engine then did nothing, and the rest is 0
 * @param passes through the model that the row was in
 * @param passShares its parts of those passes: 1/n of one with n rows
 * @param nanos its parts of their time, the choice of tokens included
 * @param prefixHitTokens prompt tokens whose KV pages were found in the prefix cache
 * @param kvPagesPeak most KV pages that the engine had in use at once while the row was in it, those of other rows included
 */
public record GenerationWork(
        boolean deduplicated, int passes, double passShares, double nanos, int prefixHitTokens, long kvPagesPeak) {
    /** For requests that no model was asked for. */
    public static final GenerationWork NONE = new GenerationWork(false, 0, 0, 0, 0, 0);

    /** For requests answered by another one's run. */
    public static final GenerationWork DEDUPLICATED = new GenerationWork(true, 0, 0, 0, 0, 0);
}
