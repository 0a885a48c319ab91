package io.kindling.engine.session;

import io.kindling.engine.provider.Precision;

/**
 * How a graph is planned.
 *
 * @param precision of quantised products
 * @param seed for random operators without a seed attribute
 */
public record SessionOptions(Precision precision, long seed) {
    public static SessionOptions defaults() {
        return new SessionOptions(Precision.BALANCED, 0);
    }
}
