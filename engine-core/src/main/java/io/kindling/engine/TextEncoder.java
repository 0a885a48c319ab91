package io.kindling.engine;

import java.util.List;

/**
 * Makes vectors or classes of texts with one loaded encoder. A call's texts are batched by token count, so give many at once.
 * Thread-safe; calls of several threads run side by side.
 */
public interface TextEncoder {
    /**
     * Embeddings, in the order of the texts.
     *
     * @throws io.kindling.engine.error.KindlingException UNSUPPORTED when the graph gives neither token states nor a pooled
     *     vector, TOKENIZER for a text that the tokenizer refuses,
     *     NON_FINITE_LOGITS when the model overflows on one
     */
    List<Embedding> embed(List<String> texts, EncodingOptions options);

    /**
     * Classes, in the order of the texts.
     *
     * @throws io.kindling.engine.error.KindlingException UNSUPPORTED when the graph gives no class logits, TOKENIZER for a
     *     text that the tokenizer refuses, NON_FINITE_LOGITS when the model overflows on one
     */
    List<Classification> classify(List<String> texts, EncodingOptions options);

    /**
     * A text's vector.
     *
     * @param tokens how many tokens went in
     * @param truncated whether the text was longer and lost its end
     * @param batch how many texts ran with it, itself included
     */
    record Embedding(float[] vector, int tokens, boolean truncated, int batch) {}

    /**
     * A text's classes.
     *
     * @param scores the likeliest first: probabilities over all classes, or for multi-label models of each class by itself
     * @param tokens how many tokens went in
     * @param truncated whether the text was longer and lost its end
     * @param batch how many texts ran with it, itself included
     */
    record Classification(List<Score> scores, int tokens, boolean truncated, int batch) {
        public Classification {
            scores = List.copyOf(scores);
        }
    }

    /** @param score in 0..1 */
    record Score(String label, float score) {}
}
