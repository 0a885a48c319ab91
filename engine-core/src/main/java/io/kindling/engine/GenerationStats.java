package io.kindling.engine;

/**
 * Counters of one engine since it was opened.
 *
 * @param requests submitted requests, before deduplication
 * @param deduplicated requests answered by another one's run
 * @param promptTokens tokens of prompts, counted when admitted
 * @param generatedTokens tokens chosen
 * @param prefixHitTokens prompt tokens whose KV pages were found in the prefix cache
 * @param steps passes through the model
 * @param stepRows rows over all passes; divided by {@code steps} it is the mean batch size
 * @param kvPagesPeak most KV pages in use at once
 * @param failedRows requests that ended in ERROR
 */
public record GenerationStats(
        long requests,
        long deduplicated,
        long promptTokens,
        long generatedTokens,
        long prefixHitTokens,
        long steps,
        long stepRows,
        long kvPagesPeak,
        long failedRows) {}
