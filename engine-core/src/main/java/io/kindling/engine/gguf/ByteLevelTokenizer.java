package io.kindling.engine.gguf;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;

/** Byte-level BPE, {@code tokenizer.ggml.model} = {@code gpt2}. */
final class ByteLevelTokenizer {
    private ByteLevelTokenizer() {}

    static ObjectNode json(Vocabulary vocabulary, PreTokenizers pre, SpecialTokens special) {
        boolean prefixSpace = vocabulary
                .file()
                .find("tokenizer.ggml.add_space_prefix", Boolean.class)
                .orElse(false);
        return new TokenizerJson(vocabulary, id -> false)
                .normalizer(Optional.of(TokenizerParts.node("NFC")).filter(form -> pre.composes()))
                .preTokenizer(Optional.of(pre.json(prefixSpace)))
                .around(special)
                .decoder(TokenizerParts.byteLevel(true, true))
                .bytePairs(vocabulary.merges(), Optional.empty(), false, pre.ignoresMerges());
    }
}
