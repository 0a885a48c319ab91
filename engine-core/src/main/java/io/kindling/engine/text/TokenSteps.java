package io.kindling.engine.text;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Stages over whole tokens, as the tokenizers library defines them ({@code decoders} module). */
final class TokenSteps {
    private static final String REPLACEMENT = "\uFFFD";

    private TokenSteps() {}

    /** Every token for itself. */
    record Each(UnaryOperator<String> change) implements DecoderStep {
        @Override
        public void take(String token, Consumer<String> next) {
            next.accept(change.apply(token));
        }

        @Override
        public DecoderStep copy() {
            return this;
        }
    }

    /** Every token for itself, but the first in its own way. */
    static final class FirstAndOthers implements DecoderStep {
        private final UnaryOperator<String> first;
        private final UnaryOperator<String> others;
        private boolean begun;

        FirstAndOthers(UnaryOperator<String> first, UnaryOperator<String> others) {
            this.first = first;
            this.others = others;
        }

        UnaryOperator<String> first() {
            return first;
        }

        UnaryOperator<String> others() {
            return others;
        }

        @Override
        public void take(String token, Consumer<String> next) {
            next.accept((begun ? others : first).apply(token));
            begun = true;
        }

        @Override
        public DecoderStep copy() {
            FirstAndOthers copy = new FirstAndOthers(first, others);
            copy.begun = begun;
            return copy;
        }
    }

    /** {@code BPEDecoder}: a suffix marks ends of words, which become spaces except in the last token. */
    static final class WordEnds implements DecoderStep {
        private final String suffix;
        private String held;

        WordEnds(String suffix) {
            this.suffix = suffix;
        }

        @Override
        public void take(String token, Consumer<String> next) {
            if (held != null) {
                next.accept(held.replace(suffix, " "));
            }
            held = token;
        }

        @Override
        public void end(boolean trimmed, Consumer<String> next) {
            if (held != null) {
                next.accept(held.replace(suffix, ""));
                held = null;
            }
        }

        @Override
        public DecoderStep copy() {
            WordEnds copy = new WordEnds(suffix);
            copy.held = held;
            return copy;
        }
    }

    /** {@code CTC}: of equal neighbours one stays, and what becomes empty goes. */
    static final class Collapse implements DecoderStep {
        private final UnaryOperator<String> change;
        private String last;

        Collapse(UnaryOperator<String> change) {
            this.change = change;
        }

        @Override
        public void take(String token, Consumer<String> next) {
            if (token.equals(last)) {
                return;
            }
            last = token;
            String changed = change.apply(token);
            if (!changed.isEmpty()) {
                next.accept(changed);
            }
        }

        @Override
        public DecoderStep copy() {
            Collapse copy = new Collapse(change);
            copy.last = last;
            return copy;
        }
    }

    /**
     * {@code ByteFallback}: a run of tokens such as {@code <0xE2>} becomes the text of their bytes, or one U+FFFD a byte where
     * the run as a whole is malformed; so nothing of a run is certain before its end.
     */
    static final class ByteRuns implements DecoderStep {
        private byte[] run = new byte[16];
        private int size;

        @Override
        public void take(String token, Consumer<String> next) {
            int value = byteOf(token);
            if (value < 0) {
                flush(size, next);
                next.accept(token);
                return;
            }
            if (size == run.length) {
                run = Arrays.copyOf(run, 2 * size);
            }
            run[size++] = (byte) value;
        }

        @Override
        public void end(boolean trimmed, Consumer<String> next) {
            flush(trimmed ? size - LossyUtf8.unfinished(run, size) : size, next);
        }

        @Override
        public boolean holdsPartOfCharacter() {
            return LossyUtf8.unfinished(run, size) > 0;
        }

        private void flush(int length, Consumer<String> next) {
            Optional<String> text = LossyUtf8.strict(run, length);
            size = 0;
            if (length == 0) {
                return;
            }
            if (text.isPresent()) {
                next.accept(text.get());
            } else {
                for (int k = 0; k < length; k++) {
                    next.accept(REPLACEMENT);
                }
            }
        }

        /** −1 for a token that is no byte. */
        static int byteOf(String token) {
            if (token.length() != 6 || !token.startsWith("<0x") || token.charAt(5) != '>') {
                return -1;
            }
            int high = hexDigit(token.charAt(3));
            int low = hexDigit(token.charAt(4));
            return high < 0 || low < 0 ? -1 : 16 * high + low;
        }

        private static int hexDigit(char c) {
            return c < 128 ? Character.digit(c, 16) : -1;
        }

        @Override
        public DecoderStep copy() {
            ByteRuns copy = new ByteRuns();
            copy.run = run.clone();
            copy.size = size;
            return copy;
        }
    }

    /** {@code ByteLevel}: joins the bytes of all tokens. */
    static final class Bytes implements DecoderStep {
        private final LossyUtf8 text;

        Bytes() {
            this(new LossyUtf8());
        }

        private Bytes(LossyUtf8 text) {
            this.text = text;
        }

        @Override
        public void take(String token, Consumer<String> next) {
            next.accept(text.add(ByteLevelAlphabet.bytes(token)));
        }

        @Override
        public void end(boolean trimmed, Consumer<String> next) {
            String rest = text.end();
            if (!trimmed) {
                next.accept(rest);
            }
        }

        @Override
        public boolean holdsPartOfCharacter() {
            return text.isUnfinished();
        }

        @Override
        public DecoderStep copy() {
            return new Bytes(text.copy());
        }
    }
}
