package io.kindling.spark.metrics;

import java.io.Serializable;
import java.util.function.Function;

/** What tasks count of their work, whatever keeps the figures; {@link Metric} says what each means. */
public record Counters(
        Counter rows,
        Counter requests,
        Counter deduplicated,
        Counter promptTokens,
        Counter generatedTokens,
        MeanCounter tokensPerSecond,
        Counter prefixHits,
        MeanCounter meanBatchSize,
        Counter kvPagesPeak,
        Counter failedRows,
        Counter modelLoadMillis,
        Counter sessions)
        implements Serializable {
    /** Counts that nobody asks for. */
    public static final Counters NONE = of(metric -> amount -> {}, metric -> (amount, over) -> {});

    /**
     * Counters for all metrics.
     *
     * @param counters of those that are sums or peaks
     * @param means of the others
     */
    public static Counters of(Function<Metric, Counter> counters, Function<Metric, MeanCounter> means) {
        return new Counters(
                counters.apply(Metric.ROWS),
                counters.apply(Metric.REQUESTS),
                counters.apply(Metric.DEDUPLICATED),
                counters.apply(Metric.PROMPT_TOKENS),
                counters.apply(Metric.GENERATED_TOKENS),
                means.apply(Metric.TOKENS_PER_SECOND),
                counters.apply(Metric.PREFIX_HITS),
                means.apply(Metric.MEAN_BATCH_SIZE),
                counters.apply(Metric.KV_PAGES_PEAK),
                counters.apply(Metric.FAILED_ROWS),
                counters.apply(Metric.MODEL_LOAD_MILLIS),
                counters.apply(Metric.SESSIONS));
    }

    /** Counts here and there. */
    public Counters and(Counters other) {
        return new Counters(
                rows.and(other.rows),
                requests.and(other.requests),
                deduplicated.and(other.deduplicated),
                promptTokens.and(other.promptTokens),
                generatedTokens.and(other.generatedTokens),
                tokensPerSecond.and(other.tokensPerSecond),
                prefixHits.and(other.prefixHits),
                meanBatchSize.and(other.meanBatchSize),
                kvPagesPeak.and(other.kvPagesPeak),
                failedRows.and(other.failedRows),
                modelLoadMillis.and(other.modelLoadMillis),
                sessions.and(other.sessions));
    }
}
