package io.kindling.engine.text;

import java.util.function.Consumer;

/**
 * One stage of a {@code decoder} section, fed with one answer's tokens as they come. What a stage cannot decide before it has
 * seen more, it holds back; its pieces, joined, are what the stage makes of the whole. Not thread-safe.
 */
interface DecoderStep {
    /** @param piece a whole token; behind a stage that fuses tokens, any part of the text */
    void take(String piece, Consumer<String> next);

    /**
     * Nothing more will come.
     *
     * @param trimmed leaves out a character whose last bytes are missing
     */
    default void end(boolean trimmed, Consumer<String> next) {}

    /** Whether bytes of a character are held whose last ones are missing. */
    default boolean holdsPartOfCharacter() {
        return false;
    }

    /** The same stage in the same state. */
    DecoderStep copy();
}
