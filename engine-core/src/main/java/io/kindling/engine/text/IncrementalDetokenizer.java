package io.kindling.engine.text;

/**
 * Turns the tokens of one answer into text as they come. The pieces of {@link #add} and {@link #finish}, joined, are exactly
 * what decoding all tokens at once gives; what a later token may still change is held back. Not thread-safe.
 */
public interface IncrementalDetokenizer {
    /** The text that has become certain with this token. */
    String add(int tokenId);

    /** What {@link #finish} would give now for {@code trimmed}; changes nothing. */
    String pending();

    /** Whether the last bytes are the beginning of a character. */
    boolean hasUnfinishedCharacter();

    /**
     * The text held back, when no more tokens will come.
     *
     * @param trimmed leaves out an unfinished character, which otherwise becomes U+FFFD
     */
    String finish(boolean trimmed);
}
