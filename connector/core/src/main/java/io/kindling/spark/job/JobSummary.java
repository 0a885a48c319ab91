package io.kindling.spark.job;

import io.kindling.spark.metrics.GenerationMetrics;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

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
        long promptTokens,
        long generatedTokens,
        long sessions,
        long modelLoadMillis,
        double seconds,
        boolean skipped) {

    static JobSummary of(GenerationMetrics metrics, double seconds) {
        return new JobSummary(
                metrics.rows().value(),
                metrics.failedRows().value(),
                metrics.requests().value(),
                metrics.promptTokens().value(),
                metrics.generatedTokens().value(),
                metrics.sessions().value(),
                metrics.modelLoadMillis().value(),
                seconds,
                false);
    }

    static JobSummary ofSkipped() {
        return new JobSummary(0, 0, 0, 0, 0, 0, 0, 0, true);
    }

    double tokensPerSecond() {
        return seconds > 0 ? generatedTokens / seconds : 0;
    }

    /** By the names of the metrics. */
    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("rows", rows);
        map.put("failed_rows", failedRows);
        map.put("engine_requests", requests);
        map.put("prompt_tokens", promptTokens);
        map.put("generated_tokens", generatedTokens);
        map.put("sessions", sessions);
        map.put("model_load_ms", modelLoadMillis);
        map.put("seconds", Math.round(seconds * 1000) / 1000.0);
        map.put("tokens_per_second", Math.round(tokensPerSecond() * 10) / 10.0);
        map.put("skipped", skipped);
        return map;
    }

    @Override
    public String toString() {
        if (skipped) {
            return "the output exists and mode is ignore: nothing done";
        }
        return String.format(
                Locale.ROOT,
                "%d rows (%d failed), %d prompt and %d generated tokens in %.1f s: %.1f tokens/s; %d session(s)",
                rows,
                failedRows,
                promptTokens,
                generatedTokens,
                seconds,
                tokensPerSecond(),
                sessions);
    }
}
