package io.kindling.spark.metrics;

import java.io.Serializable;
import org.apache.spark.SparkContext;
import org.apache.spark.util.LongAccumulator;

/**
 * Counters of one generation, as named accumulators: Spark shows them with the stages that add to them, and a driver reads
 * them after an action. Attempts that Spark repeats count again.
 *
 * @param rows input rows
 * @param requests prompts given to the engine, before it drops repeated ones
 * @param promptTokens tokens of all prompts
 * @param generatedTokens tokens of all answers
 * @param failedRows rows whose answer is an error
 * @param sessions models loaded; one per executor and model
 * @param modelLoadMillis time that took
 */
public record GenerationMetrics(
        LongAccumulator rows,
        LongAccumulator requests,
        LongAccumulator promptTokens,
        LongAccumulator generatedTokens,
        LongAccumulator failedRows,
        LongAccumulator sessions,
        LongAccumulator modelLoadMillis)
        implements Serializable {

    public static GenerationMetrics register(SparkContext context) {
        return new GenerationMetrics(
                context.longAccumulator("rows"),
                context.longAccumulator("engine requests"),
                context.longAccumulator("prompt tokens"),
                context.longAccumulator("generated tokens"),
                context.longAccumulator("failed rows"),
                context.longAccumulator("sessions"),
                context.longAccumulator("model load ms"));
    }

    /** What tasks add to. */
    public Counters counters() {
        return new Counters(
                rows::add,
                requests::add,
                promptTokens::add,
                generatedTokens::add,
                failedRows::add,
                sessions::add,
                modelLoadMillis::add);
    }
}
