package io.kindling.engine;

import io.kindling.engine.provider.Precision;
import io.kindling.engine.provider.ProviderOptions;
import java.io.Serializable;
import java.util.Set;

/**
 * How a model is loaded and run; fixed for the life of a session. Serializable, since a driver resolves it for executors.
 *
 * @param device {@code auto}, {@code cpu}, {@code cuda} or {@code cuda:N}
 * @param threads kernel threads; 0 sizes them from the cgroup
 * @param optimize whether the optimiser runs
 * @param disabledPasses optimiser passes switched off by name
 * @param randomSeed key of random operators that name no seed
 * @param maxBatch most rows that one step serves
 * @param maxStepTokens token budget of one step, prefill chunks and decode steps together
 * @param kvBudgetBytes memory for the KV cache; 0 takes a share of what is free
 * @param prefixCache whether equal prompt beginnings share KV pages
 * @param deduplicate whether equal greedy requests are computed once
 * @param decodeInline whether decoders with recurrent Scans get a second executor for steps of one token
 */
public record EngineOptions(
        ProviderOptions.Kernels kernels,
        Precision precision,
        String device,
        ExecutionPath path,
        int threads,
        boolean optimize,
        Set<String> disabledPasses,
        long randomSeed,
        int maxBatch,
        int maxStepTokens,
        long kvBudgetBytes,
        boolean prefixCache,
        boolean deduplicate,
        boolean decodeInline)
        implements Serializable {

    /** How decoders run: RAGGED packs tokens of many rows, DENSE runs the exported graph as it is. */
    public enum ExecutionPath {
        AUTO,
        DENSE,
        RAGGED
    }

    public EngineOptions {
        disabledPasses = Set.copyOf(disabledPasses);
    }

    /** The defaults that {@link Options} declares. */
    public static EngineOptions defaults() {
        return OptionTable.standard().defaults().engine();
    }

    public EngineOptions withThreads(int value) {
        return with(value, kvBudgetBytes);
    }

    public EngineOptions withKvBudgetBytes(long value) {
        return with(threads, value);
    }

    private EngineOptions with(int threads, long kvBudgetBytes) {
        return new EngineOptions(
                kernels,
                precision,
                device,
                path,
                threads,
                optimize,
                disabledPasses,
                randomSeed,
                maxBatch,
                maxStepTokens,
                kvBudgetBytes,
                prefixCache,
                deduplicate,
                decodeInline);
    }
}
