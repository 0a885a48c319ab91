package io.kindling.engine.text.jinja;

import io.kindling.engine.text.jinja.Expressions.ArgumentList;
import io.kindling.engine.text.jinja.Expressions.Constant;
import io.kindling.engine.text.jinja.Token.Type;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Parses expressions with jinja2's precedences, weakest first: if, or, and, not, comparison, + -, ~, * / // %, **, sign, postfix. */
final class ExpressionParser {
    private static final Set<String> COMPARISONS = Set.of("==", "!=", "<", "<=", ">", ">=");
    private static final Set<String> SUMS = Set.of("+", "-");
    private static final Set<String> PRODUCTS = Set.of("*", "/", "//", "%");
    private static final Set<String> POWERS = Set.of("**");

    private final Tokens tokens;
    private final Unknown unknown;

    ExpressionParser(Tokens tokens, Unknown unknown) {
        this.tokens = tokens;
        this.unknown = unknown;
    }

    Expression expression() {
        tokens.enter();
        int before = unknown.count();
        Expression value = or();
        int conditions = 0;
        while (tokens.skipName("if")) {
            tokens.enter();
            conditions++;
            Expression condition = or();
            Optional<Expression> otherwise = tokens.skipName("else") ? Optional.of(expression()) : Optional.empty();
            value = new Expressions.Conditional(condition, value, otherwise);
            unknown.forgive(before);
        }
        tokens.leave(conditions + 1);
        return value;
    }

    /** Expressions with commas between are a tuple; {@code conditional} allows {@code if} in them, which ends a loop's list. */
    Expression tuple(boolean conditional) {
        Expression first = conditional ? expression() : or();
        if (!tokens.current().isOperator(",")) {
            return first;
        }
        List<Expression> items = new ArrayList<>(List.of(first));
        while (tokens.skipOperator(",") && !endsTuple()) {
            items.add(conditional ? expression() : or());
        }
        return new Expressions.ListOf(items, true);
    }

    private boolean endsTuple() {
        Token token = tokens.current();
        return token.type() == Type.BLOCK_END || token.type() == Type.VARIABLE_END || token.isOperator(")");
    }

    Expression or() {
        List<Expression> operands = new ArrayList<>(List.of(and()));
        while (tokens.skipName("or")) {
            operands.add(and());
        }
        return operands.size() == 1 ? operands.get(0) : new Expressions.Logical(false, operands);
    }

    private Expression and() {
        List<Expression> operands = new ArrayList<>(List.of(not()));
        while (tokens.skipName("and")) {
            operands.add(not());
        }
        return operands.size() == 1 ? operands.get(0) : new Expressions.Logical(true, operands);
    }

    private Expression not() {
        if (!tokens.current().isName("not")) {
            return comparison();
        }
        tokens.next();
        tokens.enter();
        Expression operand = not();
        tokens.leave();
        return new Expressions.Not(operand);
    }

    private Expression comparison() {
        Position position = tokens.current().position();
        Expression first = sum();
        List<String> operators = new ArrayList<>();
        List<Expression> others = new ArrayList<>();
        while (true) {
            Token token = tokens.current();
            if (token.type() == Type.OPERATOR && COMPARISONS.contains(token.text())) {
                operators.add(tokens.next().text());
            } else if (tokens.skipName("in")) {
                operators.add("in");
            } else if (token.isName("not") && tokens.ahead().isName("in")) {
                tokens.next();
                tokens.next();
                operators.add("not in");
            } else {
                break;
            }
            others.add(sum());
        }
        return operators.isEmpty() ? first : new Expressions.Comparison(first, operators, others, position);
    }

    private Expression sum() {
        return chain(SUMS, this::concatenation);
    }

    private Expression concatenation() {
        Position position = tokens.current().position();
        List<Expression> parts = new ArrayList<>(List.of(product()));
        while (tokens.skipOperator("~")) {
            parts.add(product());
        }
        return parts.size() == 1 ? parts.get(0) : new Expressions.Concatenation(parts, position);
    }

    private Expression product() {
        return chain(PRODUCTS, this::power);
    }

