package io.kindling.engine;

import java.util.List;

/** How values of an option are read, checked and written. The standard ones are in {@link OptionTypes}. */
public interface OptionType<T> {
    /**
     * Reads a value: text, or the number, boolean or list that a JSON document or a caller gave.
     *
     * @throws IllegalArgumentException with what is allowed and what was found, to be put after the option's name
     */
    T read(Object raw);

    /** The value as a user would write it. */
    String write(T value);

    /** What is allowed, in words: {@code an integer from 1 to 4096}. */
    String allowed();

    /** The values that may be given, when they are few; else empty. */
    default List<String> choices() {
        return List.of();
    }

    /** Whether the text of a value is JSON, which may be long enough to lie in a file. */
    default boolean isJson() {
        return false;
    }

    /** Whether a command line may repeat the flag to give several values. */
    default boolean isList() {
        return false;
    }
}
