package io.kindling.engine.text.jinja;

/** Backslash escapes of string literals, as Python's {@code unicode-escape} reads them. */
final class Escapes {
    private static final String LETTERS = "abfnrtv\\'\"";
    private static final String MEANINGS = "\u0007\b\f\n\r\t\u000B\\'\"";

    private Escapes() {}

    static String decode(String text, Position position) {
        if (text.indexOf('\\') < 0) {
            return text;
        }
        StringBuilder decoded = new StringBuilder(text.length());
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c != '\\') {
                decoded.append(c);
                at++;
                continue;
            }
            char escape = text.charAt(at + 1);
            int letter = LETTERS.indexOf(escape);
            if (letter >= 0) {
                decoded.append(MEANINGS.charAt(letter));
                at += 2;
            } else if (escape == '\n') {
                at += 2;
            } else if (escape == 'x' || escape == 'u' || escape == 'U') {
                int digits = escape == 'x' ? 2 : escape == 'u' ? 4 : 8;
                decoded.appendCodePoint(codePoint(text, at + 2, digits, position));
                at += 2 + digits;
            } else if (escape == 'N') {
                int end = text.indexOf('}', at);
                decoded.appendCodePoint(named(text, at + 2, end, position));
                at = end + 1;
            } else if (escape >= '0' && escape <= '7') {
                int end = at + 1;
                while (end < text.length() && end < at + 4 && text.charAt(end) >= '0' && text.charAt(end) <= '7') {
                    end++;
                }
                decoded.append((char) Integer.parseInt(text.substring(at + 1, end), 8));
                at = end;
            } else {
                decoded.append('\\').append(escape);
                at += 2;
            }
        }
        return decoded.toString();
    }

    /** A character by its Unicode name in braces. */
    private static int named(String text, int open, int close, Position position) {
        if (close > open && text.charAt(open) == '{') {
            try {
                return Character.codePointOf(text.substring(open + 1, close));
            } catch (IllegalArgumentException unknown) {
                throw new TemplateError("unknown Unicode character name in the string", position);
            }
        }
        throw new TemplateError("malformed escape in the string", position);
    }

    private static int codePoint(String text, int from, int digits, Position position) {
        try {
            int value = Integer.parseInt(text.substring(from, from + digits), 16);
            if (Character.isValidCodePoint(value)) {
                return value;
            }
        } catch (NumberFormatException | IndexOutOfBoundsException malformed) {
            throw new TemplateError("malformed escape in the string", position);
        }
        throw new TemplateError("malformed escape in the string", position);
    }
}
