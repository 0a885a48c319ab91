package io.kindling.engine.text.jinja;

import java.math.BigInteger;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Python's {@code text % values}. */
final class PercentFormat {
    private static final Pattern FIELD =
            Pattern.compile("%(?:\\(([^)]*)\\))?([-+ #0]*)(\\d{0,6})(?:\\.(\\d{0,6}))?[hlL]?(.)?", Pattern.DOTALL);

    private PercentFormat() {}

    static String format(String pattern, Object values) {
        Tuple items = values instanceof Tuple tuple ? tuple : Tuple.of(values);
        TextBuffer out = new TextBuffer();
        Matcher field = FIELD.matcher(pattern);
        int next = 0;
        int from = 0;
        while (field.find(from)) {
            out.append(pattern.substring(from, field.start()));
            from = field.end();
            String type = field.group(5);
            if (type == null) {
                throw new TemplateError("incomplete format");
            }
            if (type.equals("%")) {
                out.append("%");
                continue;
            }
            Object value;
            if (field.group(1) != null) {
                if (!(values instanceof Map<?, ?> map) || !map.containsKey(field.group(1))) {
                    throw new TemplateError("format has no value for '" + field.group(1) + "'");
                }
                value = map.get(field.group(1));
            } else if (next < items.size()) {
                value = items.get(next++);
            } else {
                throw new TemplateError("not enough arguments for format string");
            }
            out.append(pad(convert(value, type.charAt(0), field), field));
        }
        if (next < items.size() && !isSubscriptable(values)) {
            throw new TemplateError("not all arguments converted during string formatting");
        }
        return out.append(pattern.substring(from)).toString();
    }

    /** What Python takes for a mapping, whose values need not all be used. */
    private static boolean isSubscriptable(Object values) {
        return values instanceof Map || values instanceof List && !(values instanceof Tuple) || values instanceof Range;
    }

    private static String convert(Object value, char type, Matcher field) {
        String digits = field.group(4);
        int precision = digits == null ? -1 : digits.isEmpty() ? 0 : Integer.parseInt(digits);
        switch (type) {
            case 's', 'r', 'a' -> {
                String text = type == 's' ? Values.text(value) : Values.repr(value);
                return precision >= 0 && precision < Values.length(text)
                        ? text.substring(0, text.offsetByCodePoints(0, precision))
                        : text;
            }
            case 'c' -> {
                boolean one = Values.isText(value) && Values.length(value) == 1;
                boolean code = (value instanceof Long || value instanceof Boolean)
                        && Character.isValidCodePoint(
                                (int) Math.max(-1, Math.min(Values.integer(value), Integer.MAX_VALUE)));
                if (!one && !code) {
                    throw new TemplateError("%c requires int or char");
                }
                return one ? Values.text(value) : Character.toString(Values.smallInteger(value));
            }
            case 'd', 'i', 'u', 'x', 'X', 'o' -> {
                return signed(integer(value, type), field);
            }
            case 'e', 'E', 'f', 'F', 'g', 'G' -> {
                return signed(NumberFormat.real(real(value, type), type, precision < 0 ? 6 : precision), field);
            }
            default -> throw new TemplateError("unsupported format character '" + type + "'");
        }
    }

    private static double real(Object value, char type) {
        if (!Operators.isNumber(value)) {
            throw new TemplateError("%" + type + " format: a number is required, not " + Values.typeName(value));
        }
        return Operators.number(value);
    }

    private static String integer(Object value, char type) {
        boolean decimal = type == 'd' || type == 'i' || type == 'u';
        BigInteger number = decimal && value instanceof Double real
                ? BigInteger.valueOf((long) (double) real)
                : checked(value, type);
        String text = number.toString(decimal ? 10 : type == 'o' ? 8 : 16);
        return type == 'X' ? text.toUpperCase(Locale.ROOT) : text;
    }

    private static BigInteger checked(Object value, char type) {
        if (!(value instanceof Long || value instanceof BigInteger || value instanceof Boolean)) {
            throw new TemplateError("%" + type + " format: an integer is required, not " + Values.typeName(value));
        }
        return Integers.big(value);
    }

    private static String signed(String number, Matcher field) {
        String flags = field.group(2);
        if (number.startsWith("-")) {
            return number;
        }
        return flags.contains("+") ? "+" + number : flags.contains(" ") ? " " + number : number;
    }

    private static String pad(String text, Matcher field) {
        String flags = field.group(2);
        int width = field.group(3).isEmpty() ? 0 : Integer.parseInt(field.group(3));
        boolean zeros = flags.contains("0") && !flags.contains("-") && "diuxXoeEfFgG".contains(field.group(5));
        if (zeros) {
            int sign = !text.isEmpty() && "+- ".indexOf(text.charAt(0)) >= 0 ? 1 : 0;
            return text.substring(0, sign) + TextMethods.pad(text.substring(sign), width - sign, "0", 1);
        }
        return TextMethods.pad(text, width, " ", flags.contains("-") ? 0 : 1);
    }
}
