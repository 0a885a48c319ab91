package io.kindling.engine.generate;

import io.kindling.engine.GenerationStats;
import java.util.concurrent.atomic.LongAdder;

/** What {@link GenerationStats} reports, as it is counted. */
final class Counters {
    final LongAdder requests = new LongAdder();
    final LongAdder deduplicated = new LongAdder();
    final LongAdder promptTokens = new LongAdder();
    final LongAdder generatedTokens = new LongAdder();
    final LongAdder prefixHitTokens = new LongAdder();
    final LongAdder steps = new LongAdder();
    final LongAdder stepRows = new LongAdder();
    final LongAdder failedRows = new LongAdder();

    GenerationStats snapshot(long kvPagesPeak) {
        return new GenerationStats(
                requests.sum(),
                deduplicated.sum(),
                promptTokens.sum(),
                generatedTokens.sum(),
                prefixHitTokens.sum(),
                steps.sum(),
                stepRows.sum(),
                kvPagesPeak,
                failedRows.sum());
    }
}
