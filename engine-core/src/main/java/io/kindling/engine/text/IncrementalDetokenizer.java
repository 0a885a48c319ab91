package io.kindling.engine.text;

/**
 * Turns the tokens of one answer into text as they come. The pieces, joined, are exactly what decoding all tokens at once
 * gives, except that bytes of an unfinished character at the end are held back.
 */
public interface IncrementalDetokenizer {
    /** The text that this token completes; empty while a character is unfinished. */
    String add(int tokenId);

    /** All text so far, without an unfinished character. */
    String text();

    /** Whether bytes of an unfinished character are held back. */
    boolean hasUnfinishedCharacter();
}
