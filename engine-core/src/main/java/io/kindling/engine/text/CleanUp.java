package io.kindling.engine.text;

import java.util.ArrayList;
import java.util.List;

/** Takes out the spaces that splitting English into words puts before punctuation and short forms. */
final class CleanUp {
    /** One pass over a text. */
    record Replacement(String pattern, String content) {}

    /** What {@code clean_up_tokenization_spaces} replaces in a decoded text, in this order. */
    static final List<Replacement> TRANSFORMERS = pairs(
            " .", ".", " ?", "?", " !", "!", " ,", ",", " ' ", "'", " n't", "n't", " 'm", "'m", " 's", "'s", " 've",
            "'ve", " 're", "'re");

    private static final List<Replacement> WORD_PIECE = pairs(
            " .", ".", " ?", "?", " !", "!", " ,", ",", " ' ", "'", " n't", "n't", " 'm", "'m", " do not", " don't",
            " 's", "'s", " 've", "'ve", " 're", "'re");

    private CleanUp() {}

    /** What the library's {@code WordPiece} decoder does to each token. */
    static String wordPiece(String token) {
        return apply(WORD_PIECE, token);
    }

    /** What transformers does to a whole text. */
    static String transformers(String text) {
        return apply(TRANSFORMERS, text);
    }

    private static String apply(List<Replacement> replacements, String text) {
        String clean = text;
        for (Replacement replacement : replacements) {
            clean = clean.replace(replacement.pattern(), replacement.content());
        }
        return clean;
    }

    private static List<Replacement> pairs(String... texts) {
        List<Replacement> pairs = new ArrayList<>();
        for (int k = 0; k < texts.length; k += 2) {
            pairs.add(new Replacement(texts[k], texts[k + 1]));
        }
        return List.copyOf(pairs);
    }
}
