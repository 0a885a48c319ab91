package io.kindling.engine.text.jinja;

import io.kindling.engine.text.jinja.Statement.Flow;
import io.kindling.engine.text.jinja.Statements.Block;
import io.kindling.engine.text.jinja.Statements.Signature;
import io.kindling.engine.text.jinja.Statements.Target;
import io.kindling.engine.text.jinja.Token.Type;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Parses statements. Templates that load or inherit from others are refused: a chat template has no others. */
final class TemplateParser {
    private final Tokens tokens;
    private final Unknown unknown = new Unknown();
    private final ExpressionParser expressions;
    private final Set<String> blocks = new HashSet<>();
    /** The loops around, as far as {@code break} reaches. */
    private int loops;

    private TemplateParser(Tokens tokens) {
        this.tokens = tokens;
        expressions = new ExpressionParser(tokens, unknown);
    }

    /**
     * A whole template.
     *
     * @param nesting how deep its expressions and statements are nested at most
     */
    record Parsed(Block body, int nesting) {}

    static Parsed parse(String template) {
        Tokens tokens = new Tokens(Lexer.tokens(template));
        TemplateParser parser = new TemplateParser(tokens);
        Block body = parser.block(Set.of());
        parser.unknown.check();
        return new Parsed(body, tokens.deepest());
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

    /** The body of what becomes a function: no loop around it can be left from inside. */
    private Block functionBody(String end) {
        int around = loops;
        loops = 0;
        Block body = unknown.hard(() -> blockTo(end));
        loops = around;
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
                yield new Statements.Scoped(List.of(), List.of(), functionBody("endgeneration"));
            }
            case "break" -> jump(Flow.BREAK, name);
            case "continue" -> jump(Flow.CONTINUE, name);
            case "print" -> print();
            case "block" -> namedBlock();
            case "include", "import", "from", "extends" -> load(name);
            case "autoescape" ->
                throw new TemplateError("escaping for HTML is not supported: remove 'autoescape'", name.position());
            default -> throw new TemplateError("unknown tag '" + name.text() + "'", name.position());
        };
    }

    private Statement jump(Flow flow, Token name) {
        if (loops == 0) {
            throw new TemplateError("'" + name.text() + "' outside of a loop", name.position());
        }
        endTag();
        return new Statements.Jump(flow);
    }

    private Statement print() {
        List<Statement> outputs = new ArrayList<>();
        while (tokens.current().type() != Type.BLOCK_END) {
            if (!outputs.isEmpty()) {
                tokens.expectOperator(",");
            }
            outputs.add(new Statements.Output(expressions.expression()));
        }
        endTag();
        return new Block(outputs);
    }

    private Statement namedBlock() {
        Position position = tokens.current().position();
        String name = tokens.expectName();
        if (!blocks.add(name)) {
            throw new TemplateError("block '" + name + "' defined twice", position);
        }
        boolean scoped = tokens.skipName("scoped");
        endTag();
        int around = loops;
        loops = 0;
        Block body = unknown.hard(() -> block(Set.of("endblock")));
        loops = around;
        tokens.next();
        tokens.skipName(name);
        endTag();
        return new Statements.Named(body, scoped);
    }

    private Statement load(Token name) {
        while (tokens.current().type() != Type.BLOCK_END && tokens.current().type() != Type.END) {
            tokens.next();
        }
        endTag();
        return new Statements.Load(name.text(), name.position());
    }

    private Statement ifStatement() {
        return unknown.soft(this::branches);
    }

    private Statement branches() {
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
                tokens.skipName("if") ? Optional.of(unknown.hard(expressions::expression)) : Optional.empty();
        boolean recursive = tokens.skipName("recursive");
        endTag();
        loops++;
        Block body = unknown.hard(() -> block(Set.of("else", "endfor")));
        loops--;
        Optional<Block> otherwise = Optional.empty();
        if (tokens.next().text().equals("else")) {
            endTag();
            otherwise = Optional.of(unknown.hard(() -> block(Set.of("endfor"))));
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
        List<Expressions.Filtered> filters = unknown.hard(this::furtherFilters);
        endTag();
        return new Statements.Captured(Optional.of(target), unknown.hard(() -> blockTo("endset")), filters);
    }

    private Statement filterBlock() {
        List<Expressions.Filtered> filters = new ArrayList<>();
        unknown.hard(() -> {
            filters.add(expressions.namedFilter(new Expressions.Constant(null)));
            return filters.addAll(furtherFilters());
        });
        endTag();
        return new Statements.Captured(Optional.empty(), unknown.hard(() -> blockTo("endfilter")), filters);
    }

    private List<Expressions.Filtered> furtherFilters() {
        List<Expressions.Filtered> filters = new ArrayList<>();
        while (tokens.current().isOperator("|")) {
            filters.add(expressions.filter(new Expressions.Constant(null)));
        }
        return filters;
    }

    private Statement macro() {
        String name = tokens.expectName();
        Signature signature = signature();
        endTag();
        int begin = tokens.place();
        Block body = functionBody("endmacro");
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
        Block body = functionBody("endcall");
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
        return new Statements.Scoped(targets, values, unknown.hard(() -> blockTo("endwith")));
    }
}
