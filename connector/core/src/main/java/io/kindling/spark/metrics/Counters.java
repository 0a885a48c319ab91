package io.kindling.spark.metrics;

import java.io.Serializable;

/** What tasks count of their work, whatever keeps the sums; {@link GenerationMetrics} says what each means. */
public record Counters(
        Counter rows,
        Counter requests,
        Counter promptTokens,
        Counter generatedTokens,
        Counter failedRows,
        Counter sessions,
        Counter modelLoadMillis)
        implements Serializable {
    private static final Counter NOWHERE = amount -> {};

    /** Counts that nobody asks for. */
    public static final Counters NONE = new Counters(NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE, NOWHERE);
}
