package io.kindling.engine.text;

import java.util.Arrays;
import java.util.function.Function;

/**
 * For any decoder: decodes the newest tokens together with those before them, since a decoder may look at neighbours (spaces,
 * clean-up, byte pieces), and takes what the newest have added. The method of {@code DecodeStream} in Hugging Face's tokenizers.
 *
 * <p>Where byte pieces form no valid UTF-8, a decoder may replace the whole run; text that was given out before stays.
 */
final class WindowDetokenizer implements IncrementalDetokenizer {
    private static final char REPLACEMENT = '\uFFFD';

    private final Function<int[], String> decode;
    private final StringBuilder text = new StringBuilder();
    private int[] window = new int[16];
    private int size;
    /** Tokens of the window whose text has been given out; {@link #context} is that text. */
    private int given;

    private String context = "";
    private boolean unfinished;

    WindowDetokenizer(Function<int[], String> decode) {
        this.decode = decode;
    }

    @Override
    public String add(int tokenId) {
        if (size == window.length) {
            window = Arrays.copyOf(window, 2 * size);
        }
        window[size++] = tokenId;
        String whole = decode.apply(Arrays.copyOf(window, size));
        unfinished = !whole.isEmpty() && whole.charAt(whole.length() - 1) == REPLACEMENT;
        if (unfinished || whole.length() <= context.length()) {
            return "";
        }
        String piece = whole.substring(context.length());
        text.append(piece);
        int kept = size - given;
        System.arraycopy(window, given, window, 0, kept);
        size = kept;
        given = kept;
        context = decode.apply(Arrays.copyOf(window, size));
        return piece;
    }

    @Override
    public String text() {
        return text.toString();
    }

    @Override
    public boolean hasUnfinishedCharacter() {
        return unfinished;
    }
}
