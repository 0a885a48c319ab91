package io.kindling.engine;

import java.io.Serializable;

/**
 * How texts become vectors or classes.
 *
 * @param pooling how the states of a text's tokens become one vector
 * @param normalization whether vectors get length 1
 * @param maxTokens most tokens of a text, specials included; longer ones lose their end. 0 takes the model's own limit
 */
public record EncodingOptions(Pooling pooling, Normalization normalization, int maxTokens) implements Serializable {

    /** How the states of a text's tokens become one vector; the names of sentence-transformers' pooling layer. */
    public enum Pooling {
        /** As the package says, else the graph's own pooled output where it has one, else {@link #MEAN}. */
        AUTO,
        /** Mean over all tokens. */
        MEAN,
        /** State of the first token. */
        CLS,
        /** State of the last token. */
        LAST_TOKEN,
        /** Largest value of each component over all tokens. */
        MAX
    }

    /** Whether vectors get Euclidean length 1. */
    public enum Normalization {
        /** As the package says; yes where it says nothing. */
        AUTO,
        TRUE,
        FALSE
    }

    /** The defaults that {@link Options} declares. */
    public static EncodingOptions defaults() {
        return OptionTable.standard().defaults().encoding();
    }
}
