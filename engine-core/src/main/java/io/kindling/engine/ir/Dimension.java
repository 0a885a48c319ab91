package io.kindling.engine.ir;

/** One dimension of a symbolic shape. */
public sealed interface Dimension {
    /** A size known before the run. */
    record Known(long size) implements Dimension {
        @Override
        public String toString() {
            return Long.toString(size);
        }
    }

    /** A size that has a name: equal names mean equal sizes within one inference, but files may lie about it. */
    record Symbol(String name) implements Dimension {
        @Override
        public String toString() {
            return name;
        }
    }

    /** The smaller one of a size and a number above 0, as what is cut out of a table is long. */
    record AtMost(Symbol size, long limit) implements Dimension {
        @Override
        public String toString() {
            return "min(" + size + ", " + limit + ")";
        }
    }

    /** Nothing is known. */
    record Unknown() implements Dimension {
        @Override
        public String toString() {
            return "?";
        }
    }

    Dimension UNKNOWN = new Unknown();

    static Dimension of(long size) {
        return new Known(size);
    }

    static Dimension of(String symbol) {
        return new Symbol(symbol);
    }

    /** The size, or −1 when it is not known before the run. */
    default long sizeOrMinusOne() {
        return this instanceof Known known ? known.size() : -1;
    }
}
