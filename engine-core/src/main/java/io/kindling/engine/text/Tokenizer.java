package io.kindling.engine.text;

import java.util.Optional;

/** Text to token ids and back, as Hugging Face's tokenizers library does it. Thread-safe. */
public interface Tokenizer extends AutoCloseable {
    /**
     * @param addSpecialTokens whether the tokenizer's post-processor adds its BOS, EOS and the like
     * @throws io.kindling.engine.error.KindlingException TOKENIZER
     */
    int[] encode(String text, boolean addSpecialTokens);

    String decode(int[] ids, boolean skipSpecialTokens);

    /** The text of a special (control) token; empty for all others. */
    Optional<String> specialToken(int id);

    /**
     * A detokeniser for one text.
     *
     * @param skipSpecialTokens whether special tokens leave no text
     */
    IncrementalDetokenizer newDetokenizer(boolean skipSpecialTokens);

    @Override
    void close();
}
