package io.kindling.engine.text.jinja;

import io.kindling.engine.text.jinja.Token.Type;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Tokens, one at a time, with a look ahead; and how deep the parser is in them. */
final class Tokens {
    private final List<Token> tokens;
    private int at;
    private int depth;
    private int deepest;

    Tokens(List<Token> tokens) {
        this.tokens = tokens;
    }

    Token current() {
        return tokens.get(at);
    }

    Token ahead() {
        return tokens.get(Math.min(at + 1, tokens.size() - 1));
    }

    Token next() {
        Token token = current();
        at = Math.min(at + 1, tokens.size() - 1);
        return token;
    }

    boolean skipOperator(String operator) {
        return skip(current().isOperator(operator));
    }

    boolean skipName(String name) {
        return skip(current().isName(name));
    }

    int place() {
        return at;
    }

    /** All names between a {@link #place} and the current token. */
    Set<String> namesSince(int begin) {
        return tokens.subList(begin, at).stream()
                .filter(token -> token.type() == Type.NAME)
                .map(Token::text)
                .collect(Collectors.toSet());
    }

    private boolean skip(boolean matches) {
        if (matches) {
            next();
        }
        return matches;
    }

    void expectOperator(String operator) {
        if (!skipOperator(operator)) {
            throw unexpected("'" + operator + "'");
        }
    }

    void expectName(String name) {
        if (!skipName(name)) {
            throw unexpected("'" + name + "'");
        }
    }

    String expectName() {
        return expect(Type.NAME, "a name").text();
    }

    Token expect(Type type, String what) {
        if (current().type() != type) {
            throw unexpected(what);
        }
        return next();
    }

    TemplateError unexpected(String wanted) {
        return new TemplateError(
                "expected " + wanted + ", found " + current().describe(),
                current().position());
    }

    void enter() {
        enter(1);
    }

    /** Goes deeper by some levels, such as the length of a chain of attributes and filters that are evaluated inside each other. */
    void enter(int levels) {
        depth += levels;
        deepest = Math.max(deepest, depth);
        if (depth > Limits.DEEPEST) {
            throw new TemplateError(
                    "nested deeper than " + Limits.DEEPEST + " levels",
                    current().position());
        }
    }

    void leave() {
        leave(1);
    }

    void leave(int levels) {
        depth -= levels;
    }

    /** The most levels there have been at a time. */
    int deepest() {
        return deepest;
    }
}
