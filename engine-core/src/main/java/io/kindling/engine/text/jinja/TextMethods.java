package io.kindling.engine.text.jinja;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;

/** The methods of Python's {@code str}. */
final class TextMethods {
    private TextMethods() {}

    /** Null when there is no such method. */
    static Callable of(String text, String name) {
        return switch (name) {
            case "upper" -> (context, arguments) -> text.toUpperCase(Locale.ROOT);
            case "lower", "casefold" -> (context, arguments) -> text.toLowerCase(Locale.ROOT);
            case "capitalize" -> (context, arguments) -> capitalize(text);
            case "title" -> (context, arguments) -> title(text);
            case "swapcase" -> (context, arguments) -> swapCase(text);
            case "strip" -> (context, arguments) -> strip(text, arguments.get(0, "chars", null), true, true);
            case "lstrip" -> (context, arguments) -> strip(text, arguments.get(0, "chars", null), true, false);
            case "rstrip" -> (context, arguments) -> strip(text, arguments.get(0, "chars", null), false, true);
            case "split" -> (context, arguments) -> split(text, arguments, false);
            case "rsplit" -> (context, arguments) -> split(text, arguments, true);
            case "splitlines" ->
                (context, arguments) -> new ArrayList<Object>(lines(text, arguments.flag(0, "keepends", false)));
            case "startswith" -> (context, arguments) -> begins(text, arguments, false);
            case "endswith" -> (context, arguments) -> begins(text, arguments, true);
            case "replace" ->
                (context, arguments) -> replace(
                        text,
                        textOf(arguments.require(0, "old")),
                        textOf(arguments.require(1, "new")),
                        Values.integer(arguments.get(2, "count", -1L)));
            case "join" -> (context, arguments) -> join(text, arguments.require(0, "iterable"));
            case "find" -> (context, arguments) -> place(text, text.indexOf(textOf(arguments.require(0, "sub"))));
            case "rfind" -> (context, arguments) -> place(text, text.lastIndexOf(textOf(arguments.require(0, "sub"))));
            case "index" ->
                (context, arguments) -> {
                    int at = text.indexOf(textOf(arguments.require(0, "sub")));
                    if (at < 0) {
                        throw new TemplateError("substring not found");
                    }
                    return place(text, at);
                };
            case "count" -> (context, arguments) -> count(text, textOf(arguments.require(0, "sub")));
            case "format" -> (context, arguments) -> BraceFormat.format(context, text, arguments);
            case "removeprefix" ->
                (context, arguments) -> {
                    String prefix = textOf(arguments.require(0, "prefix"));
                    return text.startsWith(prefix) ? text.substring(prefix.length()) : text;
                };
            case "removesuffix" ->
                (context, arguments) -> {
                    String suffix = textOf(arguments.require(0, "suffix"));
                    return text.endsWith(suffix) ? text.substring(0, text.length() - suffix.length()) : text;
                };
            case "partition" -> (context, arguments) -> partition(text, textOf(arguments.require(0, "sep")), false);
            case "rpartition" -> (context, arguments) -> partition(text, textOf(arguments.require(0, "sep")), true);
            case "ljust" -> (context, arguments) -> pad(text, arguments, 0);
            case "rjust" -> (context, arguments) -> pad(text, arguments, 1);
            case "center" -> (context, arguments) -> pad(text, arguments, 0.5);
            case "zfill" -> (context, arguments) -> zeroFill(text, Values.smallInteger(arguments.require(0, "width")));
            case "isdigit", "isdecimal", "isnumeric" -> all(text, Character::isDigit);
            case "isalpha" -> all(text, Character::isLetter);
            case "isalnum" -> all(text, Character::isLetterOrDigit);
            case "isspace" -> all(text, Whitespace::isSpace);
            case "isupper" -> (context, arguments) -> isUpper(text);
            case "islower" -> (context, arguments) -> isLower(text);
            default -> null;
        };
    }

