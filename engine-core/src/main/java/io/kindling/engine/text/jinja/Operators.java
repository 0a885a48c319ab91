package io.kindling.engine.text.jinja;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;

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
        return isFloat(left) || isFloat(right) || operator.equals("/")
                ? floats(operator, number(left), number(right))
                : Integers.binary(operator, left, right);
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
        if (!Integers.isInteger(times)) {
            throw unsupported("*", sequence, times);
        }
        long count = Math.max(0, Integers.clamped(times));
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

    static Object floats(String operator, double left, double right) {
        boolean divides = operator.equals("/") || operator.equals("//") || operator.equals("%");
        if (divides && right == 0) {
            throw new TemplateError("division by zero");
        }
        return switch (operator) {
            case "+" -> left + right;
            case "-" -> left - right;
            case "*" -> left * right;
            case "/" -> left / right;
            case "//" -> floorDivide(left, right);
            case "%" -> remainder(left, right);
            default -> power(left, right);
        };
    }

    /** The sign of the divisor, of zero as well. */
    private static double remainder(double left, double right) {
        double rest = left % right;
        return rest == 0 ? Math.copySign(0, right) : rest < 0 != right < 0 ? rest + right : rest;
    }

    /** By way of the remainder, as CPython does: the quotient itself may round up to the next integer. */
    private static double floorDivide(double left, double right) {
        double quotient = (left - left % right) / right;
        double down = left % right != 0 && left % right < 0 != right < 0 ? quotient - 1 : quotient;
        double floor = Math.floor(down);
        return down == 0 ? Math.copySign(0, left / right) : down - floor > 0.5 ? floor + 1 : floor;
    }

    private static double power(double base, double exponent) {
        if (base == 0 && exponent < 0) {
            throw new TemplateError("0.0 cannot be raised to a negative power");
        }
        double power = base == 1 || exponent == 0 ? 1 : Math.pow(base, exponent);
        boolean finite = Double.isFinite(base) && Double.isFinite(exponent);
        if (finite && Double.isNaN(power)) {
            throw new TemplateError(
                    "complex numbers are not supported: " + Repr.number(base) + " ** " + Repr.number(exponent));
        }
        if (finite && Double.isInfinite(power)) {
            throw new TemplateError("Numerical result out of range");
        }
        return power;
    }

    static Object negate(Object value) {
        refuseUndefined(value);
        if (!isNumber(value)) {
            throw new TemplateError("bad operand type for unary -: '" + Values.typeName(value) + "'");
        }
        return value instanceof Double number
                ? (Object) (-number)
                : Integers.of(Integers.big(value).negate());
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
            return compareNumbers(left, right).orElse(1) == 0;
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
        if (left instanceof DictView first && right instanceof DictView second) {
            return equalViews(context, first, second);
        }
        return Objects.equals(left, right);
    }

    private static boolean equalItems(Context context, List<?> left, List<?> right) {
        if (left.size() != right.size()) {
            return false;
        }
        context.enter(1);
        Iterator<?> others = right.iterator();
        boolean equal = true;
        for (Object item : left) {
            equal = equal && equal(context, item, others.next());
        }
        context.leave(1);
        return equal;
    }

    private static boolean equalMaps(Context context, Map<?, ?> left, Map<?, ?> right) {
        if (left.size() != right.size()) {
            return false;
        }
        context.enter(1);
        boolean equal = true;
        for (Map.Entry<?, ?> entry : left.entrySet()) {
            equal = equal
                    && right.containsKey(entry.getKey())
                    && equal(context, entry.getValue(), right.get(entry.getKey()));
        }
        context.leave(1);
        return equal;
    }

    /** Keys and items are sets; values are never equal to others. */
    private static boolean equalViews(Context context, DictView left, DictView right) {
        boolean sets = left.kind() == right.kind() && left.kind() != DictView.Kind.VALUES;
        if (!sets || left.size() != right.size()) {
            return left == right;
        }
        boolean keys = right.dict().keySet().containsAll(left.dict().keySet());
        return keys && (left.kind() == DictView.Kind.KEYS || equalMaps(context, left.dict(), right.dict()));
    }

    /** Empty when one of them is no number at all. */
    private static OptionalInt compareNumbers(Object left, Object right) {
        if (!isFloat(left) && !isFloat(right)) {
            return OptionalInt.of(
                    left instanceof BigInteger || right instanceof BigInteger
                            ? Integers.big(left).compareTo(Integers.big(right))
                            : Long.compare(Values.integer(left), Values.integer(right)));
        }
        double first = number(left);
        double second = number(right);
        if (Double.isNaN(first) || Double.isNaN(second)) {
            return OptionalInt.empty();
        }
        boolean exact = Double.isInfinite(first) || Double.isInfinite(second) || isFloat(left) && isFloat(right);
        return OptionalInt.of(
                exact
                        ? first == second ? 0 : first < second ? -1 : 1
                        : decimal(left).compareTo(decimal(right)));
    }

    private static BigDecimal decimal(Object number) {
        return isFloat(number) ? new BigDecimal((Double) number) : new BigDecimal(Integers.big(number));
    }

    /** {@code left < right} and the like; of what is no number none holds. */
    static boolean ordered(Context context, String operator, Object left, Object right) {
        boolean unordered =
                isNumber(left) && isNumber(right) && compareNumbers(left, right).isEmpty();
        if (unordered) {
            return false;
        }
        int order = compare(context, left, right);
        return switch (operator) {
            case "<" -> order < 0;
            case "<=" -> order <= 0;
            case ">" -> order > 0;
            default -> order >= 0;
        };
    }

    /** Negative, zero or positive; numbers, texts and sequences of them. */
    static int compare(Context context, Object left, Object right) {
        context.step();
        refuseUndefined(left);
        refuseUndefined(right);
        if (isNumber(left) && isNumber(right)) {
            return compareNumbers(left, right).orElse(1);
        }
        if (Values.isText(left) && Values.isText(right)) {
            return compareText(Values.text(left), Values.text(right));
        }
        if (left instanceof List<?> first
                && right instanceof List<?> second
                && left instanceof Tuple == right instanceof Tuple) {
            context.enter(1);
            int order = 0;
            for (int k = 0; order == 0 && k < Math.min(first.size(), second.size()); k++) {
                if (!equal(context, first.get(k), second.get(k))) {
                    order = compare(context, first.get(k), second.get(k));
                }
            }
            context.leave(1);
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
            return TextSearch.find(Values.text(container), Values.text(item), 0) >= 0;
        }
        if (container instanceof Map<?, ?> map) {
            return map.containsKey(Values.key(item));
        }
        Iterator<Object> elements = Values.iterator(container);
        while (elements.hasNext()) {
            if (equal(context, elements.next(), item)) {
                return true;
            }
        }
        return false;
    }
}
