package io.kindling.engine.generate;

/** The KV cache of one sequence. */
interface DecoderSequence extends AutoCloseable {
    /** Tokens whose keys and values are cached. */
    int length();

    /** Gives the memory back. */
    @Override
    void close();
}
