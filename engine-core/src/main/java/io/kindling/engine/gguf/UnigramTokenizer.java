package io.kindling.engine.gguf;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** SentencePiece's unigram model, {@code tokenizer.ggml.model} = {@code t5}, as T5 and XLM-RoBERTa write it. */
final class UnigramTokenizer {
    private static final String CHARSMAP = "tokenizer.ggml.precompiled_charsmap";
    private static final int SENTINELS = 100;

    private UnigramTokenizer() {}

    static ObjectNode json(Vocabulary given, String architecture, SpecialTokens special) {
        Vocabulary vocabulary = architecture.startsWith("t5") ? withSentinels(given) : given;
        boolean prefixSpace = vocabulary
                .file()
                .find("tokenizer.ggml.add_space_prefix", Boolean.class)
                .orElse(true);
        List<ObjectNode> splits = new ArrayList<>();
        if (vocabulary
                .file()
                .find("tokenizer.ggml.remove_extra_whitespaces", Boolean.class)
                .orElse(true)) {
            splits.add(TokenizerParts.node("WhitespaceSplit"));
        }
        splits.add(TokenizerParts.metaspace(prefixSpace));
        return new TokenizerJson(vocabulary, id -> false)
                .normalizer(charsmap(vocabulary.file()))
                .preTokenizer(Optional.of(TokenizerParts.preTokenizers(splits)))
                .around(special)
                .decoder(TokenizerParts.metaspace(prefixSpace))
                .model(model(vocabulary, special));
    }

    private static ObjectNode model(Vocabulary vocabulary, SpecialTokens special) {
        double[] scores = vocabulary.scores();
        ObjectNode model = TokenizerParts.node("Unigram");
        special.unknown().ifPresentOrElse(id -> model.put("unk_id", id), () -> model.putNull("unk_id"));
        ArrayNode pieces = model.putArray("vocab");
        for (int id = 0; id < vocabulary.size(); id++) {
            pieces.addArray().add(vocabulary.token(id)).add(scores[id]);
        }
        return model.put("byte_fallback", vocabulary.has(Vocabulary.BYTE));
    }

    /** SentencePiece's table of character replacements, in base 64. */
    private static Optional<ObjectNode> charsmap(GgufFile file) {
        return file.find(CHARSMAP, List.class).map(entries -> {
            byte[] bytes = new byte[entries.size()];
            for (int i = 0; i < bytes.length; i++) {
                if (!(entries.get(i) instanceof Long value) || value < Byte.MIN_VALUE || value > 255) {
                    throw file.invalid(
                            "metadata " + CHARSMAP, "is no list of bytes: entry " + i + " is " + entries.get(i));
                }
                bytes[i] = value.byteValue();
            }
            return TokenizerParts.node("Precompiled")
                    .put("precompiled_charsmap", Base64.getEncoder().encodeToString(bytes));
        });
    }

    /** T5's blanks {@code <extra_id_99>} to {@code <extra_id_0>} follow its pieces; files have placeholders for them. */
    private static Vocabulary withSentinels(Vocabulary vocabulary) {
        List<String> tokens = new ArrayList<>(vocabulary.tokens());
        Map<Integer, Long> types = new HashMap<>();
        for (int id = 0; id < vocabulary.size() && types.size() < SENTINELS; id++) {
            if (vocabulary.isPlaceholder(id)) {
                tokens.set(id, "<extra_id_" + (SENTINELS - 1 - types.size()) + ">");
                types.put(id, Vocabulary.CONTROL);
            }
        }
        return vocabulary.with(tokens, types);
    }
}
