package io.kindling.engine.gguf;

import static io.kindling.engine.gguf.TokenizerParts.SPACE;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * WordPiece, {@code tokenizer.ggml.model} = {@code bert}. Files write the start of a word as U+2581 and what goes on inside of
 * it bare; WordPiece's own vocabularies write the former bare and the latter with {@code ##}.
 */
final class WordPieceTokenizer {
    private static final String INSIDE = "##";
    private static final int LONGEST_WORD = 100;

    private WordPieceTokenizer() {}

    static ObjectNode json(Vocabulary given, SpecialTokens special) {
        Vocabulary vocabulary = asWordPieceSpells(given);
        String unknown = special.unknown().map(vocabulary::token).orElseThrow(() -> given.file()
                .invalid("metadata tokenizer.ggml.unknown_token_id", "is missing"));
        boolean lowercase = given.file()
                .find("tokenizer.ggml.normalizer.lowercase", Boolean.class)
                .orElseGet(() -> !hasCapitals(vocabulary));
        ObjectNode normalizer = TokenizerParts.node("BertNormalizer")
                .put("clean_text", true)
                .put("handle_chinese_chars", true)
                .putNull("strip_accents")
                .put("lowercase", lowercase);
        given.file()
                .find("tokenizer.ggml.normalizer.strip_accents", Boolean.class)
                .ifPresent(strips -> normalizer.put("strip_accents", strips));
        ObjectNode model = TokenizerParts.node("WordPiece")
                .put("unk_token", unknown)
                .put("continuing_subword_prefix", INSIDE)
                .put("max_input_chars_per_word", LONGEST_WORD);
        TokenizerJson json = new TokenizerJson(vocabulary, id -> false)
                .normalizer(Optional.of(normalizer))
                .preTokenizer(Optional.of(TokenizerParts.node("BertPreTokenizer")))
                .around(
                        special.addBegin() ? special.begin() : Optional.empty(),
                        special.separator().or(special::end))
                .decoder(TokenizerParts.node("WordPiece").put("prefix", INSIDE).put("cleanup", true));
        json.vocabularyOf(model);
        return json.model(model);
    }

    private static Vocabulary asWordPieceSpells(Vocabulary vocabulary) {
        List<String> tokens = new ArrayList<>();
        for (int id = 0; id < vocabulary.size(); id++) {
            String token = vocabulary.token(id);
            if (token.startsWith(SPACE) && !token.equals(SPACE)) {
                tokens.add(token.substring(SPACE.length()));
            } else if (isBare(vocabulary, id)) {
                tokens.add(token);
            } else {
                tokens.add(INSIDE + token);
            }
        }
        return vocabulary.with(tokens, Map.of());
    }

    /** Special and placeholder tokens have no sign of their place in a word. */
    private static boolean isBare(Vocabulary vocabulary, int id) {
        String token = vocabulary.token(id);
        return token.startsWith("[") && token.endsWith("]")
                || vocabulary.type(id) == Vocabulary.CONTROL
                || vocabulary.type(id) == Vocabulary.UNKNOWN
                || vocabulary.type(id) == Vocabulary.USER_DEFINED;
    }

    private static boolean hasCapitals(Vocabulary vocabulary) {
        for (int id = 0; id < vocabulary.size(); id++) {
            if (!isBare(vocabulary, id) && vocabulary.token(id).chars().anyMatch(c -> c >= 'A' && c <= 'Z')) {
                return true;
            }
        }
        return false;
    }
}
