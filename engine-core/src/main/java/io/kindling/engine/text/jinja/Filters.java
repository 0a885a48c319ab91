package io.kindling.engine.text.jinja;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** jinja2's filters, with transformers' {@code tojson}. */
final class Filters {
    private static final Map<String, Filter> ALL = new HashMap<>(SequenceFilters.ALL);

    static {
        ALL.putAll(HtmlFilters.ALL);
        ALL.put("tojson", (context, value, arguments) -> Json.write(value, arguments));
        ALL.put("string", (context, value, arguments) -> value instanceof Markup ? value : Values.text(value));
        ALL.put(
                "safe",
                (context, value, arguments) -> value instanceof Markup ? value : new Markup(Values.text(value)));
        Filter escape = (context, value, arguments) ->
                value instanceof Markup ? value : new Markup(Markup.escape(Values.text(value)));
        ALL.put("escape", escape);
        ALL.put("e", escape);
        ALL.put("forceescape", (context, value, arguments) -> new Markup(Markup.escape(Values.text(value))));
        ALL.put("lower", (context, value, arguments) -> Values.text(value).toLowerCase(Locale.ROOT));
        ALL.put("upper", (context, value, arguments) -> Values.text(value).toUpperCase(Locale.ROOT));
        ALL.put("capitalize", (context, value, arguments) -> TextMethods.capitalize(Values.text(value)));
        ALL.put("title", (context, value, arguments) -> title(Values.text(value)));
        ALL.put(
                "trim",
                (context, value, arguments) ->
                        TextMethods.strip(Values.text(value), arguments.get(0, "chars", null), true, true));
        ALL.put("replace", (context, value, arguments) -> {
            Object count = arguments.get(2, "count", null);
            return TextMethods.replace(
                    Values.text(value),
                    Values.text(arguments.require(0, "old")),
                    Values.text(arguments.require(1, "new")),
                    count == null ? -1 : Values.integer(count));
        });
        ALL.put(
                "center",
                (context, value, arguments) -> TextMethods.pad(
                        Values.text(value), Values.smallInteger(arguments.get(0, "width", 80L)), " ", 0.5));
        ALL.put(
                "format",
                (context, value, arguments) -> PercentFormat.format(
                        Values.text(value),
                        arguments.named().isEmpty()
                                ? new Tuple(arguments.positional())
                                : new HashMap<Object, Object>(arguments.named())));
        ALL.put("indent", (context, value, arguments) -> indent(value, arguments));
        ALL.put("wordcount", (context, value, arguments) -> Pattern.compile("[\\p{L}\\p{N}_]+")
                .matcher(Values.text(value))
                .results()
                .count());
        Filter standIn = (context, value, arguments) -> {
            boolean absent = value instanceof Undefined || arguments.flag(1, "boolean", false) && !Values.isTrue(value);
            return absent ? arguments.get(0, "default_value", "") : value;
        };
        ALL.put("default", standIn);
        ALL.put("d", standIn);
        ALL.put("int", (context, value, arguments) -> integer(value, arguments));
        ALL.put("float", (context, value, arguments) -> real(value, arguments.get(0, "default", 0.0)));
        ALL.put("round", (context, value, arguments) -> round(value, arguments));
        ALL.put("abs", (context, value, arguments) -> {
            Object number = Operators.plus(value);
            return number instanceof Double real
                    ? (Object) Math.abs(real)
                    : Integers.of(Integers.big(number).abs());
        });
        for (String name : List.of(
                "string",
                "safe",
                "escape",
                "e",
                "forceescape",
                "lower",
                "upper",
                "capitalize",
                "title",
                "wordcount",
                "abs")) {
            ALL.computeIfPresent(name, (same, filter) -> checked("", filter));
        }
    }

    /** A filter that takes these arguments and no others. */
    static Filter checked(String parameters, Filter filter) {
        String[] names = parameters.isEmpty() ? new String[0] : parameters.split(" ");
        return (context, value, arguments) -> filter.apply(context, value, arguments.expect(names));
    }

    private Filters() {}

    static boolean exists(String name) {
        return ALL.containsKey(name);
    }

    static Filter get(String name) {
        Filter filter = ALL.get(name);
        if (filter == null) {
            throw new TemplateError("no filter named '" + name + "'");
        }
        return filter;
    }

