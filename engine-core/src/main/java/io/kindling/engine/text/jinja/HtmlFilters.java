package io.kindling.engine.text.jinja;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** jinja2's filters for pages: cutting and shortening texts, addresses, tags, sizes. */
final class HtmlFilters {
    /** jinja2's policy {@code truncate.leeway}. */
    private static final long LEEWAY = 5;

    private static final List<String> DECIMAL = List.of("kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB");
    private static final List<String> BINARY = List.of("KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB");
    private static final Pattern ENTITY =
            Pattern.compile("&(amp|lt|gt|quot|apos|nbsp|#\\d{1,7}|#[xX][0-9a-fA-F]{1,6});");
    private static final Map<String, String> ENTITIES =
            Map.of("amp", "&", "lt", "<", "gt", ">", "quot", "\"", "apos", "'", "nbsp", "\u00a0");

    static final Map<String, Filter> ALL = Map.of(
            "truncate",
            Filters.checked("length killwords end leeway", (context, value, arguments) -> truncate(value, arguments)),
            "filesizeformat",
            Filters.checked(
                    "binary", (context, value, arguments) -> fileSize(value, arguments.flag(0, "binary", false))),
            "urlencode",
            Filters.checked("", (context, value, arguments) -> urlEncode(value)),
            "striptags",
            Filters.checked("", (context, value, arguments) -> stripTags(Values.text(value))),
            "xmlattr",
            Filters.checked(
                    "autospace",
                    (context, value, arguments) -> xmlAttributes(value, arguments.flag(0, "autospace", true))));

    private HtmlFilters() {}

    /** Cuts a text to a length in characters, at the last blank unless words may be cut. */
    private static Object truncate(Object value, Arguments arguments) {
        long length = Values.integer(arguments.get(0, "length", 255L));
        boolean killWords = arguments.flag(1, "killwords", false);
        String end = Values.text(arguments.get(2, "end", "..."));
        Object given = arguments.get(3, "leeway", null);
        long leeway = given == null ? LEEWAY : Values.integer(given);
        long endLength = end.codePointCount(0, end.length());
        if (length < endLength || leeway < 0) {
            throw new TemplateError(
                    "expected length >= " + endLength + " and leeway >= 0, got " + length + " and " + leeway);
        }
        if (Values.length(value) <= length + leeway) {
            return value;
        }
        if (!Values.isText(value)) {
            throw new TemplateError("truncate needs a text, not '" + Values.typeName(value) + "'");
        }
        String text = Values.text(value);
        String cut = text.substring(0, text.offsetByCodePoints(0, (int) (length - endLength)));
        int blank = cut.lastIndexOf(' ');
        return (killWords || blank < 0 ? cut : cut.substring(0, blank)) + end;
    }

    private static String fileSize(Object value, boolean binary) {
        if (!Values.isText(value) && !Operators.isNumber(value)) {
            throw new TemplateError("filesizeformat needs a number, not '" + Values.typeName(value) + "'");
        }
        double bytes =
                Values.isText(value) ? Double.parseDouble(checkedNumber(Values.text(value))) : Operators.number(value);
        int base = binary ? 1024 : 1000;
        if (bytes == 1) {
            return "1 Byte";
        }
        if (bytes < base) {
            return (long) bytes + " Bytes";
        }
        List<String> prefixes = binary ? BINARY : DECIMAL;
        double unit = base;
        int power = 0;
        while (power < prefixes.size() - 1 && bytes >= unit * base) {
            unit *= base;
            power++;
        }
        return PercentFormat.format("%.1f", new Tuple(List.of(bytes / unit))) + " " + prefixes.get(power);
    }

    private static String checkedNumber(String text) {
        String number = Whitespace.strip(text);
        if (!number.matches("[+-]?\\d{1,300}(\\.\\d{0,300})?")) {
            throw new TemplateError("could not convert string to float: " + Values.repr(text));
        }
        return number;
    }

    /** A text as part of a path; pairs, or a dict, as a query. */
    private static String urlEncode(Object value) {
        if (Values.isText(value) || !(value instanceof Map || value instanceof List)) {
            return quote(Values.text(value), "/");
        }
        List<String> pairs = new ArrayList<>();
        List<Object> items = value instanceof Map<?, ?> map
                ? Values.list(new DictView(DictView.Kind.ITEMS, map))
                : Values.list(value);
        for (Object item : items) {
            List<Object> pair = Values.list(item);
            if (pair.size() != 2) {
                throw new TemplateError("urlencode needs pairs, not " + Values.repr(item));
            }
            pairs.add(queryPart(pair.get(0)) + "=" + queryPart(pair.get(1)));
        }
        return String.join("&", pairs);
    }

    private static String queryPart(Object value) {
        return quote(Values.text(value), "").replace("%20", "+");
    }

    private static String quote(String text, String safe) {
        StringBuilder quoted = new StringBuilder();
        for (byte one : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (one & 0xff);
            boolean plain = c < 128 && (Character.isLetterOrDigit(c) || "_.-~".indexOf(c) >= 0 || safe.indexOf(c) >= 0);
            quoted.append(plain ? String.valueOf(c) : String.format("%%%02X", (int) c));
        }
        return quoted.toString();
    }

    /** Without comments and tags, white space drawn together, the common entities as their characters. */
    private static String stripTags(String text) {
        String stripped = without(without(text, "<!--", "-->"), "<", ">");
        String together = TextMethods.words(stripped, Long.MAX_VALUE).stream()
                .map(Values::text)
                .collect(Collectors.joining(" "));
        Matcher entity = ENTITY.matcher(together);
        return entity.replaceAll(found -> Matcher.quoteReplacement(character(found.group(1))));
    }

    private static String without(String text, String open, String close) {
        StringBuilder rest = new StringBuilder();
        int at = 0;
        while (true) {
            int start = text.indexOf(open, at);
            int end = start < 0 ? -1 : text.indexOf(close, start);
            if (end < 0) {
                return rest.append(text, at, text.length()).toString();
            }
            rest.append(text, at, start);
            at = end + close.length();
        }
    }

    private static String character(String entity) {
        if (!entity.startsWith("#")) {
            return ENTITIES.get(entity);
        }
        boolean hex = entity.charAt(1) == 'x' || entity.charAt(1) == 'X';
        int code = Integer.parseInt(entity.substring(hex ? 2 : 1), hex ? 16 : 10);
        return Character.isValidCodePoint(code) && code != 0 ? Character.toString(code) : "\uFFFD";
    }

    private static String xmlAttributes(Object value, boolean space) {
        if (!(value instanceof Map<?, ?> map)) {
            throw new TemplateError("xmlattr needs a dict, not '" + Values.typeName(value) + "'");
        }
        List<String> attributes = new ArrayList<>();
        map.forEach((key, item) -> {
            if (item == null || item instanceof Undefined) {
                return;
            }
            String name = Values.text(key);
            if (name.chars().anyMatch(c -> Whitespace.isSpace(c) || c == '/' || c == '>' || c == '=')) {
                throw new TemplateError("Invalid character in attribute name: " + Values.repr(key));
            }
            attributes.add(Markup.escape(name) + "=\""
                    + (item instanceof Markup markup ? markup.text() : Markup.escape(Values.text(item))) + "\"");
        });
        String joined = String.join(" ", attributes);
        return space && !joined.isEmpty() ? " " + joined : joined;
    }
}
