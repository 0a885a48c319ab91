package io.kindling.engine.text.jinja;

import io.kindling.engine.text.jinja.Token.Type;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Cuts the inside of a tag into names, literals and operators. */
final class ExpressionLexer {
    private static final Pattern FLOAT =
            Pattern.compile("(\\d+_)*\\d+((\\.(\\d+_)*\\d+)?[eE][+\\-]?(\\d+_)*\\d+|\\.(\\d+_)*\\d+)");
    private static final Pattern INTEGER =
            Pattern.compile("0[bB](_?[01])+|0[oO](_?[0-7])+|0[xX](_?[\\da-fA-F])+|[1-9](_?\\d)*|0(_?0)*");
    private static final Pattern NAME = Pattern.compile("[\\p{L}\\p{Nl}_][\\p{L}\\p{Nl}\\p{N}\\p{M}_]*");
    private static final List<String> OPERATORS = List.of(
            "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}", ">", "<",
            "=", ".", ":", "|", ",", ";");

    private final String source;
    private final int[] lineStarts;

    ExpressionLexer(String source) {
        this.source = source;
        int[] starts = new int[(int) source.chars().filter(c -> c == '\n').count() + 1];
        int line = 1;
        for (int k = source.indexOf('\n'); k >= 0; k = source.indexOf('\n', k + 1)) {
            starts[line++] = k + 1;
        }
        lineStarts = starts;
    }

    Position position(int index) {
        int line = Arrays.binarySearch(lineStarts, index);
        int row = line >= 0 ? line : -line - 2;
        return new Position(row + 1, index - lineStarts[row] + 1);
    }

    /** Adds tokens up to the closing delimiter; returns where that begins, its sign included. */
    int read(int tag, int from, String delimiter, List<Token> tokens) {
        Deque<Character> open = new ArrayDeque<>();
        int at = from;
        while (true) {
            at = Whitespace.skip(source, at);
            if (at >= source.length()) {
                throw new TemplateError("the tag is not closed", position(tag));
            }
            if (open.isEmpty() && isEnd(at, delimiter)) {
                return at;
            }
            at = token(at, open, tokens);
        }
    }

    private boolean isEnd(int at, String delimiter) {
        char c = source.charAt(at);
        boolean sign = c == '-' || c == '+' && delimiter.equals("%}");
        return source.startsWith(delimiter, at) || sign && source.startsWith(delimiter, at + 1);
    }

    private int token(int at, Deque<Character> open, List<Token> tokens) {
        char c = source.charAt(at);
        if (c == '"' || c == '\'') {
            return string(at, c, tokens);
        }
        if (Character.isDigit(c)) {
            return number(at, tokens);
        }
        Matcher name = NAME.matcher(source).region(at, source.length());
        if (name.lookingAt()) {
            tokens.add(new Token(Type.NAME, name.group(), null, position(at)));
            return name.end();
        }
        for (String operator : OPERATORS) {
            if (source.startsWith(operator, at)) {
                balance(operator.charAt(0), at, open);
                tokens.add(new Token(Type.OPERATOR, operator, null, position(at)));
                return at + operator.length();
            }
        }
        throw new TemplateError("unexpected character '" + c + "'", position(at));
    }

    private void balance(char c, int at, Deque<Character> open) {
        switch (c) {
            case '(' -> open.push(')');
            case '[' -> open.push(']');
            case '{' -> open.push('}');
            case ')', ']', '}' -> {
                if (open.isEmpty() || open.pop() != c) {
                    throw new TemplateError("unexpected '" + c + "'", position(at));
                }
            }
            default -> {
                return;
            }
        }
    }

    private int number(int at, List<Token> tokens) {
        Matcher real = FLOAT.matcher(source).region(at, source.length());
        // After a dot digits are an index, as in list.0.1.
        boolean index = at > 0 && source.charAt(at - 1) == '.';
        if (!index && real.lookingAt()) {
            String text = real.group();
            tokens.add(new Token(Type.FLOAT, text, Double.parseDouble(text.replace("_", "")), position(at)));
            return real.end();
        }
        Matcher integer = INTEGER.matcher(source).region(at, source.length());
        if (!integer.lookingAt()) {
            throw new TemplateError("malformed number", position(at));
        }
        String text = integer.group().replace("_", "");
        boolean based = text.length() > 1 && Character.isLetter(text.charAt(1));
        int radix = !based
                ? 10
                : switch (Character.toLowerCase(text.charAt(1))) {
                    case 'b' -> 2;
                    case 'o' -> 8;
                    default -> 16;
                };
        BigInteger value = new BigInteger(based ? text.substring(2) : text, radix);
        if (value.bitLength() > Integers.MOST_BITS) {
            throw new TemplateError("the number " + text + " is too large", position(at));
        }
        tokens.add(new Token(Type.INTEGER, text, Integers.of(value), position(at)));
        return integer.end();
    }

    private int string(int at, char quote, List<Token> tokens) {
        int end = at + 1;
        while (end < source.length() && source.charAt(end) != quote) {
            end += source.charAt(end) == '\\' ? 2 : 1;
        }
        if (end >= source.length()) {
            throw new TemplateError("the string is not closed", position(at));
        }
        String text = source.substring(at + 1, end);
        tokens.add(new Token(Type.STRING, text, Escapes.decode(text, position(at)), position(at)));
        return end + 1;
    }
}
