package io.kindling.engine.text;

import java.util.Optional;

/** What each token of a vocabulary stands for, as bytes: one may be a part of a character. Thread-safe. */
public interface TokenBytes {
    /** All ids are below. */
    int size();

    /** Of a token behind others; empty for special tokens and ids that no token has. */
    Optional<byte[]> of(int id);

    /** Of a token that begins a text, where some tokenizers drop a blank. */
    Optional<byte[]> first(int id);
}
