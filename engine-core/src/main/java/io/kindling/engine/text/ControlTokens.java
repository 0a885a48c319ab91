package io.kindling.engine.text;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntPredicate;

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

    /** All added tokens, longest first, since the library takes the longest of those that begin at a place. */
    private final Map<Character, List<AddedToken>> byFirst = new HashMap<>();

    /** Each token has its own, so that one left alone by a template is not taken for that of another token beside it. */
    private final Map<String, String> marks = new LinkedHashMap<>();

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
                .forEach(token ->
                        marks.computeIfAbsent(
                                token.content(), content -> Character.toString(FIRST_MARK + 1 + marks.size())));
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
     * The same value with marks around special tokens in its texts, and where a text ends or begins in a part of one, so that
     * two texts do not make a token together.
     *
     * @param value texts, lists and maps within each other; other values stay
     */
    public Object marked(Object value) {
        if (value instanceof String text) {
            return markedText(text);
        }
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> copy = new LinkedHashMap<>();
            map.forEach((key, item) -> copy.put(key, marked(item)));
            return copy;
        }
        if (value instanceof List<?> list) {
            List<Object> copy = new ArrayList<>();
            list.forEach(item -> copy.add(marked(item)));
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
                String mark = marks.get(token.content());
                marked.append(mark).append(token.content()).append(mark);
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
        String before = "";
        while (at < text.length()) {
            int c = text.codePointAt(at);
            AddedToken token = at(text, at);
            if (isMark(c)) {
                before = Character.toString(c);
                at += before.length();
                continue;
            }
            if (token == null) {
                plain.append(text.charAt(at++));
            } else {
                int end = at + token.content().length();
                String mark = marks.get(token.content());
                boolean isText = mark == null || before.equals(mark) || text.startsWith(mark, end);
                plain.append(isText ? token.content() : control.apply(token.content()));
                at = end;
            }
            before = "";
        }
        return plain.toString();
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
        return c >= FIRST_MARK && c <= FIRST_MARK + marks.size();
    }

    /** The added token that begins at a place. */
    private AddedToken at(String text, int at) {
        for (AddedToken token : byFirst.getOrDefault(text.charAt(at), List.of())) {
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
        return marks.keySet().stream()
                .anyMatch(token -> hasPart(token, length -> text.endsWith(token.substring(0, length))));
    }

    private boolean beginsInPart(String text) {
        return marks.keySet().stream()
                .anyMatch(token -> hasPart(token, length -> text.startsWith(token.substring(token.length() - length))));
    }

    private static boolean hasPart(String token, IntPredicate found) {
        for (int length = SHORTEST_PART; length < token.length(); length++) {
            if (found.test(length)) {
                return true;
            }
        }
        return false;
    }
}
