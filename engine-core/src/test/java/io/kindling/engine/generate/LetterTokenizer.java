package io.kindling.engine.generate;

import io.kindling.engine.text.IncrementalDetokenizer;
import io.kindling.engine.text.Tokenizer;

/** One id a UTF-16 unit, so that texts and ids can be read off each other. Ids below 32 are special. */
final class LetterTokenizer implements Tokenizer {
    @Override
    public int[] encode(String text, boolean addSpecialTokens) {
        return text.chars().toArray();
    }

    @Override
    public String decode(int[] ids, boolean skipSpecialTokens) {
        return new String(ids, 0, ids.length);
    }

    @Override
    public boolean isSpecial(int id) {
        return id < 32;
    }

    @Override
    public IncrementalDetokenizer newDetokenizer() {
        StringBuilder text = new StringBuilder();
        return new IncrementalDetokenizer() {
            @Override
            public String add(int tokenId) {
                text.append((char) tokenId);
                return String.valueOf((char) tokenId);
            }

            @Override
            public String text() {
                return text.toString();
            }

            @Override
            public boolean hasUnfinishedCharacter() {
                return false;
            }
        };
    }

    @Override
    public void close() {}
}
