package io.kindling.engine.text.jinja;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Python's operators. */
final class Operators {
    private Operators() {}

    static Object binary(String operator, Object left, Object right) {
        if (operator.equals("%") && Values.isText(left)) {
            return PercentFormat.format(Values.text(left), right);
        }
        refuseUndefined(left);
        refuseUndefined(right);
        if (operator.equals("+") && !isNumber(left)) {
            return join(left, right);
        }
        if (operator.equals("*") && (isSequence(left) || isSequence(right))) {
            return isSequence(left) ? repeat(left, right) : repeat(right, left);
        }
        if (!isNumber(left) || !isNumber(right)) {
            throw unsupported(operator, left, right);
        }
        try {
            return isFloat(left) || isFloat(right) || operator.equals("/")
                    ? floats(operator, number(left), number(right))
                    : integers(operator, Values.integer(left), Values.integer(right));
        } catch (ArithmeticException overflow) {
            throw new TemplateError("integer overflow in '" + operator + "'");
        }
    }

    private static void refuseUndefined(Object value) {
        if (value instanceof Undefined undefined) {
            throw undefined.error();
        }
    }

    private static TemplateError unsupported(String operator, Object left, Object right) {
        return new TemplateError("unsupported operand type(s) for " + operator + ": '" + Values.typeName(left)
                + "' and '" + Values.typeName(right) + "'");
    }

    static boolean isNumber(Object value) {
        return value instanceof Number || value instanceof Boolean;
    }

    private static boolean isFloat(Object value) {
        return value instanceof Double;
    }

    static double number(Object value) {
        return value instanceof Boolean flag ? flag ? 1 : 0 : ((Number) value).doubleValue();
    }

    private static boolean isSequence(Object value) {
        return value instanceof List || Values.isText(value);
    }

    private static Object join(Object left, Object right) {
        if (Values.isText(left) && Values.isText(right)) {
            boolean safe = left instanceof Markup || right instanceof Markup;
            String first = safe && !(left instanceof Markup) ? Markup.escape((String) left) : Values.text(left);
            String second = safe && !(right instanceof Markup) ? Markup.escape((String) right) : Values.text(right);
            Limits.size((long) first.length() + second.length());
            return safe ? new Markup(first + second) : first + second;
        }
        if (left instanceof List<?> first
                && right instanceof List<?> second
                && left instanceof Tuple == right instanceof Tuple) {
            Limits.size((long) first.size() + second.size());
            List<Object> joined = new ArrayList<>(first);
            joined.addAll(second);
            return left instanceof Tuple ? new Tuple(joined) : joined;
        }
        throw unsupported("+", left, right);
    }

    private static Object repeat(Object sequence, Object times) {
        if (!(times instanceof Long || times instanceof Boolean)) {
            throw unsupported("*", sequence, times);
        }
        long count = Math.max(0, Values.integer(times));
        long length = sequence instanceof List<?> items
                ? items.size()
                : Values.text(sequence).length();
        int copies = length == 0 ? 0 : Limits.size(Math.min(count, Limits.LONGEST + 1L));
        Limits.size(length * copies);
        if (sequence instanceof List<?> items) {
            List<Object> repeated = new ArrayList<>();
            for (int k = 0; k < copies; k++) {
                repeated.addAll(items);
            }
            return sequence instanceof Tuple ? new Tuple(repeated) : repeated;
        }
        String repeated = Values.text(sequence).repeat(copies);
        return sequence instanceof Markup ? new Markup(repeated) : repeated;
    }

    private static Object integers(String operator, long left, long right) {
        return switch (operator) {
            case "+" -> Math.addExact(left, right);
            case "-" -> Math.subtractExact(left, right);
            case "*" -> Math.multiplyExact(left, right);
            case "//" -> Math.floorDiv(left, notZero(right));
            case "%" -> Math.floorMod(left, notZero(right));
            default -> power(left, right);
        };
    }

    private static long notZero(long divisor) {
        if (divisor == 0) {
            throw new TemplateError("division by zero");
        }
        return divisor;
    }

    private static Object power(long base, long exponent) {
        if (exponent < 0) {
            return floats("**", base, exponent);
        }
        long result = 1;
        long factor = base;
        for (long left = exponent; left > 0; left >>= 1) {
            if ((left & 1) == 1) {
                result = Math.multiplyExact(result, factor);
            }
            if (left > 1) {
                factor = Math.multiplyExact(factor, factor);
            }
        }
        return result;
    }

    private static Object floats(String operator, double left, double right) {
        boolean divides = operator.equals("/") || operator.equals("//") || operator.equals("%");
        if (divides && right == 0) {
            throw new TemplateError("division by zero");
        }
        return switch (operator) {
            case "+" -> left + right;
            case "-" -> left - right;
            case "*" -> left * right;
            case "/" -> left / right;
            case "//" -> Math.floor(left / right);
            case "%" -> {
                double rest = left % right;
                yield rest != 0 && rest < 0 != right < 0 ? rest + right : rest;
            }
            default -> Math.pow(left, right);
        };
    }

