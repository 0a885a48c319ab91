package io.kindling.engine.text.jinja;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Map;

/** Python's {@code repr}. */
final class Repr {
    private Repr() {}

    static void write(Object value, TextBuffer out, int depth) {
        if (depth > Limits.DEEPEST) {
            throw new TemplateError("the data are nested too deep to be written");
        }
        if (value == null) {
            out.append("None");
        } else if (value instanceof Boolean flag) {
            out.append(flag ? "True" : "False");
        } else if (value instanceof Double number) {
            out.append(number(number));
        } else if (value instanceof String text) {
            quote(text, out);
        } else if (value instanceof Markup markup) {
            out.append("Markup(");
            quote(markup.text(), out);
            out.append(")");
        } else if (value instanceof List<?> items) {
            boolean tuple = value instanceof Tuple;
            out.append(tuple ? "(" : "[");
            for (int k = 0; k < items.size(); k++) {
                out.append(k == 0 ? "" : ", ");
                write(items.get(k), out, depth + 1);
            }
            out.append(tuple ? items.size() == 1 ? ",)" : ")" : "]");
        } else if (value instanceof Map<?, ?> map) {
            out.append("{");
            String separator = "";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                out.append(separator);
                write(entry.getKey(), out, depth + 1);
                out.append(": ");
                write(entry.getValue(), out, depth + 1);
                separator = ", ";
            }
            out.append("}");
        } else if (value instanceof Undefined) {
            out.append("Undefined");
        } else if (value instanceof Namespace namespace) {
            out.append("<Namespace ");
            write(namespace.attributes(), out, depth + 1);
            out.append(">");
        } else if (value instanceof DictView view) {
            out.append(view.typeName()).append("(");
            write(Values.list(view), out, depth + 1);
            out.append(")");
        } else if (value instanceof Generator generator) {
            out.append("<").append(generator.typeName()).append(">");
        } else if (value instanceof Callable) {
            out.append("<function>");
        } else {
            out.append(value.toString());
        }
    }

    /** The shortest digits that give the number again; an exponent below 1e-4 and from 1e16 on. */
    static String number(double value) {
        if (Double.isNaN(value)) {
            return "nan";
        }
        if (Double.isInfinite(value)) {
            return value > 0 ? "inf" : "-inf";
        }
        if (value == 0) {
            return 1 / value < 0 ? "-0.0" : "0.0";
        }
        BigDecimal shortest = shortest(value);
        String digits = shortest.unscaledValue().abs().toString();
        int exponent = digits.length() - shortest.scale() - 1;
        String sign = value < 0 ? "-" : "";
        if (exponent >= -4 && exponent < 16) {
            String plain = shortest.abs().toPlainString();
            return sign + (plain.indexOf('.') < 0 ? plain + ".0" : plain);
        }
        String mantissa = digits.charAt(0) + (digits.length() > 1 ? "." + digits.substring(1) : "");
        String magnitude = Math.abs(exponent) < 10 ? "0" + Math.abs(exponent) : "" + Math.abs(exponent);
        return sign + mantissa + "e" + (exponent < 0 ? "-" : "+") + magnitude;
    }

    private static BigDecimal shortest(double value) {
        BigDecimal exact = new BigDecimal(value);
        for (int precision = 1; precision < 17; precision++) {
            BigDecimal rounded = exact.round(new MathContext(precision));
            if (rounded.doubleValue() == value) {
                return rounded.stripTrailingZeros();
            }
        }
        return exact.round(new MathContext(17)).stripTrailingZeros();
    }

    /** In single quotes, unless the text has those and no double ones. */
    private static void quote(String text, TextBuffer out) {
        char quote = text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
        StringBuilder quoted = new StringBuilder(text.length() + 2).append(quote);
        text.codePoints().forEach(c -> {
            switch (c) {
                case '\\' -> quoted.append("\\\\");
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (c == quote) {
                        quoted.append('\\').append(quote);
                    } else if (isPrintable(c)) {
                        quoted.appendCodePoint(c);
                    } else {
                        quoted.append(
                                c < 0x100
                                        ? String.format("\\x%02x", c)
                                        : c < 0x10000 ? String.format("\\u%04x", c) : String.format("\\U%08x", c));
                    }
                }
            }
        });
        out.append(quoted.append(quote).toString());
    }

    static boolean isPrintable(int c) {
        return c == ' '
                || switch (Character.getType(c)) {
                    case Character.CONTROL,
                            Character.FORMAT,
                            Character.SURROGATE,
                            Character.PRIVATE_USE,
                            Character.UNASSIGNED,
                            Character.LINE_SEPARATOR,
                            Character.PARAGRAPH_SEPARATOR,
                            Character.SPACE_SEPARATOR -> false;
                    default -> true;
                };
    }
}