    private static Callable all(String text, IntPredicate test) {
        return (context, arguments) -> !text.isEmpty() && text.codePoints().allMatch(test);
    }

    static boolean isUpper(String text) {
        return text.codePoints().noneMatch(c -> Character.isLowerCase(c) || Character.isTitleCase(c))
                && text.codePoints().anyMatch(Character::isUpperCase);
    }

    static boolean isLower(String text) {
        return text.codePoints().noneMatch(c -> Character.isUpperCase(c) || Character.isTitleCase(c))
                && text.codePoints().anyMatch(Character::isLowerCase);
    }

    private static String textOf(Object value) {
        if (!Values.isText(value)) {
            throw new TemplateError("must be str, not " + Values.typeName(value));
        }
        return Values.text(value);
    }

    private static long place(String text, int at) {
        return at < 0 ? -1 : text.codePointCount(0, at);
    }

    static String capitalize(String text) {
        if (text.isEmpty()) {
            return text;
        }
        int first = text.offsetByCodePoints(0, 1);
        return Character.toString(Character.toTitleCase(text.codePointAt(0)))
                + text.substring(first).toLowerCase(Locale.ROOT);
    }

    private static String title(String text) {
        StringBuilder titled = new StringBuilder(text.length());
        boolean inside = false;
        for (int c : text.codePoints().toArray()) {
            titled.appendCodePoint(inside ? Character.toLowerCase(c) : Character.toTitleCase(c));
            inside = Character.isUpperCase(c) || Character.isLowerCase(c) || Character.isTitleCase(c);
        }
        return titled.toString();
    }

