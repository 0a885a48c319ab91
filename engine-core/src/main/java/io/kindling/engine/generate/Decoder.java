package io.kindling.engine.generate;

import java.util.List;
import java.util.Optional;

/** Runs a decoder graph for sequences that come and go. Used by one thread at a time. */
interface Decoder extends AutoCloseable {
    /**
     * Opens a sequence and sets aside the KV memory it may come to need, so that an admitted sequence never fails for
     * memory. Part of the prompt may be known already: {@link DecoderSequence#length()} tells.
     *
     * @param prompt ids that will be fed first
     * @param maxTokens most tokens of prompt and answer together
     * @return empty while other sequences hold the memory
     * @throws io.kindling.engine.error.KindlingException OUT_OF_MEMORY when it could never fit
     */
    Optional<DecoderSequence> admit(int[] prompt, int maxTokens);

    /**
     * Whether a run may take slices of several sequences and prompts in pieces. Otherwise every run takes one slice, and
     * the first one of a sequence is its whole prompt.
     */
    boolean packsRows();

    /**
     * Feeds tokens, at most one slice a sequence. Afterwards {@link #logits} holds a row for every slice that asked for
     * one, in their order. A run that throws has fed nothing.
     */
    void run(List<Slice> slices);

    /** The logits of the last run; valid until the next. */
    LogitRows logits();

    /** KV pages in use now; 0 where there are no pages. */
    long pagesInUse();

    /** Most KV pages in use at once; 0 where there are no pages. */
    long pagesPeak();

    @Override
    void close();

    /**
     * Tokens to feed.
     *
     * @param ids the sequence's ids; may be longer than what is fed
     * @param from index of the first token to feed; equals the sequence's length
     * @param count how many
     * @param sample whether the logits after the last of them are wanted
     */
    record Slice(DecoderSequence sequence, int[] ids, int from, int count, boolean sample) {}
}