    static Object negate(Object value) {
        refuseUndefined(value);
        if (!isNumber(value)) {
            throw new TemplateError("bad operand type for unary -: '" + Values.typeName(value) + "'");
        }
        return value instanceof Double number ? (Object) (-number) : (Object) Math.negateExact(Values.integer(value));
    }

    static Object plus(Object value) {
        refuseUndefined(value);
        if (!isNumber(value)) {
            throw new TemplateError("bad operand type for unary +: '" + Values.typeName(value) + "'");
        }
        return value instanceof Boolean ? (Object) Values.integer(value) : value;
    }

    static boolean equal(Context context, Object left, Object right) {
        context.step();
        if (isNumber(left) && isNumber(right)) {
            return isFloat(left) || isFloat(right)
                    ? number(left) == number(right)
                    : left instanceof Number && right instanceof Number
                            ? left.equals(right)
                            : Values.integer(left) == Values.integer(right);
        }
        if (Values.isText(left) && Values.isText(right)) {
            return Values.text(left).equals(Values.text(right));
        }
        if (left instanceof List<?> first && right instanceof List<?> second) {
            return left instanceof Tuple == right instanceof Tuple && equalItems(context, first, second);
        }
        if (left instanceof Map<?, ?> first && right instanceof Map<?, ?> second) {
            return equalMaps(context, first, second);
        }
        return Objects.equals(left, right);
    }

    private static boolean equalItems(Context context, List<?> left, List<?> right) {
        if (left.size() != right.size()) {
            return false;
        }
        context.enter();
        Iterator<?> others = right.iterator();
        boolean equal = true;
        for (Object item : left) {
            equal = equal && equal(context, item, others.next());
        }
        context.leave();
        return equal;
    }

    private static boolean equalMaps(Context context, Map<?, ?> left, Map<?, ?> right) {
        if (left.size() != right.size()) {
            return false;
        }
        context.enter();
        boolean equal = true;
        for (Map.Entry<?, ?> entry : left.entrySet()) {
            equal = equal
                    && right.containsKey(entry.getKey())
                    && equal(context, entry.getValue(), right.get(entry.getKey()));
        }
        context.leave();
        return equal;
    }

    /** Negative, zero or positive; numbers, texts and sequences of them. */
    static int compare(Context context, Object left, Object right) {
        context.step();
        refuseUndefined(left);
        refuseUndefined(right);
        if (isNumber(left) && isNumber(right)) {
            return isFloat(left) || isFloat(right)
                    ? Double.compare(number(left), number(right))
                    : Long.compare(Values.integer(left), Values.integer(right));
        }
        if (Values.isText(left) && Values.isText(right)) {
            return compareText(Values.text(left), Values.text(right));
        }
        if (left instanceof List<?> first
                && right instanceof List<?> second
                && left instanceof Tuple == right instanceof Tuple) {
            context.enter();
            int order = 0;
            for (int k = 0; order == 0 && k < Math.min(first.size(), second.size()); k++) {
                if (!equal(context, first.get(k), second.get(k))) {
                    order = compare(context, first.get(k), second.get(k));
                }
            }
            context.leave();
            return order != 0 ? order : Integer.compare(first.size(), second.size());
        }
        throw new TemplateError("'<' not supported between instances of '" + Values.typeName(left) + "' and '"
                + Values.typeName(right) + "'");
    }

    /** By code points, not by the halves of surrogate pairs. */
    private static int compareText(String left, String right) {
        int k = 0;
        while (k < left.length() && k < right.length() && left.charAt(k) == right.charAt(k)) {
            k++;
        }
        if (k == left.length() || k == right.length()) {
            return Integer.compare(left.length(), right.length());
        }
        char a = left.charAt(k);
        char b = right.charAt(k);
        return Character.isSurrogate(a) != Character.isSurrogate(b)
                ? Boolean.compare(Character.isSurrogate(a), Character.isSurrogate(b))
                : Character.compare(a, b);
    }

    static boolean contains(Context context, Object container, Object item) {
        if (Values.isText(container)) {
            if (!Values.isText(item)) {
                throw new TemplateError("'in <string>' requires string as left operand, not " + Values.typeName(item));
            }
            return Values.text(container).contains(Values.text(item));
        }
        if (container instanceof Map<?, ?> map) {
            return map.containsKey(Values.key(item));
        }
        for (Object element : Values.iterate(container)) {
            if (equal(context, element, item)) {
                return true;
            }
        }
        return false;
    }
}
