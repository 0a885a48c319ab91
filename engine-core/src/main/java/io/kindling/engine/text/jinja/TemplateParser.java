package io.kindling.engine.text.jinja;

import io.kindling.engine.text.jinja.Statement.Flow;
import io.kindling.engine.text.jinja.Statements.Block;
import io.kindling.engine.text.jinja.Statements.Signature;
import io.kindling.engine.text.jinja.Statements.Target;
import io.kindling.engine.text.jinja.Token.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Parses statements. Templates that load or inherit from others are refused: a chat template has no others. */
final class TemplateParser {
    private final Tokens tokens;
    private final ExpressionParser expressions;

    private TemplateParser(Tokens tokens) {
        this.tokens = tokens;
        expressions = new ExpressionParser(tokens);
    }

    static Block parse(String template) {
        TemplateParser parser = new TemplateParser(new Tokens(Lexer.tokens(template)));
        return parser.block(Set.of());
    }

    /** Statements up to a tag of one of the names, whose name becomes the current token; up to the end when there are none. */
    private Block block(Set<String> ends) {
        Position begin = tokens.current().position();
        List<Statement> statements = new ArrayList<>();
        tokens.enter();
        while (true) {
            Token token = tokens.current();
            switch (token.type()) {
                case DATA ->
                    statements.add(new Statements.Text((String) tokens.next().value()));
                case VARIABLE_BEGIN -> {
                    tokens.next();
                    statements.add(new Statements.Output(expressions.tuple(true)));
                    tokens.expect(Type.VARIABLE_END, "the end of the expression");
                }
                case BLOCK_BEGIN -> {
                    tokens.next();
                    if (tokens.current().type() == Type.NAME
                            && ends.contains(tokens.current().text())) {
                        tokens.leave();
                        return new Block(statements);
                    }
                    statements.add(statement());
                }
                default -> {
                    if (!ends.isEmpty()) {
                        throw new TemplateError("expected one of " + ends + " before the end of the template", begin);
                    }
                    tokens.leave();
                    return new Block(statements);
                }
            }
        }
    }

    /** Statements up to {@code {% name %}}, which is read too. */
    private Block blockTo(String end) {
        Block body = block(Set.of(end));
        tokens.next();
        endTag();
        return body;
    }

    private void endTag() {
        tokens.expect(Type.BLOCK_END, "the end of the tag");
    }

    private Statement statement() {
        Token name = tokens.expect(Type.NAME, "a tag name");
        return switch (name.text()) {
            case "if" -> ifStatement();
            case "for" -> forStatement(name.position());
            case "set" -> setStatement();
            case "macro" -> macro();
            case "call" -> call();
            case "filter" -> filterBlock();
            case "with" -> with();
            case "generation" -> {
                endTag();
                yield new Statements.Scoped(List.of(), List.of(), blockTo("endgeneration"));
            }
            case "break" -> jump(Flow.BREAK);
            case "continue" -> jump(Flow.CONTINUE);
            default -> throw new TemplateError("unknown tag '" + name.text() + "'", name.position());
        };
    }

    private Statement jump(Flow flow) {
        endTag();
        return new Statements.Jump(flow);
    }

    private Statement ifStatement() {
        List<Expression> conditions = new ArrayList<>();
        List<Block> blocks = new ArrayList<>();
        Optional<Block> otherwise = Optional.empty();
        String tag = "elif";
        while (tag.equals("elif")) {
            conditions.add(expressions.tuple(false));
            endTag();
            blocks.add(block(Set.of("elif", "else", "endif")));
            tag = tokens.next().text();
        }
        if (tag.equals("else")) {
            endTag();
            otherwise = Optional.of(block(Set.of("endif")));
            tokens.next();
        }
        endTag();
        return new Statements.If(conditions, blocks, otherwise);
    }

    private Statement forStatement(Position position) {
        Target target = target(false);
        tokens.expectName("in");
        Expression iterated = expressions.tuple(false);
        Optional<Expression> condition =
                tokens.skipName("if") ? Optional.of(expressions.expression()) : Optional.empty();
        boolean recursive = tokens.skipName("recursive");
        endTag();
        Block body = block(Set.of("else", "endfor"));
        Optional<Block> otherwise = Optional.empty();
        if (tokens.next().text().equals("else")) {
            endTag();
            otherwise = Optional.of(block(Set.of("endfor")));
            tokens.next();
        }
        endTag();
        return new Statements.For(target, iterated, condition, body, otherwise, recursive, position);
    }

