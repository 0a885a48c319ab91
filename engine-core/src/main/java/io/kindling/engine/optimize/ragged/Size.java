package io.kindling.engine.optimize.ragged;

/**
 * A size of a decoder run with batch 1: {@code constant + fed * S + total * L}, where S tokens are fed and L is S plus the
 * tokens fed before.
 */
record Size(long constant, long fed, long total) {
    static final Size FED = new Size(0, 1, 0);
    static final Size TOTAL = new Size(0, 0, 1);

    static Size of(long constant) {
        return new Size(constant, 0, 0);
    }

    boolean isConstant() {
        return fed == 0 && total == 0;
    }

    boolean is(long value) {
        return isConstant() && constant == value;
    }

    /** A whole multiple of S. */
    boolean isFedMultiple() {
        return constant == 0 && total == 0 && fed > 0;
    }

    Size plus(Size other) {
        return new Size(constant + other.constant, fed + other.fed, total + other.total);
    }

    Size times(long factor) {
        return new Size(constant * factor, fed * factor, total * factor);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        append(text, fed, "S");
        append(text, total, "L");
        if (constant != 0 || text.length() == 0) {
            text.append(text.length() == 0 ? "" : "+").append(constant);
        }
        return text.toString();
    }

    private static void append(StringBuilder text, long factor, String symbol) {
        if (factor != 0) {
            text.append(text.length() == 0 ? "" : "+")
                    .append(factor == 1 ? "" : factor)
                    .append(symbol);
        }
    }
}
