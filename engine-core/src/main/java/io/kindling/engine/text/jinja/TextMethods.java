package io.kindling.engine.text.jinja;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;

/** The methods of Python's {@code str}. */
final class TextMethods {
    private TextMethods() {}

    /** How many arguments the methods take at most that take them by place alone. */
    private static final Map<String, Integer> PLACES = Map.ofEntries(
            Map.entry("replace", 3),
            Map.entry("strip", 1),
            Map.entry("lstrip", 1),
            Map.entry("rstrip", 1),
            Map.entry("startswith", 3),
            Map.entry("endswith", 3),
            Map.entry("removeprefix", 1),
            Map.entry("removesuffix", 1),
            Map.entry("partition", 1),
            Map.entry("rpartition", 1),
            Map.entry("ljust", 2),
            Map.entry("rjust", 2),
            Map.entry("center", 2),
            Map.entry("zfill", 1),
            Map.entry("join", 1),
            Map.entry("format_map", 1));
    /** Those that take arguments by name too, or look at them themselves. */
    private static final Map<String, List<String>> NAMES = Map.of(
            "split", List.of("sep", "maxsplit"),
            "rsplit", List.of("sep", "maxsplit"),
            "splitlines", List.of("keepends"),
            "expandtabs", List.of("tabsize"));

    private static final Set<String> OTHERS = Set.of("format", "find", "rfind", "index", "rindex", "count");

    /** Null when there is no such method. */
    static Callable of(String text, String name) {
        Callable method = method(text, name);
        return method == null
                ? null
                : (context, arguments) -> {
                    if (NAMES.containsKey(name)) {
                        arguments.expect(NAMES.get(name).toArray(String[]::new));
                    } else if (!OTHERS.contains(name)) {
                        arguments.places(0, PLACES.getOrDefault(name, 0));
                    }
                    context.pay(text);
                    return method.call(context, arguments);
                };
    }