    private Target target(boolean namespaces) {
        Position position = tokens.current().position();
        Target first = oneTarget(namespaces);
        if (!tokens.current().isOperator(",")) {
            return first;
        }
        List<Target> targets = new ArrayList<>(List.of(first));
        while (tokens.skipOperator(",")
                && (tokens.current().type() == Type.NAME || tokens.current().isOperator("("))
                && !tokens.current().isName("in")) {
            targets.add(oneTarget(namespaces));
        }
        return new Statements.TupleTarget(targets, position);
    }

    private Target oneTarget(boolean namespaces) {
        Token token = tokens.current();
        if (tokens.skipOperator("(")) {
            Target inner = target(namespaces);
            tokens.expectOperator(")");
            return inner;
        }
        String name = tokens.expectName();
        if (Set.of("true", "false", "none", "True", "False", "None").contains(name)) {
            throw new TemplateError("cannot assign to '" + name + "'", token.position());
        }
        if (namespaces && tokens.skipOperator(".")) {
            return new Statements.NamespaceTarget(name, tokens.expectName(), token.position());
        }
        return new Statements.NameTarget(name);
    }

    private Statement setStatement() {
        Target target = target(true);
        if (tokens.skipOperator("=")) {
            Expression value = expressions.tuple(true);
            endTag();
            return new Statements.Assignment(target, value);
        }
        List<Expressions.Filtered> filters = new ArrayList<>();
        while (tokens.current().isOperator("|")) {
            filters.add(expressions.filter(new Expressions.Constant(null)));
        }
        endTag();
        return new Statements.Captured(Optional.of(target), blockTo("endset"), filters);
    }

    private Statement filterBlock() {
        List<Expressions.Filtered> filters = new ArrayList<>();
        filters.add(expressions.namedFilter(new Expressions.Constant(null)));
        while (tokens.current().isOperator("|")) {
            filters.add(expressions.filter(new Expressions.Constant(null)));
        }
        endTag();
        return new Statements.Captured(Optional.empty(), blockTo("endfilter"), filters);
    }

    private Statement macro() {
        String name = tokens.expectName();
        Signature signature = signature();
        endTag();
        int begin = tokens.place();
        Block body = blockTo("endmacro");
        return new Statements.Macro(name, signature.reading(tokens.namesSince(begin)), body);
    }

    private Statement call() {
        Position position = tokens.current().position();
        Signature signature =
                tokens.current().isOperator("(") ? signature() : new Signature(List.of(), List.of(), Set.of());
        if (!(expressions.expression() instanceof Expressions.Call call)) {
            throw new TemplateError("expected a call", position);
        }
        endTag();
        int begin = tokens.place();
        Block body = blockTo("endcall");
        return new Statements.CallBlock(signature.reading(tokens.namesSince(begin)), call, body);
    }

    private Signature signature() {
        List<String> parameters = new ArrayList<>();
        List<Expression> defaults = new ArrayList<>();
        tokens.expectOperator("(");
        while (!tokens.skipOperator(")")) {
            if (!parameters.isEmpty()) {
                tokens.expectOperator(",");
            }
            Token token = tokens.current();
            parameters.add(tokens.expectName());
            if (tokens.skipOperator("=")) {
                defaults.add(expressions.expression());
            } else if (!defaults.isEmpty()) {
                throw new TemplateError("a parameter without default follows one with a default", token.position());
            }
        }
        return new Signature(parameters, defaults, Set.of());
    }

    private Statement with() {
        List<Target> targets = new ArrayList<>();
        List<Expression> values = new ArrayList<>();
        while (tokens.current().type() != Type.BLOCK_END) {
            if (!targets.isEmpty()) {
                tokens.expectOperator(",");
            }
            targets.add(oneTarget(false));
            tokens.expectOperator("=");
            values.add(expressions.expression());
        }
        endTag();
        return new Statements.Scoped(targets, values, blockTo("endwith"));
    }
}
