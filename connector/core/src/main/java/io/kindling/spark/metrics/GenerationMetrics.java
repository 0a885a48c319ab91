package io.kindling.spark.metrics;

import java.io.Serializable;
import org.apache.spark.SparkContext;
import org.apache.spark.util.AccumulatorV2;
import org.apache.spark.util.LongAccumulator;

/**
 * Counters of one application of the DataFrame API, as named accumulators: Spark shows them with the stages that add to them, and a
 * driver reads them after an action. {@link Metric} says what each means. Attempts that Spark repeats count again.
 */
public record GenerationMetrics(
        LongAccumulator rows,
        LongAccumulator requests,
        LongAccumulator deduplicated,
        LongAccumulator promptTokens,
        LongAccumulator generatedTokens,
        MeanAccumulator tokensPerSecond,
        LongAccumulator prefixHits,
        MeanAccumulator meanBatchSize,
        PeakAccumulator kvPagesPeak,
        LongAccumulator failedRows,
        LongAccumulator modelLoadMillis,
        LongAccumulator sessions)
        implements Serializable {

    public static GenerationMetrics register(SparkContext context) {
        return new GenerationMetrics(
                sum(context, Metric.ROWS),
                sum(context, Metric.REQUESTS),
                sum(context, Metric.DEDUPLICATED),
                sum(context, Metric.PROMPT_TOKENS),
                sum(context, Metric.GENERATED_TOKENS),
                registered(context, new MeanAccumulator(), Metric.TOKENS_PER_SECOND),
                sum(context, Metric.PREFIX_HITS),
                registered(context, new MeanAccumulator(), Metric.MEAN_BATCH_SIZE),
                registered(context, new PeakAccumulator(), Metric.KV_PAGES_PEAK),
                sum(context, Metric.FAILED_ROWS),
                sum(context, Metric.MODEL_LOAD_MILLIS),
                sum(context, Metric.SESSIONS));
    }

    private static LongAccumulator sum(SparkContext context, Metric metric) {
        return context.longAccumulator(metric.label());
    }

    private static <A extends AccumulatorV2<?, ?>> A registered(SparkContext context, A accumulator, Metric metric) {
        context.register(accumulator, metric.label());
        return accumulator;
    }

    /** What tasks add to. */
    public Counters counters() {
        return new Counters(
                rows::add,
                requests::add,
                deduplicated::add,
                promptTokens::add,
                generatedTokens::add,
                (amount, over) -> tokensPerSecond.add(new MeanAccumulator.Part(amount, over)),
                prefixHits::add,
                (amount, over) -> meanBatchSize.add(new MeanAccumulator.Part(amount, over)),
                kvPagesPeak::add,
                failedRows::add,
                modelLoadMillis::add,
                sessions::add);
    }
}
