package io.kindling.engine;

import java.io.Serializable;
import java.util.List;

/** What a JSON value (RFC 8259) has to look like. Immutable; equal shapes allow the same texts. */
public sealed interface JsonShape extends Serializable {
    /** How deep values of any form may be nested. */
    int ANY_DEPTH = 16;

    /** A string of any characters. */
    record Text() implements JsonShape {}

    /**
     * An integer.
     *
     * @param min its lowest value
     * @param max its highest value, not below {@code min}
     */
    record Whole(long min, long max) implements JsonShape {
        public Whole {
            if (min > max) {
                throw new IllegalArgumentException("no integer is from " + min + " to " + max);
            }
        }
    }

    /**
     * A number.
     *
     * @param wholeDigits most digits before the point; 0 allows a zero alone
     * @param fractionDigits most digits behind it; 0 allows no point
     * @param exponent whether an exponent of up to two digits may follow
     */
    record Numeric(int wholeDigits, int fractionDigits, boolean exponent) implements JsonShape {
        /** Of all doubles, as the shortest text that tells one from others: 17 digits behind up to four zeros. */
        public static final Numeric DOUBLE = new Numeric(17, 21, true);
    }

    /** {@code true} or {@code false}. */
    record Bool() implements JsonShape {}

    /** {@code null}. */
    record Null() implements JsonShape {}

    /** A string with a day of the Gregorian calendar, {@code yyyy-mm-dd}, in the years 1 to 9999. */
    record Day() implements JsonShape {}

    /**
     * A string with a day and a time, {@code yyyy-mm-ddThh:mm:ss}.
     *
     * @param utc whether a {@code Z} follows
     */
    record Time(boolean utc) implements JsonShape {}

    /** One of a few values, which are given as JSON. */
    record Constants(List<String> values) implements JsonShape {
        public Constants {
            values = List.copyOf(values);
        }
    }

    /** An array of any length. */
    record Items(JsonShape element) implements JsonShape {}

    /** An object with the fields of a list, in their order, and no others. */
    record Fields(List<Field> fields) implements JsonShape {
        public Fields {
            fields = List.copyOf(fields);
        }
    }

    /**
     * A field of an object.
     *
     * @param required whether an object must have it
     */
    record Field(String name, JsonShape shape, boolean required) implements Serializable {}

    /** An object with any names and values of one shape. */
    record Entries(JsonShape value) implements JsonShape {}

    /** A value of at least one of several shapes. */
    record OneOf(List<JsonShape> shapes) implements JsonShape {
        public OneOf {
            shapes = List.copyOf(shapes);
        }
    }

    /** Any value with at most so many levels of arrays and objects. */
    record Anything(int depth) implements JsonShape {}

    /** This shape, or null. */
    default JsonShape orNull() {
        return new OneOf(List.of(new Null(), this));
    }
}
