package io.kindling.engine.constrain;

/**
 * The inside of JSON strings, behind the opening quote: well-formed UTF-8 (The Unicode Standard, table 3-7) without control characters, and
 * the escapes of RFC 8259, of which surrogates come in pairs.
 */
final class Strings {
    private Strings() {}

    /** Any characters up to the closing quote. */
    static final class Inside extends Node {
        private final Node then;
        private final Node[] tails = new Node[4];

        /** @param then follows the closing quote */
        Inside(Node then) {
            this.then = then;
        }

        @Override
        Node step(int value) {
            if (value == '"') {
                return then;
            }
            if (value == '\\') {
                return new Escape(this);
            }
            if (value < 0x80) {
                return value < 0x20 ? DEAD : this;
            }
            return switch (value) {
                case 0xE0 -> new Tail(this, 2, 0xA0, 0xBF);
                case 0xED -> new Tail(this, 2, 0x80, 0x9F);
                case 0xF0 -> new Tail(this, 3, 0x90, 0xBF);
                case 0xF4 -> new Tail(this, 3, 0x80, 0x8F);
                default -> value < 0xC2 || value > 0xF4 ? DEAD : tail(value < 0xE0 ? 1 : value < 0xF0 ? 2 : 3);
            };
        }

        private Node tail(int bytes) {
            if (tails[bytes] == null) {
                tails[bytes] = new Tail(this, bytes, 0x80, 0xBF);
            }
            return tails[bytes];
        }
    }

    /** The last bytes of a character, the first of which is in a range. */
    private static final class Tail extends Node {
        private final Inside inside;
        private final int bytes;
        private final int lowest;
        private final int highest;

        Tail(Inside inside, int bytes, int lowest, int highest) {
            this.inside = inside;
            this.bytes = bytes;
            this.lowest = lowest;
            this.highest = highest;
        }

        @Override
        Node step(int value) {
            if (value < lowest || value > highest) {
                return DEAD;
            }
            return bytes == 1 ? inside : inside.tail(bytes - 1);
        }
    }

    /** Behind a backslash. */
    private static final class Escape extends Node {
        private final Inside inside;

        Escape(Inside inside) {
            this.inside = inside;
        }

        @Override
        Node step(int value) {
            if (value == 'u') {
                return new FirstDigit(inside);
            }
            return "\"\\/bfnrt".indexOf(value) >= 0 ? inside : DEAD;
        }
    }

    /** The first digit of a code unit. */
    private static final class FirstDigit extends Node {
        private final Node ofD;
        private final Node others;

        FirstDigit(Node then) {
            ofD = new UnitOfD(then);
            others = new Digits(then, 3);
        }

        @Override
        Node step(int value) {
            if (Character.digit(value, 16) < 0) {
                return DEAD;
            }
            return value == 'd' || value == 'D' ? ofD : others;
        }
    }

    /** Behind a D: a surrogate from D8 on; one from DC on would be the second of a pair. */
    private static final class UnitOfD extends Node {
        private final Node plain;
        private final Node surrogate;

        UnitOfD(Node then) {
            plain = new Digits(then, 2);
            surrogate = new Digits(new Pair(then, 0), 2);
        }

        @Override
        Node step(int value) {
            int digit = Character.digit(value, 16);
            if (digit < 0 || digit >= 0xC) {
                return DEAD;
            }
            return digit < 8 ? plain : surrogate;
        }
    }

    /** The second surrogate: {@code \}, {@code u}, D, C to F. */
    private static final class Pair extends Node {
        private final Node then;
        private final int at;

        Pair(Node then, int at) {
            this.then = then;
            this.at = at;
        }

        @Override
        Node step(int value) {
            boolean fits =
                    switch (at) {
                        case 0 -> value == '\\';
                        case 1 -> value == 'u';
                        case 2 -> value == 'd' || value == 'D';
                        default -> Character.digit(value, 16) >= 0xC;
                    };
            if (!fits) {
                return DEAD;
            }
            return at == 3 ? new Digits(then, 2) : new Pair(then, at + 1);
        }
    }

    /** So many hexadecimal digits. */
    private static final class Digits extends Node {
        private final Node then;
        private final int left;
        private Node rest;

        Digits(Node then, int left) {
            this.then = then;
            this.left = left;
        }

        @Override
        Node step(int value) {
            if (Character.digit(value, 16) < 0) {
                return DEAD;
            }
            if (rest == null) {
                rest = left == 1 ? then : new Digits(then, left - 1);
            }
            return rest;
        }
    }
}
