package io.kindling.engine.text.jinja;

/** Finds one text in another in linear time: long patterns by Knuth, Morris and Pratt's algorithm, so that no template can make it slow. */
final class TextSearch {
    private static final int SHORT = 64;

    private TextSearch() {}

    /** The first place from {@code from} on; negative when there is none. */
    static int find(String text, String part, int from) {
        if (part.length() <= SHORT) {
            return text.indexOf(part, from);
        }
        int[] borders = borders(part);
        int matched = 0;
        for (int k = from; k < text.length(); k++) {
            while (matched > 0 && text.charAt(k) != part.charAt(matched)) {
                matched = borders[matched - 1];
            }
            if (text.charAt(k) == part.charAt(matched)) {
                matched++;
            }
            if (matched == part.length()) {
                return k - matched + 1;
            }
        }
        return -1;
    }

    /** The last place in the whole text; negative when there is none. */
    static int findLast(String text, String part) {
        if (part.length() <= SHORT) {
            return text.lastIndexOf(part);
        }
        int at = find(reversed(text), reversed(part), 0);
        return at < 0 ? -1 : text.length() - at - part.length();
    }

    static long count(String text, String part) {
        if (part.isEmpty()) {
            return Values.length(text) + 1;
        }
        long count = 0;
        for (int at = find(text, part, 0); at >= 0; at = find(text, part, at + part.length())) {
            count++;
        }
        return count;
    }

    /** Half by half, unlike StringBuilder's, so that it keeps places. */
    private static String reversed(String text) {
        char[] characters = new char[text.length()];
        for (int k = 0; k < characters.length; k++) {
            characters[k] = text.charAt(text.length() - 1 - k);
        }
        return new String(characters);
    }

    /** Of each prefix the length of the longest proper one that also ends it. */
    private static int[] borders(String part) {
        int[] borders = new int[part.length()];
        int matched = 0;
        for (int k = 1; k < part.length(); k++) {
            while (matched > 0 && part.charAt(k) != part.charAt(matched)) {
                matched = borders[matched - 1];
            }
            matched += part.charAt(k) == part.charAt(matched) ? 1 : 0;
            borders[k] = matched;
        }
        return borders;
    }
}
