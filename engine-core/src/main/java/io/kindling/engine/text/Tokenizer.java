package io.kindling.engine.text;

import java.util.List;
import java.util.Optional;

/** Text to token ids and back, as Hugging Face's tokenizers library does it. Thread-safe. */
public interface Tokenizer extends AutoCloseable {
    /**
     * As Hugging Face encodes: special (control) tokens that are written out in the text take effect.
     *
     * @param addSpecialTokens whether the tokenizer's post-processor adds its BOS, EOS and the like
     * @throws io.kindling.engine.error.KindlingException TOKENIZER
     */
    int[] encode(String text, boolean addSpecialTokens);

    /** Encodes many texts, each as {@link #encode} does. */
    int[][] encodeBatch(List<String> texts, boolean addSpecialTokens);

    /**
     * The same, except that special tokens written out in the text are ordinary text.
     *
     * @throws io.kindling.engine.error.KindlingException TOKENIZER
     */
    int[] encodeAsText(String text, boolean addSpecialTokens);

    /**
     * Encodes what a template made of texts that {@link #controlTokens} marked, without automatic special tokens: the
     * template's own special tokens take effect, those of the marked texts are ordinary text.
     *
     * @throws io.kindling.engine.error.KindlingException TOKENIZER
     */
    int[] encodeMarked(String text);

    /** Finds and marks the special tokens that texts have written out. */
    ControlTokens controlTokens();

    String decode(int[] ids, boolean skipSpecialTokens);

    /** The text of a special (control) token; empty for all others. */
    Optional<String> specialToken(int id);

    /** The bytes of each token; empty where a token's text depends on its neighbours. */
    Optional<TokenBytes> tokenBytes();

    /**
     * A detokeniser for one text.
     *
     * @param skipSpecialTokens whether special tokens leave no text
     */
    IncrementalDetokenizer newDetokenizer(boolean skipSpecialTokens);

    @Override
    void close();
}