    private static Callable method(String text, String name) {
        return switch (name) {
            case "upper" -> (context, arguments) -> text.toUpperCase(Locale.ROOT);
            case "lower" -> (context, arguments) -> text.toLowerCase(Locale.ROOT);
            case "casefold" -> (context, arguments) -> CharacterKinds.folded(text);
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
                        Integers.clamped(arguments.get(2, "count", -1L)));
            case "join" ->
                (context, arguments) ->
                        join(text, arguments.places(1, 1).positional().get(0));
            case "find" -> (context, arguments) -> search(text, arguments, false);
            case "rfind" -> (context, arguments) -> search(text, arguments, true);
            case "index", "rindex" ->
                (context, arguments) -> {
                    long at = search(text, arguments, name.equals("rindex"));
                    if (at < 0) {
                        throw new TemplateError("substring not found");
                    }
                    return at;
                };
            case "count" ->
                (context, arguments) -> {
                    Span span = span(text, arguments);
                    return span.exists()
                            ? TextSearch.count(
                                    span.text(), textOf(arguments.positional().get(0)))
                            : 0L;
                };
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
            case "isdecimal" -> all(text, Character::isDigit);
            case "isdigit" -> all(text, c -> Character.isDigit(c) || CharacterKinds.isOtherDigit(c));
            case "isnumeric" -> all(text, c -> Character.isDigit(c) || CharacterKinds.isOtherNumber(c));
            case "isalpha" -> all(text, Character::isLetter);
            case "isalnum" -> all(text, Character::isLetterOrDigit);
            case "isspace" -> all(text, Whitespace::isSpace);
            case "isupper" -> (context, arguments) -> CharacterKinds.isUpper(text);
            case "islower" -> (context, arguments) -> CharacterKinds.isLower(text);
            case "istitle" -> (context, arguments) -> CharacterKinds.isTitle(text);
            case "isascii" -> (context, arguments) -> text.chars().allMatch(c -> c < 128);
            case "isprintable" -> (context, arguments) -> text.codePoints().allMatch(Repr::isPrintable);
            case "isidentifier" ->
                (context, arguments) -> !text.isEmpty()
                        && (text.charAt(0) == '_' || Character.isUnicodeIdentifierStart(text.codePointAt(0)))
                        && text.codePoints().skip(1).allMatch(Character::isUnicodeIdentifierPart);
            case "expandtabs" ->
                (context, arguments) -> expandTabs(text, Values.smallInteger(arguments.get(0, "tabsize", 8L)));
            case "format_map" ->
                (context, arguments) -> {
                    Map<String, Object> named = new LinkedHashMap<>();
                    if (!(arguments.places(1, 1).positional().get(0) instanceof Map<?, ?> map)) {
                        throw new TemplateError("format_map needs a mapping");
                    }
                    map.forEach((key, value) -> named.put(Values.text(key), value));
                    return BraceFormat.format(context, text, new Arguments(List.of(), named));
                };
            default -> null;
        };
    }

    private static Callable all(String text, IntPredicate test) {
        return (context, arguments) -> !text.isEmpty() && text.codePoints().allMatch(test);
    }

    private static String textOf(Object value) {
        if (!Values.isText(value)) {
            throw new TemplateError("must be str, not " + Values.typeName(value));
        }
        return Values.text(value);
    }

    /** A place or its stand-in, counted from the end when negative, within {@code size}. */
    static int place(Arguments arguments, int index, int absent, int size) {
        Object given = arguments.get(index, "", null);
        if (given == null) {
            return absent;
        }
        long place = Values.isText(given) ? Values.integer(given) : Integers.clamped(given);
        return (int) Math.max(0, Math.min(size, place < 0 ? place + size : place));
    }

    /** The part of a text that optional start and end arguments name, in code points. */
    private record Span(String text, int from, boolean exists) {}

    private static Span span(String text, Arguments arguments) {
        arguments.places(1, 3);
        if (arguments.count() == 1) {
            return new Span(text, 0, true);
        }
        int size = (int) Values.length(text);
        int from = place(arguments, 1, 0, size);
        int to = place(arguments, 2, size, size);
        Object start = arguments.get(1, "", null);
        boolean exists = from <= to && (start == null || Integers.clamped(start) <= size);
        int begin = text.offsetByCodePoints(0, from);
        return new Span(exists ? text.substring(begin, text.offsetByCodePoints(0, to)) : "", from, exists);
    }

    private static long search(String text, Arguments arguments, boolean last) {
        Span span = span(text, arguments);
        String part = textOf(arguments.positional().get(0));
        int at = last ? TextSearch.findLast(span.text(), part) : TextSearch.find(span.text(), part, 0);
        return at < 0 || !span.exists() ? -1 : span.from() + span.text().codePointCount(0, at);
    }

    private static String expandTabs(String text, int size) {
        TextBuffer out = new TextBuffer();
        int column = 0;
        for (int c : text.codePoints().toArray()) {
            int spaces = c == '\t' && size > 0 ? size - column % size : 0;
            out.append(c == '\t' ? " ".repeat(Limits.size(spaces)) : Character.toString(c));
            column = c == '\n' || c == '\r' ? 0 : c == '\t' ? column + spaces : column + 1;
        }
        return out.toString();
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
        long most = Integers.clamped(arguments.get(1, "maxsplit", -1L));
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
        for (int at = TextSearch.find(text, separator, 0);
                at >= 0 && parts.size() < limit;
                at = TextSearch.find(text, separator, from)) {
            parts.add(text.substring(from, at));
            from = at + separator.length();
        }
        parts.add(text.substring(from));
        return parts;
    }

    /** At runs of white space; none of the parts is empty. */
    static List<Object> words(String text, long limit) {
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
        Span span = span(text, arguments);
        Object what = arguments.positional().get(0);
        List<Object> any = what instanceof Tuple tuple ? tuple : List.of(textOf(what));
        return any.stream()
                .map(TextMethods::textOf)
                .anyMatch(part -> span.exists()
                        && (atEnd ? span.text().endsWith(part) : span.text().startsWith(part)));
    }

    static String replace(String text, String old, String replacement, long most) {
        long found = TextSearch.count(text, old);
        long times = most < 0 ? found : Math.min(most, found);
        Limits.size(text.length() + times * Math.max(0, (long) replacement.length() - old.length()));
        StringBuilder replaced = new StringBuilder();
        int from = 0;
        for (long k = 0; k < times; k++) {
            int at = old.isEmpty() ? from : TextSearch.find(text, old, from);
            int next = old.isEmpty() && at < text.length() ? text.offsetByCodePoints(at, 1) : at + old.length();
            replaced.append(text, from, at).append(replacement).append(old.isEmpty() ? text.substring(at, next) : "");
            from = next;
        }
        return replaced.append(text.substring(from)).toString();
    }

    private static String join(String separator, Object items) {
        TextBuffer joined = new TextBuffer();
        String between = "";
        for (Object item : Values.list(items)) {
            joined.append(between).append(textOf(item));
            between = separator;
        }
        return joined.toString();
    }

    private static Tuple partition(String text, String separator, boolean last) {
        if (separator.isEmpty()) {
            throw new TemplateError("empty separator");
        }
        int at = last ? TextSearch.findLast(text, separator) : TextSearch.find(text, separator, 0);
        if (at < 0) {
            return last ? Tuple.of("", "", text) : Tuple.of(text, "", "");
        }
        return Tuple.of(text.substring(0, at), separator, text.substring(at + separator.length()));
    }

    /** @param before the share of the padding that goes before the text */
    private static String pad(String text, Arguments arguments, double before) {
        String fill = textOf(arguments.get(1, "fillchar", " "));
        if (Values.length(fill) != 1) {
            throw new TemplateError("The fill character must be exactly one character long");
        }
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
