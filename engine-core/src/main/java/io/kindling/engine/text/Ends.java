package io.kindling.engine.text;

/** Where a text that may grow ends in the beginning of something looked for. */
public final class Ends {
    private Ends() {}

    /**
     * The length of the longest end of {@code text}, at most {@code most}, that {@code pattern} begins with and does not end in.
     */
    public static int beginningOf(String pattern, StringBuilder text, int most) {
        for (int length = Math.min(pattern.length() - 1, most); length > 0; length--) {
            int start = text.length() - length;
            int k = 0;
            while (k < length && text.charAt(start + k) == pattern.charAt(k)) {
                k++;
            }
            if (k == length) {
                return length;
            }
        }
        return 0;
    }
}
