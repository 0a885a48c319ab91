package io.kindling.engine.embed;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.text.Tokenizer;
import java.util.Arrays;
import java.util.OptionalInt;

/**
 * A text's token ids as an encoder takes them, with the tokenizer's special tokens.
 *
 * @param truncated whether the text was longer and lost its end
 */
record EncoderInput(int[] ids, boolean truncated) {

    /** Encodes and cuts texts; knows what the tokenizer puts around a text, which cutting must keep. Thread-safe. */
    static final class Maker {
        private final Tokenizer tokenizer;
        private final OptionalInt modelLimit;
        private final int[] tail;
        private final int specials;

        Maker(Tokenizer tokenizer, OptionalInt modelLimit) {
            this.tokenizer = tokenizer;
            this.modelLimit = modelLimit;
            int[] bare = tokenizer.encode("a", false);
            int[] whole = tokenizer.encode("a", true);
            specials = whole.length - bare.length;
            int before = 0;
            while (before < specials && !Arrays.equals(whole, before, before + bare.length, bare, 0, bare.length)) {
                before++;
            }
            tail = Arrays.copyOfRange(whole, before + bare.length, whole.length);
        }

        /**
         * @param maxTokens most tokens, specials included; 0 takes the model's limit
         * @throws KindlingException TOKENIZER for a text without tokens
         */
        EncoderInput make(String text, int maxTokens) {
            int[] ids = tokenizer.encode(text, true);
            if (ids.length == 0) {
                throw new KindlingException(
                        ErrorCode.TOKENIZER,
                        "the text has no tokens, and the tokenizer adds none: there is nothing to encode");
            }
            int limit = limit(maxTokens);
            if (ids.length <= limit) {
                return new EncoderInput(ids, false);
            }
            int[] cut = Arrays.copyOf(ids, limit);
            System.arraycopy(tail, 0, cut, limit - tail.length, tail.length);
            return new EncoderInput(cut, true);
        }

        /** Never above what the model bears, and room for one token at least beside the specials. */
        private int limit(int maxTokens) {
            int model = modelLimit.orElse(Integer.MAX_VALUE);
            int wanted = maxTokens == 0 ? model : Math.min(maxTokens, model);
            return Math.max(wanted, specials + 1);
        }
    }
}
