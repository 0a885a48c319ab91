package io.kindling.engine.generate;

import io.kindling.engine.text.ControlTokens;
import io.kindling.engine.text.IncrementalDetokenizer;
import io.kindling.engine.text.TokenBytes;
import io.kindling.engine.text.Tokenizer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** One id a UTF-16 unit, so that texts and ids can be read off each other. Ids below 32 are special. */
final class LetterTokenizer implements Tokenizer {
    @Override
    public int[] encode(String text, boolean addSpecialTokens) {
        return text.chars().toArray();
    }

    @Override
    public int[][] encodeBatch(List<String> texts, boolean addSpecialTokens) {
        return texts.stream().map(text -> encode(text, addSpecialTokens)).toArray(int[][]::new);
    }

    @Override
    public int[] encodeAsText(String text, boolean addSpecialTokens) {
        return encode(text, addSpecialTokens);
    }

    @Override
    public int[] encodeMarked(String text) {
        return encode(text, false);
    }

    @Override
    public ControlTokens controlTokens() {
        return ControlTokens.NONE;
    }

    @Override
    public String decode(int[] ids, boolean skipSpecialTokens) {
        return new String(ids, 0, ids.length);
    }

    @Override
    public Optional<String> specialToken(int id) {
        return id < 32 ? Optional.of("<" + id + ">") : Optional.empty();
    }

    @Override
    public Optional<TokenBytes> tokenBytes() {
        return Optional.of(new LetterBytes());
    }

    @Override
    public IncrementalDetokenizer newDetokenizer(boolean skipSpecialTokens) {
        return new LetterDetokenizer(skipSpecialTokens);
    }

    @Override
    public void close() {}

    /** Ids of surrogates have no bytes of their own. */
    private static final class LetterBytes implements TokenBytes {
        @Override
        public int size() {
            return 0x3000;
        }

        @Override
        public Optional<byte[]> of(int id) {
            return id < 32
                    ? Optional.empty()
                    : Optional.of(Character.toString(id).getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public Optional<byte[]> first(int id) {
            return of(id);
        }
    }

    /** A high surrogate is the beginning of a character. */
    private static final class LetterDetokenizer implements IncrementalDetokenizer {
        private final boolean skipsSpecialTokens;
        private String held = "";

        LetterDetokenizer(boolean skipsSpecialTokens) {
            this.skipsSpecialTokens = skipsSpecialTokens;
        }

        @Override
        public String add(int tokenId) {
            if (tokenId < 32) {
                return skipsSpecialTokens ? "" : "<" + tokenId + ">";
            }
            String text = held + (char) tokenId;
            held = Character.isHighSurrogate((char) tokenId) ? text : "";
            return held.isEmpty() ? text : "";
        }

        @Override
        public String pending() {
            return "";
        }

        @Override
        public boolean hasUnfinishedCharacter() {
            return !held.isEmpty();
        }

        @Override
        public String finish(boolean trimmed) {
            return trimmed || held.isEmpty() ? "" : "\uFFFD";
        }
    }
}
