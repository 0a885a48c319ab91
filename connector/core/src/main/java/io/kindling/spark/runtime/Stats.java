package io.kindling.spark.runtime;

import io.kindling.engine.GenerationStats;

/** Sums of what engines counted. */
final class Stats {
    static final GenerationStats NONE = new GenerationStats(0, 0, 0, 0, 0, 0, 0, 0, 0);

    private Stats() {}

    /** Of two engines; the peak of pages is the higher one's. */
    static GenerationStats sum(GenerationStats a, GenerationStats b) {
        return new GenerationStats(
                a.requests() + b.requests(),
                a.deduplicated() + b.deduplicated(),
                a.promptTokens() + b.promptTokens(),
                a.generatedTokens() + b.generatedTokens(),
                a.prefixHitTokens() + b.prefixHitTokens(),
                a.steps() + b.steps(),
                a.stepRows() + b.stepRows(),
                Math.max(a.kvPagesPeak(), b.kvPagesPeak()),
                a.failedRows() + b.failedRows());
    }
}
