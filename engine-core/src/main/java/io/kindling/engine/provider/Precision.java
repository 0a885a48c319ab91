package io.kindling.engine.provider;

/** How exactly products are computed. */
public enum Precision {
    /** Operands and sums in float32. */
    EXACT,
    /**
     * Activations of quantised products in int8, one scale per block of 32 values. Text encoders round the operands of float32 products
     * to 16 bits of significand, where the device is faster for it.
     */
    BALANCED,
    /** The fastest the device has: as balanced, and float32 is rounded in all graphs. */
    FAST
}
