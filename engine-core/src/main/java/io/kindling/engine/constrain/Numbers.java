package io.kindling.engine.constrain;

import io.kindling.engine.JsonShape;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;

/** Numbers of JSON: integers of a range, and numbers of so many digits. */
final class Numbers {
    private Numbers() {}

    static Node whole(JsonShape.Whole range, Node then) {
        Node positive = range.max() < 0
                ? Node.DEAD
                : new Magnitudes(BigInteger.valueOf(Math.max(0, range.min())), BigInteger.valueOf(range.max()), then)
                        .start();
        Node negative = range.min() >= 0
                ? Node.DEAD
                : new Magnitudes(
                                BigInteger.valueOf(range.max()).negate().max(BigInteger.ONE),
                                BigInteger.valueOf(range.min()).negate(),
                                then)
                        .start();
        return new Node() {
            @Override
            Node step(int value) {
                return value == '-' ? negative : positive.next(value);
            }
        };
    }

    /**
     * The decimal digits of integers from {@code low} to {@code high}, without leading zeros. A state is how many digits there are and how
     * they compare with as many of the bounds: numbers for which both are the same can go on in the same ways.
     */
    private static final class Magnitudes {
        private final String low;
        private final String high;
        private final Node then;
        private final Map<State, Node> nodes = new HashMap<>();

        /** @param toLow the sign of the comparison with the first digits of {@link #low}, or with all of them */
        private record State(int digits, int toLow, int toHigh, boolean zero) {}

        Magnitudes(BigInteger low, BigInteger high, Node then) {
            this.low = low.toString();
            this.high = high.toString();
            this.then = then;
        }

        Node start() {
            return node(new State(0, 0, 0, false));
        }

        private Node node(State state) {
            return nodes.computeIfAbsent(state, made -> new Node() {
                @Override
                Node step(int value) {
                    if (value >= '0' && value <= '9') {
                        return more(made, value);
                    }
                    return isWhole(made) ? then.next(value) : DEAD;
                }

                @Override
                boolean mayEnd() {
                    return isWhole(made) && then.mayEnd();
                }
            });
        }

        private Node more(State state, int digit) {
            if (state.zero || state.digits == high.length()) {
                return Node.DEAD;
            }
            State next = new State(
                    state.digits + 1,
                    compared(state.toLow, low, state.digits, digit),
                    compared(state.toHigh, high, state.digits, digit),
                    state.digits == 0 && digit == '0');
            return isWhole(next) || !next.zero && canGrow(next) ? node(next) : Node.DEAD;
        }

        private static int compared(int before, String bound, int at, int digit) {
            return before != 0 || at >= bound.length() ? before : Integer.signum(digit - bound.charAt(at));
        }

        private boolean isWhole(State state) {
            return state.digits > 0 && fits(state, state.digits);
        }

        /** Whether some number that has these digits first is in the range. */
        private boolean canGrow(State state) {
            for (int digits = state.digits + 1; digits <= high.length(); digits++) {
                if (fits(state, digits)) {
                    return true;
                }
            }
            return false;
        }

        /** Whether one of so many digits is. */
        private boolean fits(State state, int digits) {
            boolean above = digits > low.length() || digits == low.length() && state.toLow >= 0;
            boolean below = digits < high.length() || digits == high.length() && state.toHigh <= 0;
            return above && below;
        }
    }

    static Node numeric(JsonShape.Numeric shape, Node then) {
        return new Decimals(shape, then).node(new Decimals.State(Part.START, 0));
    }

    /** Where in a number a state is. */
    private enum Part {
        START,
        SIGNED,
        ZERO,
        WHOLE,
        POINT,
        FRACTION,
        EXPONENT,
        EXPONENT_SIGNED,
        EXPONENT_DIGITS
    }

    private static final class Decimals {
        private static final int EXPONENT_DIGITS = 2;

        private final JsonShape.Numeric shape;
        private final Node then;
        private final Map<State, Node> nodes = new HashMap<>();

        /** @param digits of the part */
        private record State(Part part, int digits) {}

        Decimals(JsonShape.Numeric shape, Node then) {
            this.shape = shape;
            this.then = then;
        }

        Node node(State state) {
            return nodes.computeIfAbsent(state, made -> new Node() {
                @Override
                Node step(int value) {
                    State next = after(made, value);
                    if (next != null) {
                        return node(next);
                    }
                    return isWhole(made) ? then.next(value) : DEAD;
                }

                @Override
                boolean mayEnd() {
                    return isWhole(made) && then.mayEnd();
                }
            });
        }

        private static boolean isWhole(State state) {
            return switch (state.part) {
                case ZERO, WHOLE, FRACTION, EXPONENT_DIGITS -> true;
                default -> false;
            };
        }

        /** Null where the number does not go on so. */
        private State after(State state, int value) {
            boolean digit = value >= '0' && value <= '9';
            return switch (state.part) {
                case START -> value == '-' ? new State(Part.SIGNED, 0) : first(value);
                case SIGNED -> first(value);
                case ZERO -> behindWhole(value);
                case WHOLE -> digit ? more(Part.WHOLE, state.digits, shape.wholeDigits()) : behindWhole(value);
                case POINT -> digit ? new State(Part.FRACTION, 1) : null;
                case FRACTION -> digit ? more(Part.FRACTION, state.digits, shape.fractionDigits()) : exponent(value);
                case EXPONENT ->
                    value == '+' || value == '-' ? new State(Part.EXPONENT_SIGNED, 0) : exponentDigit(digit);
                case EXPONENT_SIGNED -> exponentDigit(digit);
                case EXPONENT_DIGITS -> digit ? more(Part.EXPONENT_DIGITS, state.digits, EXPONENT_DIGITS) : null;
            };
        }

        private State first(int value) {
            if (value == '0') {
                return new State(Part.ZERO, 1);
            }
            return value > '0' && value <= '9' ? more(Part.WHOLE, 0, shape.wholeDigits()) : null;
        }

        private static State more(Part part, int digits, int most) {
            return digits < most ? new State(part, digits + 1) : null;
        }

        private State behindWhole(int value) {
            return value == '.' && shape.fractionDigits() > 0 ? new State(Part.POINT, 0) : exponent(value);
        }

        private State exponent(int value) {
            return shape.exponent() && (value == 'e' || value == 'E') ? new State(Part.EXPONENT, 0) : null;
        }

        private static State exponentDigit(boolean digit) {
            return digit ? new State(Part.EXPONENT_DIGITS, 1) : null;
        }
    }
}
