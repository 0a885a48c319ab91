package io.kindling.spark.job;

import io.kindling.spark.metrics.GenerationMetrics;
import java.util.Locale;

/**
 * What a job did.
 *
 * @param seconds from the first task to the last, models loaded included
 * @param skipped whether the output was there already and mode {@code ignore} left it
 */
record JobSummary(
        long rows,
        long failedRows,
        long requests,
        long deduplicated,
        long promptTokens,
        long prefixHits,
        long generatedTokens,
        double meanBatchSize,
        long kvPagesPeak,
        long sessions,
        long modelLoadMillis,
        double seconds,
        boolean skipped) {

    static JobSummary of(GenerationMetrics metrics, double seconds) {
        return new JobSummary(
                metrics.rows().value(),
                metrics.failedRows().value(),
                metrics.requests().value(),
                metrics.deduplicated().value(),
                metrics.promptTokens().value(),
                metrics.prefixHits().value(),
                metrics.generatedTokens().value(),
                metrics.meanBatchSize().value(),
                metrics.kvPagesPeak().value(),
                metrics.sessions().value(),
                metrics.modelLoadMillis().value(),
                seconds,
                false);
    }

    static JobSummary ofSkipped() {
        return new JobSummary(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, true);
    }

    double tokensPerSecond() {
        return seconds > 0 ? generatedTokens / seconds : 0;
    }

    /** One JSON object, by the names of the metrics. */
    String toJson() {
        return String.format(
                Locale.ROOT,
                "{\"rows\":%d,\"failed_rows\":%d,\"engine_requests\":%d,\"deduplicated\":%d,\"prompt_tokens\":%d,"
                        + "\"prefix_hits\":%d,\"generated_tokens\":%d,\"mean_batch_size\":%.2f,\"kv_pages_peak\":%d,"
                        + "\"sessions\":%d,\"model_load_ms\":%d,\"seconds\":%.3f,\"tokens_per_second\":%.1f,\"skipped\":%b}",
                rows,
                failedRows,
                requests,
                deduplicated,
                promptTokens,
                prefixHits,
                generatedTokens,
                meanBatchSize,
                kvPagesPeak,
                sessions,
                modelLoadMillis,
                seconds,
                tokensPerSecond(),
                skipped);
    }

    @Override
    public String toString() {
        if (skipped) {
            return "the output exists and mode is ignore: nothing done";
        }
        return String.format(
                Locale.ROOT,
                "%d rows (%d failed), %d requests (%d deduplicated), %d prompt tokens (%d from the prefix cache) and %d"
                        + " generated ones in %.1f s: %.1f tokens/s; %.1f rows a pass, at most %d KV pages; %d session(s)"
                        + " loaded in %d ms",
                rows,
                failedRows,
                requests,
                deduplicated,
                promptTokens,
                prefixHits,
                generatedTokens,
                seconds,
                tokensPerSecond(),
                meanBatchSize,
                kvPagesPeak,
                sessions,
                modelLoadMillis);
    }
}