    private Expression power() {
        return chain(POWERS, () -> unary(true));
    }

    private Expression chain(Set<String> operators, Supplier<Expression> operand) {
        Expression first = operand.get();
        List<Expressions.Operation> operations = new ArrayList<>();
        while (tokens.current().type() == Type.OPERATOR
                && operators.contains(tokens.current().text())) {
            Token operator = tokens.next();
            operations.add(new Expressions.Operation(operator.text(), operand.get(), operator.position()));
        }
        return operations.isEmpty() ? first : new Expressions.Binary(first, operations);
    }

    private Expression unary(boolean filters) {
        Token token = tokens.current();
        Expression node;
        if (token.isOperator("-") || token.isOperator("+")) {
            tokens.next();
            tokens.enter();
            node = new Expressions.Signed(token.isOperator("-"), unary(false), token.position());
            tokens.leave();
        } else {
            node = primary();
        }
        node = postfix(node);
        return filters ? filtersAndTests(node) : node;
    }

    private Expression primary() {
        Token token = tokens.next();
        switch (token.type()) {
            case NAME -> {
                return switch (token.text()) {
                    case "true", "True" -> new Constant(true);
                    case "false", "False" -> new Constant(false);
                    case "none", "None" -> new Constant(null);
                    default -> new Expressions.Name(token.text(), token.position());
                };
            }
            case STRING -> {
                StringBuilder text = new StringBuilder((String) token.value());
                while (tokens.current().type() == Type.STRING) {
                    text.append(tokens.next().value());
                }
                return new Constant(text.toString());
            }
            case INTEGER, FLOAT -> {
                return new Constant(token.value());
            }
            default -> {
                return bracketed(token);
            }
        }
    }

    private Expression bracketed(Token token) {
        if (token.isOperator("(")) {
            if (tokens.skipOperator(")")) {
                return new Expressions.ListOf(List.of(), true);
            }
            Expression inner = tuple(true);
            tokens.expectOperator(")");
            return inner;
        }
        if (token.isOperator("[")) {
            List<Expression> items = new ArrayList<>();
            while (!tokens.skipOperator("]")) {
                separator(items.isEmpty(), "]", items);
            }
            return new Expressions.ListOf(items, false);
        }
        if (token.isOperator("{")) {
            List<Expression> items = new ArrayList<>();
            while (!tokens.skipOperator("}")) {
                if (!items.isEmpty()) {
                    tokens.expectOperator(",");
                    if (tokens.skipOperator("}")) {
                        break;
                    }
                }
                items.add(expression());
                tokens.expectOperator(":");
                items.add(expression());
            }
            return new Expressions.DictOf(items);
        }
        throw new TemplateError("expected an expression, found " + token.describe(), token.position());
    }

    /** One more item of a list, after a comma unless it is the first; a comma may end the list. */
    private void separator(boolean first, String end, List<Expression> items) {
        if (!first) {
            tokens.expectOperator(",");
        }
        if (first || !tokens.current().isOperator(end)) {
            items.add(expression());
        }
    }

    private Expression postfix(Expression of) {
        Expression node = of;
        for (int length = 1; ; length++) {
            tokens.enter(length);
            tokens.leave(length);
            Token token = tokens.current();
            if (token.isOperator(".")) {
                tokens.next();
                Token name = tokens.next();
                if (name.type() == Type.NAME) {
                    node = new Expressions.Attribute(node, name.text(), name.position());
                } else if (name.type() == Type.INTEGER) {
                    node = new Expressions.Element(node, new Constant(name.value()), name.position());
                } else {
                    throw new TemplateError("expected a name or number, found " + name.describe(), name.position());
                }
            } else if (token.isOperator("[")) {
                node = subscript(node, tokens.next().position());
            } else if (token.isOperator("(")) {
                node = new Expressions.Call(node, arguments(), token.position());
            } else {
                return node;
            }
        }
    }

