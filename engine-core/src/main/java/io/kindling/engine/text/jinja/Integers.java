package io.kindling.engine.text.jinja;

import java.math.BigInteger;

/** Python's integers: a Long where it fits, else a BigInteger, up to the digits that Python itself would print. */
final class Integers {
    /** Python refuses to write integers of more than 4300 digits. */
    static final int MOST_BITS = 14_284;

    private static final BigInteger LEAST = BigInteger.valueOf(Long.MIN_VALUE);
    private static final BigInteger MOST = BigInteger.valueOf(Long.MAX_VALUE);

    private Integers() {}

    static boolean isInteger(Object value) {
        return value instanceof Long || value instanceof Boolean || value instanceof BigInteger;
    }

    /** The smallest form. */
    static Object of(BigInteger value) {
        if (value.bitLength() > MOST_BITS) {
            throw new TemplateError("an integer of " + value.bitLength() + " bits is refused");
        }
        return value.bitLength() < 64 ? (Object) value.longValue() : value;
    }

    static BigInteger big(Object value) {
        return value instanceof BigInteger big ? big : BigInteger.valueOf(Values.integer(value));
    }

    /** The nearest long, for what indexes and counts. */
    static long clamped(Object value) {
        return value instanceof BigInteger big ? big.max(LEAST).min(MOST).longValue() : Values.integer(value);
    }

    static Object binary(String operator, Object left, Object right) {
        if (!(left instanceof BigInteger) && !(right instanceof BigInteger)) {
            long first = Values.integer(left);
            long second = Values.integer(right);
            try {
                return switch (operator) {
                    case "+" -> Math.addExact(first, second);
                    case "-" -> Math.subtractExact(first, second);
                    case "*" -> Math.multiplyExact(first, second);
                    case "//" ->
                        second == -1 ? Math.negateExact(first) : (Object) Math.floorDiv(first, notZero(second));
                    case "%" -> Math.floorMod(first, notZero(second));
                    default -> power(big(left), second);
                };
            } catch (ArithmeticException overflow) {
                return big(operator, big(left), big(right));
            }
        }
        return big(operator, big(left), big(right));
    }

    private static Object big(String operator, BigInteger left, BigInteger right) {
        return switch (operator) {
            case "+" -> of(left.add(right));
            case "-" -> of(left.subtract(right));
            case "*" -> of(left.multiply(right));
            case "//" -> of(floorDivide(left, right)[0]);
            case "%" -> of(floorDivide(left, right)[1]);
            default -> power(left, clamped(of(right)));
        };
    }

    private static BigInteger[] floorDivide(BigInteger left, BigInteger right) {
        notZero(right.signum());
        BigInteger[] parts = left.divideAndRemainder(right);
        boolean down = parts[1].signum() != 0 && parts[1].signum() != right.signum();
        return down ? new BigInteger[] {parts[0].subtract(BigInteger.ONE), parts[1].add(right)} : parts;
    }

    private static long notZero(long divisor) {
        if (divisor == 0) {
            throw new TemplateError("division by zero");
        }
        return divisor;
    }

    private static Object power(BigInteger base, long exponent) {
        if (exponent < 0) {
            return Operators.floats("**", base.doubleValue(), exponent);
        }
        boolean small = base.abs().bitLength() <= 1;
        if (!small && exponent * (base.abs().bitLength() - 1.0) > MOST_BITS) {
            throw new TemplateError("the power of " + exponent + " is too large");
        }
        return of(base.pow((int) (small ? exponent == 0 ? 0 : 2 - exponent % 2 : exponent)));
    }
}
