package io.kindling.engine.provider;

/** How exactly quantised products are computed. */
public enum Precision {
    /** Activations and sums in float32. */
    EXACT,
    /** Activations of quantised products in int8, one scale per block of 32 values. */
    BALANCED,
    /** The fastest the device has. */
    FAST
}