    private Expression subscript(Expression of, Position position) {
        Optional<Expression> start = Optional.empty();
        if (!tokens.current().isOperator(":")) {
            start = Optional.of(tuple(true));
            if (tokens.skipOperator("]")) {
                return new Expressions.Element(of, start.get(), position);
            }
        }
        tokens.expectOperator(":");
        Optional<Expression> stop = slicePart();
        Optional<Expression> step = tokens.skipOperator(":") ? slicePart() : Optional.empty();
        tokens.expectOperator("]");
        return new Expressions.Slice(of, start, stop, step, position);
    }

    private Optional<Expression> slicePart() {
        boolean absent = tokens.current().isOperator(":") || tokens.current().isOperator("]");
        return absent ? Optional.empty() : Optional.of(expression());
    }

    ArgumentList arguments() {
        tokens.expectOperator("(");
        List<Expression> positional = new ArrayList<>();
        Map<String, Expression> named = new LinkedHashMap<>();
        Optional<Expression> spread = Optional.empty();
        Optional<Expression> spreadNamed = Optional.empty();
        boolean first = true;
        while (!tokens.skipOperator(")")) {
            if (!first) {
                tokens.expectOperator(",");
                if (tokens.skipOperator(")")) {
                    break;
                }
            }
            first = false;
            Token token = tokens.current();
            if (tokens.skipOperator("*")) {
                spread = Optional.of(expression());
            } else if (tokens.skipOperator("**")) {
                spreadNamed = Optional.of(expression());
            } else if (token.type() == Type.NAME && tokens.ahead().isOperator("=")) {
                tokens.next();
                tokens.next();
                named.put(token.text(), expression());
            } else if (named.isEmpty() && spread.isEmpty() && spreadNamed.isEmpty()) {
                positional.add(expression());
            } else {
                throw new TemplateError("a positional argument follows a named one", token.position());
            }
        }
        return new ArgumentList(positional, named, spread, spreadNamed);
    }

    private Expression filtersAndTests(Expression of) {
        Expression node = of;
        for (int length = 1; ; length++) {
            tokens.enter(length);
            tokens.leave(length);
            Token token = tokens.current();
            if (token.isOperator("|")) {
                node = filter(node);
            } else if (token.isName("is")) {
                node = test(node);
            } else if (token.isOperator("(")) {
                node = new Expressions.Call(node, arguments(), token.position());
            } else {
                return node;
            }
        }
    }

    /** {@code |name(…)} behind a value. */
    Expressions.Filtered filter(Expression value) {
        tokens.expectOperator("|");
        return namedFilter(value);
    }

    Expressions.Filtered namedFilter(Expression value) {
        Position position = tokens.current().position();
        String name = dottedName();
        if (!Filters.exists(name)) {
            unknown.add("filter", name, position);
        }
        ArgumentList arguments = tokens.current().isOperator("(") ? arguments() : ArgumentList.NONE;
        return new Expressions.Filtered(value, name, arguments, position);
    }

    private String dottedName() {
        StringBuilder name = new StringBuilder(tokens.expectName());
        while (tokens.skipOperator(".")) {
            name.append('.').append(tokens.expectName());
        }
        return name.toString();
    }

    private Expression test(Expression value) {
        Position position = tokens.next().position();
        boolean negated = tokens.skipName("not");
        String name = dottedName();
        if (!Tests.exists(name)) {
            unknown.add("test", name, position);
        }
        ArgumentList arguments = ArgumentList.NONE;
        Token token = tokens.current();
        if (token.isName("is")) {
            throw new TemplateError("tests cannot be chained with 'is'", token.position());
        }
        if (token.isOperator("(")) {
            arguments = arguments();
        } else if (beginsArgument(token)) {
            Expression argument = postfix(primary());
            arguments = new ArgumentList(List.of(argument), Map.of(), Optional.empty(), Optional.empty());
        }
        Expression tested = new Expressions.Tested(value, name, arguments, position);
        return negated ? new Expressions.Not(tested) : tested;
    }

    private static boolean beginsArgument(Token token) {
        return switch (token.type()) {
            case NAME -> !Set.of("else", "or", "and").contains(token.text());
            case STRING, INTEGER, FLOAT -> true;
            default -> token.isOperator("[") || token.isOperator("{");
        };
    }
}
