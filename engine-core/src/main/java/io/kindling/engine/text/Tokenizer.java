package io.kindling.engine.text;

/** Text to token ids and back, as Hugging Face's tokenizers library does it. Thread-safe. */
public interface Tokenizer extends AutoCloseable {
    /**
     * @param addSpecialTokens whether the tokenizer's post-processor adds its BOS, EOS and the like
     * @throws io.kindling.engine.error.KindlingException TOKENIZER
     */
    int[] encode(String text, boolean addSpecialTokens);

    String decode(int[] ids, boolean skipSpecialTokens);

    /** Ids of tokens that are special (control) tokens. */
    boolean isSpecial(int id);

    /** A detokeniser for one text. */
    IncrementalDetokenizer newDetokenizer();

    @Override
    void close();
}