    private static String swapCase(String text) {
        StringBuilder swapped = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            String one = Character.toString(c);
            swapped.append(Character.isUpperCase(c) ? one.toLowerCase(Locale.ROOT) : one.toUpperCase(Locale.ROOT));
        });
        return swapped.toString();
    }

    static String strip(String text, Object characters, boolean left, boolean right) {
        String set = characters == null ? null : textOf(characters);
        IntPredicate stripped = set == null ? Whitespace::isSpace : c -> set.indexOf(c) >= 0;
        int from = 0;
        int to = text.length();
        while (left && from < to && stripped.test(text.codePointAt(from))) {
            from = text.offsetByCodePoints(from, 1);
        }
        while (right && to > from && stripped.test(text.codePointBefore(to))) {
            to = text.offsetByCodePoints(to, -1);
        }
        return text.substring(from, to);
    }

    private static List<Object> split(String text, Arguments arguments, boolean fromRight) {
        Object separator = arguments.get(0, "sep", null);
        long most = Values.integer(arguments.get(1, "maxsplit", -1L));
        long limit = most < 0 ? Long.MAX_VALUE : most;
        List<Object> parts = separator == null
                ? words(fromRight ? reversed(text) : text, limit)
                : pieces(fromRight ? reversed(text) : text, separator(separator, fromRight), limit);
        if (fromRight) {
            parts.replaceAll(part -> reversed((String) part));
            Collections.reverse(parts);
        }
        return parts;
    }

    private static String separator(Object value, boolean fromRight) {
        String separator = textOf(value);
        if (separator.isEmpty()) {
            throw new TemplateError("empty separator");
        }
        return fromRight ? reversed(separator) : separator;
    }

    private static String reversed(String text) {
        return new StringBuilder(text).reverse().toString();
    }

    private static List<Object> pieces(String text, String separator, long limit) {
        List<Object> parts = new ArrayList<>();
        int from = 0;
        for (int at = text.indexOf(separator); at >= 0 && parts.size() < limit; at = text.indexOf(separator, from)) {
            parts.add(text.substring(from, at));
            from = at + separator.length();
        }
        parts.add(text.substring(from));
        return parts;
    }

    /** At runs of white space; none of the parts is empty. */
    private static List<Object> words(String text, long limit) {
        List<Object> parts = new ArrayList<>();
        int from = Whitespace.skip(text, 0);
        while (from < text.length()) {
            int to = from;
            while (to < text.length() && !Whitespace.isSpace(text.charAt(to))) {
                to++;
            }
            if (parts.size() >= limit) {
                parts.add(text.substring(from));
                return parts;
            }
            parts.add(text.substring(from, to));
            from = Whitespace.skip(text, to);
        }
        return parts;
    }

    static List<String> lines(String text, boolean keepEnds) {
        List<String> lines = new ArrayList<>();
        int from = 0;
        for (int k = 0; k < text.length(); k++) {
            char c = text.charAt(k);
            if ("\n\r\u000B\f\u001C\u001D\u001E\u0085\u2028\u2029".indexOf(c) >= 0) {
                int end = c == '\r' && k + 1 < text.length() && text.charAt(k + 1) == '\n' ? k + 2 : k + 1;
                lines.add(text.substring(from, keepEnds ? end : k));
                from = end;
                k = end - 1;
            }
        }
        if (from < text.length()) {
            lines.add(text.substring(from));
        }
        return lines;
    }

    private static boolean begins(String text, Arguments arguments, boolean atEnd) {
        Object what = arguments.require(0, atEnd ? "suffix" : "prefix");
        List<Object> any = what instanceof Tuple tuple ? tuple : List.of(textOf(what));
        return any.stream().anyMatch(part -> atEnd ? text.endsWith(textOf(part)) : text.startsWith(textOf(part)));
    }

    static String replace(String text, String old, String replacement, long most) {
        long found = old.isEmpty() ? Values.length(text) + 1 : count(text, old);
        long times = most < 0 ? found : Math.min(most, found);
        Limits.size(text.length() + times * Math.max(0, (long) replacement.length() - old.length()));
        if (times == found) {
            return text.replace(old, replacement);
        }
        StringBuilder replaced = new StringBuilder();
        int from = 0;
        for (long k = 0; k < times; k++) {
            int at = text.indexOf(old, from);
            int next = old.isEmpty() && at < text.length() ? text.offsetByCodePoints(at, 1) : at + old.length();
            replaced.append(text, from, at).append(replacement).append(old.isEmpty() ? text.substring(at, next) : "");
            from = next;
        }
        return replaced.append(text.substring(from)).toString();
    }

    private static long count(String text, String part) {
        if (part.isEmpty()) {
            return Values.length(text) + 1;
        }
        long count = 0;
        for (int at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length())) {
            count++;
        }
        return count;
    }

    private static String join(String separator, Object items) {
        TextBuffer joined = new TextBuffer();
        String between = "";
        for (Object item : Values.iterate(items)) {
            joined.append(between).append(textOf(item));
            between = separator;
        }
        return joined.toString();
    }

    private static Tuple partition(String text, String separator, boolean last) {
        if (separator.isEmpty()) {
            throw new TemplateError("empty separator");
        }
        int at = last ? text.lastIndexOf(separator) : text.indexOf(separator);
        if (at < 0) {
            return last ? Tuple.of("", "", text) : Tuple.of(text, "", "");
        }
        return Tuple.of(text.substring(0, at), separator, text.substring(at + separator.length()));
    }

    /** @param before the share of the padding that goes before the text */
    private static String pad(String text, Arguments arguments, double before) {
        String fill = textOf(arguments.get(1, "fillchar", " "));
        return pad(text, Values.smallInteger(arguments.require(0, "width")), fill, before);
    }

    static String pad(String text, int width, String fill, double before) {
        int missing = (int) Math.max(0, Limits.size(width) - Values.length(text));
        // Python's center gives the odd one to the left when the width is odd.
        int left = before == 0.5 ? missing / 2 + (missing & width & 1) : (int) (missing * before);
        return fill.repeat(left) + text + fill.repeat(missing - left);
    }

    private static String zeroFill(String text, int width) {
        boolean signed = text.startsWith("-") || text.startsWith("+");
        String sign = signed ? text.substring(0, 1) : "";
        return sign + pad(text.substring(sign.length()), width - sign.length(), "0", 1);
    }
}
