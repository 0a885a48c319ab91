package io.kindling.engine.session;

import io.kindling.engine.provider.Precision;

/**
 * How a graph is planned.
 *
 * @param precision of products
 * @param seed for random operators without a seed attribute
 * @param roundedFloats whether products of float32 may round their operands to 16 bits of significand, where the device is faster for it
 */
public record SessionOptions(Precision precision, long seed, boolean roundedFloats) {
    /** For a graph whose outputs may mean anything: float32 is rounded only where the fastest was asked for. */
    public SessionOptions(Precision precision, long seed) {
        this(precision, seed, precision == Precision.FAST);
    }

    /** For a text encoder: its vectors and scores are compared with each other, which needs fewer bits than float32 has. */
    public static SessionOptions ofEncoder(Precision precision, long seed) {
        return new SessionOptions(precision, seed, precision != Precision.EXACT);
    }

    public static SessionOptions defaults() {
        return new SessionOptions(Precision.BALANCED, 0);
    }
}
