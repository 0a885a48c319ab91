package io.kindling.engine.text;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** The bytes of single tokens, by the stages of a decoder. */
final class DecodedTokens implements TokenBytes {
    private final TokenNames names;
    private final List<DecoderStep> steps;

    private DecodedTokens(TokenNames names, List<DecoderStep> steps) {
        this.names = names;
        this.steps = steps;
    }

    /**
     * Empty where a stage looks at more than one token.
     *
     * @param steps of the decoder, without a clean-up of the text behind it
     */
    static Optional<TokenBytes> of(TokenNames names, List<DecoderStep> steps) {
        return steps.stream().allMatch(DecodedTokens::isOfOneToken)
                ? Optional.of(new DecodedTokens(names, steps))
                : Optional.empty();
    }

    private static boolean isOfOneToken(DecoderStep step) {
        if (step instanceof TextSteps.Replace replace) {
            return replace.pattern().length() == 1;
        }
        return !(step instanceof TokenSteps.WordEnds || step instanceof TokenSteps.Collapse);
    }

    @Override
    public int size() {
        return names.size();
    }

    @Override
    public Optional<byte[]> of(int id) {
        return bytes(id, false);
    }

    @Override
    public Optional<byte[]> first(int id) {
        return bytes(id, true);
    }

    private Optional<byte[]> bytes(int id, boolean first) {
        if (names.name(id) == null || names.isSpecial(id)) {
            return Optional.empty();
        }
        String text = names.name(id);
        for (DecoderStep step : steps) {
            if (step instanceof TokenSteps.Bytes) {
                return Optional.of(ByteLevelAlphabet.bytes(text));
            }
            if (step instanceof TokenSteps.ByteRuns) {
                int value = TokenSteps.ByteRuns.byteOf(text);
                if (value >= 0) {
                    return Optional.of(new byte[] {(byte) value});
                }
            }
            text = changed(step, text, first);
        }
        return Optional.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String changed(DecoderStep step, String text, boolean first) {
        if (step instanceof TokenSteps.Each each) {
            return each.change().apply(text);
        }
        if (step instanceof TokenSteps.FirstAndOthers either) {
            return (first ? either.first() : either.others()).apply(text);
        }
        if (step instanceof TextSteps.Replace replace) {
            return text.replace(replace.pattern(), replace.content());
        }
        return step instanceof TextSteps.Strip strip && first ? strip.beginning(text) : text;
    }
}
