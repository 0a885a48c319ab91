package io.kindling.engine.text;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/** Sends tokens through the stages of a decoder. */
final class StreamingDetokenizer implements IncrementalDetokenizer {
    private final IntFunction<String> tokens;
    private final List<DecoderStep> steps;
    /** Entry k feeds stage k; the last one collects the text. */
    private final List<Consumer<String>> inlets = new ArrayList<>();

    private final StringBuilder text = new StringBuilder();

    /**
     * @param tokens token text by id; null for ids that are left out
     * @param initial stages, which are copied
     */
    StreamingDetokenizer(IntFunction<String> tokens, List<DecoderStep> initial) {
        this.tokens = tokens;
        steps = initial.stream().map(DecoderStep::copy).toList();
        for (int k = 0; k < steps.size(); k++) {
            int stage = k;
            inlets.add(piece -> steps.get(stage).take(piece, inlets.get(stage + 1)));
        }
        inlets.add(text::append);
    }

    @Override
    public String add(int tokenId) {
        String token = tokens.apply(tokenId);
        if (token != null) {
            inlets.get(0).accept(token);
        }
        return taken();
    }

    @Override
    public String pending() {
        return new StreamingDetokenizer(tokens, steps).finish(true);
    }

    @Override
    public boolean hasUnfinishedCharacter() {
        return steps.stream().anyMatch(DecoderStep::holdsPartOfCharacter);
    }

    @Override
    public String finish(boolean trimmed) {
        for (int k = 0; k < steps.size(); k++) {
            steps.get(k).end(trimmed, inlets.get(k + 1));
        }
        return taken();
    }

    private String taken() {
        String taken = text.toString();
        text.setLength(0);
        return taken;
    }
}
