package io.kindling.engine.gguf;

import static io.kindling.engine.gguf.TokenizerParts.SPACE;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Byte pair encoding as SentencePiece writes it: spaces as U+2581, bytes of unknown characters as {@code <0x..>} tokens.
 * {@code tokenizer.ggml.model} = {@code llama}, whose merges follow from the scores, or {@code gemma4}, which lists them.
 */
final class SentencePieceTokenizer {
    private static final String TAB = "<0x09>";
    private static final Pattern NOT_SPECIAL = Pattern.compile("<unused\\d+>|<mask>|<2mass>|\\[@BOS@]");

    private SentencePieceTokenizer() {}

    static ObjectNode json(Vocabulary vocabulary, String architecture, SpecialTokens special) {
        boolean gemma = architecture.startsWith("gemma");
        boolean prefixSpace = vocabulary
                .file()
                .find("tokenizer.ggml.add_space_prefix", Boolean.class)
                .orElse(true);
        Vocabulary spelled = gemma ? asGemmaSpells(vocabulary) : vocabulary;
        List<Vocabulary.Merge> merges = vocabulary.file().metadata().containsKey("tokenizer.ggml.merges")
                ? spelled.merges()
                : ScoredMerges.of(spelled);
        return json(spelled, prefixSpace, architecture, special, merges);
    }

    /** Vocabularies that list their merges, without a space before the text. */
    static ObjectNode withMerges(Vocabulary vocabulary, String architecture, SpecialTokens special) {
        return json(vocabulary, false, architecture, special, vocabulary.merges());
    }

    private static ObjectNode json(
            Vocabulary vocabulary,
            boolean prefixSpace,
            String architecture,
            SpecialTokens special,
            List<Vocabulary.Merge> merges) {
        ObjectNode spaces = TokenizerParts.replace(" ", SPACE);
        List<ObjectNode> decoders = new ArrayList<>(List.of(
                TokenizerParts.replace(SPACE, " "), TokenizerParts.node("ByteFallback"), TokenizerParts.node("Fuse")));
        if (prefixSpace) {
            decoders.add(TokenizerParts.strip());
        }
        boolean phi3 = architecture.equals("phi3");
        return new TokenizerJson(vocabulary, id -> phi3 && swallowsSpaces(vocabulary, id))
                .normalizer(Optional.of(
                        prefixSpace ? TokenizerParts.normalizers(TokenizerParts.prepend(SPACE), spaces) : spaces))
                .preTokenizer(Optional.empty())
                .around(special)
                .decoder(TokenizerParts.decoders(decoders))
                .bytePairs(
                        merges,
                        unknown(vocabulary, special).map(vocabulary::token),
                        vocabulary.has(Vocabulary.BYTE),
                        false);
    }

    private static Optional<Integer> unknown(Vocabulary vocabulary, SpecialTokens special) {
        if (special.unknown().isPresent()) {
            return special.unknown();
        }
        for (int id = 0; id < vocabulary.size(); id++) {
            if (vocabulary.type(id) == Vocabulary.UNKNOWN) {
                return Optional.of(id);
            }
        }
        return Optional.empty();
    }

    /** Phi-3's chat tokens take the white space behind them; those of its base vocabulary do not, but for {@code </s>}. */
    private static boolean swallowsSpaces(Vocabulary vocabulary, int id) {
        return switch (vocabulary.token(id)) {
            case "<unk>", "<s>", "<|endoftext|>" -> false;
            default -> true;
        };
    }

    /**
     * Gemma's files write its tokens of several spaces as such, its own tokenizer as U+2581; where it has no tabulator, that
     * byte is the character; and its unused tokens and those of its pre-training, which converters of llama.cpp take for
     * control tokens by their names, are no special ones.
     */
    private static Vocabulary asGemmaSpells(Vocabulary vocabulary) {
        List<String> tokens = new ArrayList<>(vocabulary.tokens());
        tokens.replaceAll(token ->
                !token.isEmpty() && token.chars().allMatch(c -> c == ' ') ? SPACE.repeat(token.length()) : token);
        Map<Integer, Long> types = new HashMap<>();
        for (int id = 0; id < tokens.size(); id++) {
            if (vocabulary.type(id) == Vocabulary.CONTROL
                    && NOT_SPECIAL.matcher(tokens.get(id)).matches()) {
                types.put(id, Vocabulary.USER_DEFINED);
            }
        }
        Integer tab = vocabulary.ids().get(TAB);
        if (tab != null && !vocabulary.ids().containsKey("\t")) {
            tokens.set(tab, "\t");
            types.put(tab, Vocabulary.NORMAL);
        }
        return vocabulary.with(tokens, types);
    }
}
