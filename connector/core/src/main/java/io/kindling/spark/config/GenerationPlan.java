package io.kindling.spark.config;

import io.kindling.engine.EncodingOptions;
import io.kindling.engine.EngineOptions;
import io.kindling.engine.GenerationOptions;
import io.kindling.engine.JobOptions;
import io.kindling.engine.OptionValues;
import io.kindling.engine.PromptOptions;
import java.io.Serializable;
import java.util.List;

/**
 * Everything a driver resolved from options; executors use only this.
 *
 * @param engine how models are loaded and run
 * @param generation how texts are generated
 * @param prompt how prompts become texts
 * @param encoding how texts become vectors or classes
 * @param job what becomes of rows with errors
 * @param distribution how models reach executors
 * @param inFlight rows that a task has in the engine at once
 * @param nodeCache where nodes keep model packages
 * @param memory what the models of an executor may take
 * @param warmUp models that executors load when they start
 */
public record GenerationPlan(
        EngineOptions engine,
        GenerationOptions generation,
        PromptOptions prompt,
        EncodingOptions encoding,
        JobOptions job,
        Distribution distribution,
        int inFlight,
        NodeCacheOptions nodeCache,
        MemoryOptions memory,
        List<String> warmUp)
        implements Serializable {

    static GenerationPlan of(OptionValues values) {
        return new GenerationPlan(
                values.engine(),
                values.generation(),
                values.prompt(),
                values.encoding(),
                values.job(),
                values.get(SparkOptions.DISTRIBUTION),
                values.get(SparkOptions.IN_FLIGHT),
                new NodeCacheOptions(values.get(SparkOptions.CACHE_DIR), values.get(SparkOptions.CACHE_MAX_BYTES)),
                new MemoryOptions(
                        values.get(SparkOptions.MEMORY_TOTAL),
                        values.get(SparkOptions.IDLE_MODEL_BYTES),
                        values.get(SparkOptions.MEMORY_IDLE_SECONDS)),
                values.get(SparkOptions.WARMUP));
    }
}
