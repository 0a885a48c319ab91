package io.kindling.engine.text;

/** Text that UTF-8 can carry. */
final class WellFormed {
    private WellFormed() {}

    /** The text with lone surrogates replaced by U+FFFD. */
    static String text(String text) {
        StringBuilder mended = null;
        for (int k = 0; k < text.length(); k++) {
            char c = text.charAt(k);
            if (!Character.isSurrogate(c)) {
                continue;
            }
            boolean pair = Character.isHighSurrogate(c)
                    && k + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(k + 1));
            if (pair) {
                k++;
                continue;
            }
            mended = mended == null ? new StringBuilder(text) : mended;
            mended.setCharAt(k, '\uFFFD');
        }
        return mended == null ? text : mended.toString();
    }
}
