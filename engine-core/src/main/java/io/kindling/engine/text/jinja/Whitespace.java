package io.kindling.engine.text.jinja;

/** White space as Python's {@code str.isspace} means it. All of it lies in the basic plane. */
public final class Whitespace {
    private Whitespace() {}

    static boolean isSpace(int c) {
        return Character.isWhitespace(c) || Character.isSpaceChar(c) || c == 0x85;
    }

    /** Whether nothing else comes from {@code from} on. */
    static boolean isBlank(String text, int from) {
        return skip(text, from) == text.length();
    }

    /** The first place from {@code from} on that is no white space. */
    static int skip(String text, int from) {
        int at = from;
        while (at < text.length() && isSpace(text.charAt(at))) {
            at++;
        }
        return at;
    }

    public static String strip(String text) {
        return stripRight(stripLeft(text));
    }

    static String stripLeft(String text) {
        return text.substring(skip(text, 0));
    }

    public static String stripRight(String text) {
        int end = text.length();
        while (end > 0 && isSpace(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(0, end);
    }
}
