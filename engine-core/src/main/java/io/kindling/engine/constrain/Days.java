package io.kindling.engine.constrain;

import java.util.HashMap;
import java.util.Map;

/** Days {@code yyyy-mm-dd} of the Gregorian calendar, years 1 to 9999, and times {@code hh:mm:ss}. */
final class Days {
    private static final String TIME_LIMITS = "T29:59:59";

    private final Node then;
    private final Map<State, Node> nodes = new HashMap<>();

    /**
     * @param at how many characters there are
     * @param year of the year what matters for leap years: its first digits, and behind it whether it is one
     * @param month the month, or its first digit
     * @param tens the first digit of the day
     */
    private record State(int at, int year, int month, int tens) {}

    private Days(Node then) {
        this.then = then;
    }

    static Node of(Node then) {
        return new Days(then).node(new State(0, 0, 0, 0));
    }

    /** What follows a day: a {@code T} and a time. */
    static Node time(Node then) {
        return time(0, false, then);
    }

    private static Node time(int at, boolean twenties, Node then) {
        if (at == TIME_LIMITS.length()) {
            return then;
        }
        char limit = TIME_LIMITS.charAt(at);
        return new Node() {
            @Override
            Node step(int value) {
                boolean digit = limit >= '0' && limit <= '9';
                int highest = at == 2 && twenties ? '3' : limit;
                if (digit ? value < '0' || value > highest : value != limit) {
                    return DEAD;
                }
                return time(at + 1, at == 1 && value == '2', then);
            }
        };
    }

    private Node node(State state) {
        return nodes.computeIfAbsent(state, made -> new Node() {
            @Override
            Node step(int value) {
                if (made.at == 4 || made.at == 7) {
                    return value == '-' ? node(new State(made.at + 1, made.year, made.month, 0)) : DEAD;
                }
                int digit = value - '0';
                return digit < 0 || digit > 9 ? DEAD : digit(made, digit);
            }
        });
    }

    private Node digit(State state, int digit) {
        int at = state.at + 1;
        switch (state.at) {
            case 0, 1, 2 -> {
                return node(new State(at, 10 * state.year + digit, 0, 0));
            }
            case 3 -> {
                int year = 10 * state.year + digit;
                boolean leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
                return year == 0 ? Node.DEAD : node(new State(at, leap ? 1 : 0, 0, 0));
            }
            case 5 -> {
                return digit > 1 ? Node.DEAD : node(new State(at, state.year, digit, 0));
            }
            case 6 -> {
                int month = 10 * state.month + digit;
                return month < 1 || month > 12 ? Node.DEAD : node(new State(at, state.year, month, 0));
            }
            case 8 -> {
                return 10 * digit > length(state) ? Node.DEAD : node(new State(at, state.year, state.month, digit));
            }
            default -> {
                int day = 10 * state.tens + digit;
                return day < 1 || day > length(state) ? Node.DEAD : then;
            }
        }
    }

    private static int length(State state) {
        return switch (state.month) {
            case 2 -> 28 + state.year;
            case 4, 6, 9, 11 -> 30;
            default -> 31;
        };
    }
}
