package io.kindling.engine.text.jinja;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Python's {@code text.format(…)}: places, names, attributes and elements, conversions, and the common format specifications. */
final class BraceFormat {
    private static final Pattern SPECIFICATION = Pattern.compile(
            "(?:(.)?([<>^=]))?([-+ ])?(0)?(\\d{1,6})?(,)?(?:\\.(\\d{1,6}))?([bcdeEfFgGnosxX%])?", Pattern.DOTALL);
    private static final Pattern PART = Pattern.compile("\\.([^.\\[]+)|\\[([^]]*)]");

    private BraceFormat() {}

    static String format(Context context, String pattern, Arguments arguments) {
        TextBuffer out = new TextBuffer();
        int automatic = 0;
        int at = 0;
        while (at < pattern.length()) {
            char c = pattern.charAt(at);
            boolean doubled = at + 1 < pattern.length() && pattern.charAt(at + 1) == c;
            if (c != '{' && c != '}' || doubled) {
                out.append(String.valueOf(c));
                at += c == '{' || c == '}' ? 2 : 1;
                continue;
            }
            int end = pattern.indexOf('}', at);
            if (c == '}' || end < 0) {
                throw new TemplateError("single '" + c + "' encountered in format string");
            }
            String field = pattern.substring(at + 1, end);
            int colon = field.indexOf(':');
            String specification = colon < 0 ? "" : field.substring(colon + 1);
            String name = colon < 0 ? field : field.substring(0, colon);
            int bang = name.indexOf('!');
            String conversion = bang < 0 ? "" : name.substring(bang + 1);
            name = bang < 0 ? name : name.substring(0, bang);
            boolean unnamed = name.isEmpty() || name.charAt(0) == '.' || name.charAt(0) == '[';
            Object value = lookup(unnamed ? automatic++ + name : name, arguments);
            Object converted =
                    conversion.equals("r") ? Values.repr(value) : conversion.equals("s") ? Values.text(value) : value;
            out.append(apply(converted, specification));
            at = end + 1;
        }
        return out.toString();
    }

    private static Object lookup(String field, Arguments arguments) {
        int end = 0;
        while (end < field.length() && field.charAt(end) != '.' && field.charAt(end) != '[') {
            end++;
        }
        String first = field.substring(0, end);
        Object value;
        if (!first.isEmpty() && first.length() < 9 && first.chars().allMatch(Character::isDigit)) {
            int place = Integer.parseInt(first);
            if (place >= arguments.positional().size()) {
                throw new TemplateError("Replacement index " + place + " out of range for positional args tuple");
            }
            value = arguments.positional().get(place);
        } else if (arguments.named().containsKey(first)) {
            value = arguments.named().get(first);
        } else {
            throw new TemplateError("format has no value for '" + first + "'");
        }
        Matcher part = PART.matcher(field).region(end, field.length());
        while (part.lookingAt()) {
            String key = part.group(2);
            boolean index = key != null
                    && !key.isEmpty()
                    && key.length() < 9
                    && key.chars().allMatch(Character::isDigit);
            value = part.group(1) != null
                    ? Access.attribute(value, part.group(1))
                    : Access.element(value, index ? (Object) Long.parseLong(key) : key);
            part.region(part.end(), field.length());
        }
        return value;
    }

    private static String apply(Object value, String specification) {
        if (specification.isEmpty()) {
            return Values.text(value);
        }
        Matcher matcher = SPECIFICATION.matcher(specification);
        if (!matcher.matches()) {
            throw new TemplateError("invalid format specifier '" + specification + "'");
        }
        boolean number = Operators.isNumber(value);
        if (!number) {
            checkText(value, matcher);
        }
        String text = number ? number(value, matcher) : Values.text(value);
        if (!number && matcher.group(7) != null) {
            int most = Integer.parseInt(matcher.group(7));
            text = most < Values.length(text) ? text.substring(0, text.offsetByCodePoints(0, most)) : text;
        }
        boolean zeros = matcher.group(4) != null && matcher.group(2) == null;
        String fill = matcher.group(1) != null ? matcher.group(1) : zeros ? "0" : " ";
        String align = matcher.group(2) != null ? matcher.group(2) : zeros && number ? "=" : number ? ">" : "<";
        int width = matcher.group(5) == null ? 0 : Integer.parseInt(matcher.group(5));
        int sign = align.equals("=") && (text.startsWith("-") || text.startsWith("+")) ? 1 : 0;
        if (align.equals("^")) { // an odd space goes after, unlike in center()
            int length = (int) Values.length(text);
            text = TextMethods.pad(text, length + Math.max(0, width - length) / 2, fill, 1);
        }
        double before = align.equals("<") || align.equals("^") ? 0 : 1;
        return text.substring(0, sign) + TextMethods.pad(text.substring(sign), width - sign, fill, before);
    }

    /** Texts take width and precision, other values no specification at all. */
    private static void checkText(Object value, Matcher matcher) {
        String type = matcher.group(8);
        boolean numeric = type != null && !type.equals("s") || matcher.group(3) != null || matcher.group(6) != null;
        if (!Values.isText(value) || numeric || "=".equals(matcher.group(2))) {
            throw new TemplateError(
                    "unsupported format '" + matcher.group() + "' for '" + Values.typeName(value) + "'");
        }
    }

    private static String number(Object value, Matcher matcher) {
        String type = matcher.group(8) == null ? "" : matcher.group(8);
        int precision = matcher.group(7) == null ? 6 : Integer.parseInt(matcher.group(7));
        String text =
                switch (type) {
                    case "" ->
                        value instanceof Double real && matcher.group(7) != null
                                ? NumberFormat.real(real, 'g', precision)
                                : Values.text(value instanceof Boolean ? (Object) Values.integer(value) : value);
                    case "d", "n" -> Long.toString(Values.integer(value));
                    case "b" -> Long.toString(Values.integer(value), 2);
                    case "o" -> Long.toString(Values.integer(value), 8);
                    case "x" -> Long.toString(Values.integer(value), 16);
                    case "X" -> Long.toString(Values.integer(value), 16).toUpperCase(Locale.ROOT);
                    case "c" -> Character.toString(Values.smallInteger(value));
                    case "%" -> NumberFormat.real(Operators.number(value) * 100, 'f', precision) + "%";
                    case "s" ->
                        throw new TemplateError(
                                "Unknown format code 's' for object of type '" + Values.typeName(value) + "'");
                    default -> NumberFormat.real(Operators.number(value), type.charAt(0), precision);
                };
        if (matcher.group(6) != null) {
            text = text.replaceAll("(?<!\\.\\d{0,30})\\B(?=(\\d{3})+(?!\\d))", ",");
        }
        String plus = matcher.group(3);
        return plus != null && !plus.equals("-") && !text.startsWith("-") ? plus + text : text;
    }
}
