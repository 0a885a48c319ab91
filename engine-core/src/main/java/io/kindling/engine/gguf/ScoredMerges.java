package io.kindling.engine.gguf;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Merges of a SentencePiece vocabulary, which stores scores only: SentencePiece joins the neighbours whose result has the best
 * score (Kudo and Richardson 2018), so every way of cutting a token into two tokens is a merge of the token's rank. Equal
 * scores are ordered as Hugging Face's converter of such vocabularies orders them: longer left parts first, then by id.
 */
final class ScoredMerges {
    /** Longer tokens than any vocabulary has; the cuts of a token take time quadratic in its length. */
    private static final int LONGEST_TOKEN = 1 << 10;

    private ScoredMerges() {}

    private record Scored(Vocabulary.Merge merge, double score, int leftLength, int rightLength) {}

    static List<Vocabulary.Merge> of(Vocabulary vocabulary) {
        double[] scores = vocabulary.scores();
        Map<String, Integer> ids = vocabulary.ids();
        List<Scored> merges = new ArrayList<>();
        for (int id = 0; id < vocabulary.size(); id++) {
            if (merges(vocabulary, id)) {
                String token = vocabulary.token(id);
                if (token.length() > LONGEST_TOKEN) {
                    throw vocabulary
                            .file()
                            .invalid(
                                    "metadata tokenizer.ggml.tokens",
                                    "has a token of " + token.length() + " characters as " + id + ", more than "
                                            + LONGEST_TOKEN);
                }
                // Converters lose the score of a user-defined token, which is the best there is.
                double score = vocabulary.type(id) == Vocabulary.USER_DEFINED ? 0 : scores[id];
                cuts(vocabulary, ids, token, score, merges);
            }
        }
        merges.sort(Comparator.comparingDouble((Scored merge) -> -merge.score)
                .thenComparingInt(merge -> -merge.leftLength)
                .thenComparingInt(merge -> -merge.rightLength));
        return merges.stream().map(Scored::merge).toList();
    }

    private static void cuts(
            Vocabulary vocabulary, Map<String, Integer> ids, String token, double score, List<Scored> merges) {
        int length = token.codePointCount(0, token.length());
        int cut = 0;
        for (int at = 0; at < token.length(); cut++) {
            if (at > 0) {
                Integer left = ids.get(token.substring(0, at));
                Integer right = left == null ? null : ids.get(token.substring(at));
                if (right != null && merges(vocabulary, left) && merges(vocabulary, right)) {
                    merges.add(new Scored(
                            new Vocabulary.Merge(token.substring(0, at), token.substring(at)),
                            score,
                            cut,
                            length - cut));
                }
            }
            at = token.offsetByCodePoints(at, 1);
        }
    }

    /** Control tokens and bytes never come from text. */
    private static boolean merges(Vocabulary vocabulary, int id) {
        long type = vocabulary.type(id);
        return type != Vocabulary.CONTROL
                && type != Vocabulary.BYTE
                && type != Vocabulary.UNKNOWN
                && !vocabulary.isPlaceholder(id);
    }
}
