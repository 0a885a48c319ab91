package io.kindling.spark.runtime;

import static io.kindling.spark.runtime.MemoryLimit.mib;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;

/**
 * What a loaded model takes beside the Java heap, in bytes.
 *
 * @param weights its files, mapped
 * @param prepacked the layouts that kernels make of the weights
 * @param keyValues cache of keys and values, or states; 0 for what does not generate
 * @param workspace tensors of a step
 */
record MemoryDemand(long weights, long prepacked, long keyValues, long workspace) {
    /** A cache below this serves hardly a row. */
    static final long LEAST_KEY_VALUES = 64L << 20;

    /** Measured at 25 to 165 MiB with the default of 512 tokens a step, fragmentation included. */
    static final long WORKSPACE_AT_512_TOKENS = 192L << 20;

    /** A model of smaller files has tensors so narrow that a step takes no more than this. */
    private static final long SMALL_MODEL = 8L << 20;

    /**
     * Before a model is loaded. Layouts have been no larger than the weights they are made of, and weights are no larger than
     * their files.
     *
     * @param keyValues what was set; 0 asks for the least, to be raised by {@link #share}
     */
    static MemoryDemand expected(long fileBytes, boolean generates, long keyValues, int stepTokens) {
        long cache = generates ? (keyValues > 0 ? keyValues : LEAST_KEY_VALUES) : 0;
        long step = fileBytes < SMALL_MODEL ? SMALL_MODEL : WORKSPACE_AT_512_TOKENS;
        return new MemoryDemand(fileBytes, fileBytes, cache, Math.max(step, step / 512 * stepTokens));
    }

    /** The same with a cache of half of what is left beside everything else. */
    MemoryDemand share(long left) {
        return new MemoryDemand(
                weights,
                prepacked,
                Math.max(LEAST_KEY_VALUES, (left - weights - prepacked - workspace) / 2),
                workspace);
    }

    /** The same with what was measured, once the model was in use. */
    MemoryDemand measured(long weightBytes, long prepackedBytes) {
        return weightBytes == 0 ? this : new MemoryDemand(weightBytes, prepackedBytes, keyValues, workspace);
    }

    long sum() {
        return weights + prepacked + keyValues + workspace;
    }

    /**
     * @param inUse what other models take that tasks are using
     * @param uri the model
     */
    KindlingException refused(MemoryLimit limit, long inUse, String uri) {
        boolean never = sum() > limit.bytes();
        String others = inUse > 0 ? ", of which other models in use take " + mib(inUse) : "";
        return new KindlingException(
                never ? ErrorCode.DOES_NOT_FIT : ErrorCode.OUT_OF_MEMORY,
                "model '" + uri + "' needs " + this + ", but may have " + (limit.bytes() >> 20) + " MiB ("
                        + limit.source() + ")"
                        + others + "; " + limit.toHave(never ? sum() : sum() + inUse)
                        + (keyValues > LEAST_KEY_VALUES ? ", or lower spark.kindling.memory.kv" : ""));
    }

    @Override
    public String toString() {
        return mib(sum()) + " beside the Java heap: weights " + mib(weights) + " mapped, prepacked " + mib(prepacked)
                + ", KV cache " + mib(keyValues) + ", workspace " + mib(workspace);
    }
}
