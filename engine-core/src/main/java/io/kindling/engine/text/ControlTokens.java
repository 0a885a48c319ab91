package io.kindling.engine.text;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Finds the special tokens of a tokenizer where they are written out, and tells those of a user's texts from those of a chat
 * template: the user's are put between private-use characters before the template sees them, and a token that is still beside
 * such a mark of its own afterwards is text. Immutable.
 */
public final class ControlTokens {
    /** For tokenizers without special tokens. */
    public static final ControlTokens NONE = new ControlTokens(List.of());

    /** Private use: nobody else's meaning is lost when it is taken out of a text. */
    private static final int FIRST_MARK = 0xF0000;
    /** Where a text begins or ends in a part of a token. */
    private static final String EDGE = Character.toString(FIRST_MARK);

    /** A token cut in two has at least so many characters in one part. */
    private static final int SHORTEST_PART = 2;
    /** A bound on what a hostile tokenizer costs. */
    private static final int LONGEST_PART = 256;

    /** All added tokens, longest first, since the library takes the longest of those that begin at a place. */
    private final Map<Character, List<AddedToken>> byFirst = new HashMap<>();

    private final BitSet firsts = new BitSet();

    /** Opening mark by token; the closing one is the next. Each token has its own, as a template may leave them beside another. */
    private final Map<String, Integer> marks = new LinkedHashMap<>();

    /** Parts that special tokens begin with and end in. */
    private final Set<String> beginnings = new HashSet<>();

    private final Set<String> ends = new HashSet<>();
    private int longestPart;

    ControlTokens(List<AddedToken> added) {
        added.stream()
                .filter(token -> !token.content().isEmpty())
                .sorted(Comparator.comparingInt(
                                (AddedToken token) -> token.content().length())
                        .reversed())
                .forEach(token -> byFirst.computeIfAbsent(token.content().charAt(0), first -> new ArrayList<>())
                        .add(token));
        added.stream()
                .filter(AddedToken::special)
                .forEach(token -> marks.computeIfAbsent(token.content(), content -> FIRST_MARK + 1 + 2 * marks.size()));
        byFirst.keySet().forEach(firsts::set);
        marks.keySet().forEach(this::addParts);
    }

    private void addParts(String token) {
        int longest = Math.min(LONGEST_PART, token.length() - 1);
        for (int length = SHORTEST_PART; length <= longest; length++) {
            beginnings.add(token.substring(0, length));
            ends.add(token.substring(token.length() - length));
        }
        longestPart = Math.max(longestPart, longest);
    }

    /** Whether a special token is written out in a text. */
    public boolean occurIn(String text) {
        for (int at = 0; at < text.length(); at++) {
            AddedToken token = at(text, at);
            if (token != null && token.special()) {
                return true;
            }
        }
        return false;
    }

    /** Whether a text within texts, lists and maps has to be marked; see {@link #marked}. */
    public boolean needMarks(Object value) {
        if (value instanceof String text) {
            return occurIn(text) || endsInPart(text) || beginsInPart(text);
        }
        if (value instanceof Map<?, ?> map) {
            return map.values().stream().anyMatch(this::needMarks);
        }
        return value instanceof List<?> list && list.stream().anyMatch(this::needMarks);
    }

    /**
     * The same values with marks around special tokens in their texts, and where a text ends or begins in a part of one, so that
     * two texts do not make a token together.
     *
     * @param values texts, lists and maps within each other; other values stay
     */
    public Map<String, Object> marked(Map<String, Object> values) {
        Map<String, Object> copy = new LinkedHashMap<>();
        values.forEach((name, value) -> copy.put(name, markedValue(value)));
        return copy;
    }

    private Object markedValue(Object value) {
        if (value instanceof String text) {
            return markedText(text);
        }
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> copy = new LinkedHashMap<>();
            map.forEach((key, item) -> copy.put(key, markedValue(item)));
            return copy;
        }
        if (value instanceof List<?> list) {
            List<Object> copy = new ArrayList<>();
            list.forEach(item -> copy.add(markedValue(item)));
            return copy;
        }
        return value;
    }

    private String markedText(String text) {
        String clean = withoutMarks(text);
        StringBuilder marked = new StringBuilder();
        if (beginsInPart(clean)) {
            marked.append(EDGE);
        }
        int at = 0;
        while (at < clean.length()) {
            AddedToken token = at(clean, at);
            if (token != null && token.special()) {
                int mark = marks.get(token.content());
                marked.appendCodePoint(mark).append(token.content()).appendCodePoint(mark + 1);
                at += token.content().length();
            } else {
                marked.append(clean.charAt(at++));
            }
        }
        if (endsInPart(clean)) {
            marked.append(EDGE);
        }
        return marked.toString();
    }

    /**
     * A text without its marks.
     *
     * @param control what becomes of a special token that is not marked
     */
    String unmarked(String text, Function<String, String> control) {
        StringBuilder plain = new StringBuilder(text.length());
        int at = 0;
        int before = 0;
        while (at < text.length()) {
            int c = text.codePointAt(at);
            AddedToken token = at(text, at);
            if (isMark(c)) {
                before = c;
                at += Character.charCount(c);
                continue;
            }
            if (token == null) {
                plain.append(text.charAt(at++));
            } else {
                int end = at + token.content().length();
                boolean isText = !token.special() || isMarked(marks.get(token.content()), before, text, end);
                plain.append(isText ? token.content() : control.apply(token.content()));
                at = end;
            }
            before = 0;
        }
        return plain.toString();
    }

    private static boolean isMarked(int mark, int before, String text, int end) {
        return before == mark || end < text.length() && text.codePointAt(end) == mark + 1;
    }

    private String withoutMarks(String text) {
        return text.codePoints().anyMatch(this::isMark)
                ? text.codePoints()
                        .filter(c -> !isMark(c))
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString()
                : text;
    }

    private boolean isMark(int c) {
        return c >= FIRST_MARK && c <= FIRST_MARK + 2 * marks.size();
    }

    /** The added token that begins at a place. */
    private AddedToken at(String text, int at) {
        if (!firsts.get(text.charAt(at))) {
            return null;
        }
        for (AddedToken token : byFirst.get(text.charAt(at))) {
            if (text.startsWith(token.content(), at) && standsAlone(token, text, at)) {
                return token;
            }
        }
        return null;
    }

    private static boolean standsAlone(AddedToken token, String text, int at) {
        int end = at + token.content().length();
        return !token.singleWord()
                || (at == 0 || !isWord(text.codePointBefore(at)))
                        && (end == text.length() || !isWord(text.codePointAt(end)));
    }

    private static boolean isWord(int c) {
        return Character.isLetterOrDigit(c) || c == '_' || Character.getType(c) == Character.NON_SPACING_MARK;
    }

    private boolean endsInPart(String text) {
        for (int length = SHORTEST_PART; length <= Math.min(longestPart, text.length()); length++) {
            if (beginnings.contains(text.substring(text.length() - length))) {
                return true;
            }
        }
        return false;
    }

    private boolean beginsInPart(String text) {
        for (int length = SHORTEST_PART; length <= Math.min(longestPart, text.length()); length++) {
            if (ends.contains(text.substring(0, length))) {
                return true;
            }
        }
        return false;
    }
}
