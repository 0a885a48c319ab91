package io.kindling.engine.text;

import java.util.Arrays;
import java.util.function.Function;

/** For decoders of which no part is certain before the end: everything is held back until then. */
final class WholeDetokenizer implements IncrementalDetokenizer {
    private static final char REPLACEMENT = '\uFFFD';

    private final Function<int[], String> decode;
    private int[] ids = new int[64];
    private int size;

    WholeDetokenizer(Function<int[], String> decode) {
        this.decode = decode;
    }

    @Override
    public String add(int tokenId) {
        if (size == ids.length) {
            ids = Arrays.copyOf(ids, 2 * size);
        }
        ids[size++] = tokenId;
        return "";
    }

    @Override
    public String pending() {
        String text = decode.apply(Arrays.copyOf(ids, size));
        return hasUnfinishedCharacter(text) ? text.substring(0, text.length() - 1) : text;
    }

    @Override
    public boolean hasUnfinishedCharacter() {
        return hasUnfinishedCharacter(decode.apply(Arrays.copyOf(ids, size)));
    }

    @Override
    public String finish(boolean trimmed) {
        String text = trimmed ? pending() : decode.apply(Arrays.copyOf(ids, size));
        size = 0;
        return text;
    }

    private static boolean hasUnfinishedCharacter(String text) {
        return !text.isEmpty() && text.charAt(text.length() - 1) == REPLACEMENT;
    }
}