    /** Words begin after white space, hyphens and opening brackets. */
    private static String title(String text) {
        StringBuilder titled = new StringBuilder();
        boolean inside = false;
        for (int c : text.codePoints().toArray()) {
            String one = Character.toString(c);
            titled.append(inside ? one.toLowerCase(Locale.ROOT) : one.toUpperCase(Locale.ROOT));
            inside = !Whitespace.isSpace(c) && "-({[<".indexOf(c) < 0;
        }
        return titled.toString();
    }

    private static String indent(Object value, Arguments arguments) {
        Object width = arguments.get(0, "width", 4L);
        String step = Values.isText(width)
                ? Values.text(width)
                : " ".repeat(Limits.size(Math.max(0, Values.smallInteger(width))));
        boolean first = arguments.flag(1, "first", false);
        boolean blank = arguments.flag(2, "blank", false);
        if (!Values.isText(value)) {
            throw new TemplateError("indent needs a text, not '" + Values.typeName(value) + "'");
        }
        String text = Values.text(value);
        List<String> lines = TextMethods.lines(text + "\n", false);
        TextBuffer out = new TextBuffer().append(first ? step : "");
        for (int k = 0; k < lines.size(); k++) {
            boolean indented = k > 0 && (blank || !lines.get(k).isEmpty());
            out.append(k > 0 ? "\n" : "").append(indented ? step : "").append(lines.get(k));
        }
        return out.toString();
    }

    private static Object integer(Object value, Arguments arguments) {
        Object absent = arguments.get(0, "default", 0L);
        int base = Values.smallInteger(arguments.get(1, "base", 10L));
        if (value instanceof Undefined undefined) {
            throw undefined.error();
        }
        if (Values.isText(value)) {
            try {
                return Long.parseLong(digits(Whitespace.strip(Values.text(value)), base), base);
            } catch (NumberFormatException noInteger) {
                Object real = real(value, null);
                return real == null ? absent : integer(real, arguments);
            }
        }
        if (value instanceof Double real) {
            return Double.isNaN(real) || Double.isInfinite(real) ? absent : (Object) (long) (double) real;
        }
        return value instanceof BigInteger
                ? value
                : Operators.isNumber(value) ? (Object) Values.integer(value) : absent;
    }

    /** The digits that Java reads: without the prefix of the base, if there is one, and without underscores. */
    private static String digits(String text, int base) {
        String prefix = base == 16 ? "0[xX]" : base == 8 ? "0[oO]" : base == 2 ? "0[bB]" : "(?!)";
        return text.replaceFirst("^([+-]?)" + prefix, "$1").replace("_", "");
    }

    private static Object real(Object value, Object absent) {
        if (value instanceof Undefined undefined) {
            throw undefined.error();
        }
        if (Operators.isNumber(value)) {
            return Operators.number(value);
        }
        String text = Values.isText(value) ? Whitespace.strip(Values.text(value)) : "";
        if (text.matches("(?i)[+-]?(inf|infinity|nan)")) {
            double magnitude = text.toLowerCase(Locale.ROOT).endsWith("nan") ? Double.NaN : Double.POSITIVE_INFINITY;
            return text.startsWith("-") ? -magnitude : magnitude;
        }
        // Java also reads suffixes and hexadecimals, which Python does not.
        return text.matches("[+-]?(\\d[\\d_]*\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?")
                ? (Object) Double.parseDouble(text.replace("_", ""))
                : absent;
    }

    private static Object round(Object value, Arguments arguments) {
        int precision = Values.smallInteger(arguments.get(0, "precision", 0L));
        String method = Values.text(arguments.get(1, "method", "common"));
        if (!Operators.isNumber(value) || Math.abs((long) precision) > 300) {
            throw new TemplateError("round needs a number and a precision of at most 300 digits");
        }
        double number = Operators.number(value);
        if (method.equals("common")) {
            double rounded = new BigDecimal(number)
                    .setScale(precision, RoundingMode.HALF_EVEN)
                    .doubleValue();
            return value instanceof Double ? (Object) Math.copySign(rounded, number) : (Object) (long) rounded;
        }
        double scale = Math.pow(10, precision);
        return switch (method) {
            case "ceil" -> Math.ceil(number * scale) / scale;
            case "floor" -> Math.floor(number * scale) / scale;
            default -> throw new TemplateError("method must be common, ceil or floor");
        };
    }
}
