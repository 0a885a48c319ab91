package io.kindling.engine.provider;

import java.util.function.Supplier;

/**
 * The constants of one model, loaded once however many sessions and bindings use them, and the layouts that kernels
 * derived from them. Thread-safe.
 */
public interface WeightStore {
    /**
     * A derived layout, made at most once per key. The key names the weights and the layout, such as
     * {@code "lm_head.weight/int4-avx512"}.
     */
    DeviceBuffer prepacked(String key, Supplier<DeviceBuffer> maker);

    /** Bytes of all constants as the file holds them. */
    long weightBytes();

    /** Bytes of all derived layouts. */
    long prepackedBytes();
}
