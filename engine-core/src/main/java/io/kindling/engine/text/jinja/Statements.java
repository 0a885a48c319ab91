package io.kindling.engine.text.jinja;

import io.kindling.engine.text.jinja.Context.Scope;
import io.kindling.engine.text.jinja.Statement.Flow;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The kinds of statements. */
final class Statements {
    private Statements() {}

    record Text(String text) implements Statement {
        @Override
        public Flow run(Context context) {
            context.write(text);
            return Flow.NEXT;
        }
    }

    record Output(Expression value) implements Statement {
        @Override
        public Flow run(Context context) {
            context.write(Values.text(value.evaluate(context)));
            return Flow.NEXT;
        }
    }

    record Jump(Flow flow) implements Statement {
        @Override
        public Flow run(Context context) {
            return flow;
        }
    }

    record Block(List<Statement> statements) implements Statement {
        @Override
        public Flow run(Context context) {
            for (Statement statement : statements) {
                Flow flow = statement.run(context);
                if (flow != Flow.NEXT) {
                    return flow;
                }
            }
            return Flow.NEXT;
        }
    }

    /** Conditions with what they guard, in order; no scope of their own. */
    record If(List<Expression> conditions, List<Block> blocks, Optional<Block> otherwise) implements Statement {
        @Override
        public Flow run(Context context) {
            for (int k = 0; k < conditions.size(); k++) {
                if (Values.isTrue(conditions.get(k).evaluate(context))) {
                    return blocks.get(k).run(context);
                }
            }
            return otherwise.isPresent() ? otherwise.get().run(context) : Flow.NEXT;
        }
    }

    /** What is assigned to. */
    sealed interface Target {
        void assign(Context context, Object value);
    }

    record NameTarget(String name) implements Target {
        @Override
        public void assign(Context context, Object value) {
            context.set(name, value);
        }
    }

    record NamespaceTarget(String name, String attribute, Position position) implements Target {
        @Override
        public void assign(Context context, Object value) {
            context.at(position);
            if (!(context.variable(name) instanceof Namespace namespace)) {
                throw new TemplateError("cannot assign attribute on non-namespace object");
            }
            namespace.set(attribute, value);
        }
    }

    record TupleTarget(List<Target> targets, Position position) implements Target {
        @Override
        public void assign(Context context, Object value) {
            context.at(position);
            List<Object> values = Values.list(value);
            if (values.size() != targets.size()) {
                throw new TemplateError("cannot unpack " + values.size() + " values into " + targets.size() + " names");
            }
            for (int k = 0; k < values.size(); k++) {
                targets.get(k).assign(context, values.get(k));
            }
        }
    }

    record Assignment(Target target, Expression value) implements Statement {
        @Override
        public Flow run(Context context) {
            target.assign(context, value.evaluate(context));
            return Flow.NEXT;
        }
    }

    /** {@code {% set x %}…{% endset %}} and filter blocks: text, then filters over it. */
    record Captured(Optional<Target> target, Block body, List<Expressions.Filtered> filters) implements Statement {
        @Override
        public Flow run(Context context) {
            Scope before = context.open(context.scope());
            Flow[] flow = new Flow[1];
            Object text;
            try {
                text = context.capture(() -> flow[0] = body.run(context));
            } finally {
                context.restore(before);
            }
            if (flow[0] != Flow.NEXT) {
                return flow[0];
            }
            for (Expressions.Filtered filter : filters) {
                text = new Expressions.Filtered(
                                new Expressions.Constant(text), filter.name(), filter.arguments(), filter.position())
                        .evaluate(context);
            }
            if (target.isPresent()) {
                target.get().assign(context, text);
            } else {
                context.write(Values.text(text));
            }
            return Flow.NEXT;
        }
    }

    /** {@code with} and {@code generation}: a scope, with variables of its own. */
    record Scoped(List<Target> targets, List<Expression> values, Block body) implements Statement {
        @Override
        public Flow run(Context context) {
            List<Object> evaluated = new ArrayList<>();
            values.forEach(value -> evaluated.add(value.evaluate(context)));
            Scope before = context.open(context.scope());
            try {
                for (int k = 0; k < evaluated.size(); k++) {
                    targets.get(k).assign(context, evaluated.get(k));
                }
                return body.run(context);
            } finally {
                context.restore(before);
            }
        }
    }

    record For(
            Target target,
            Expression iterated,
            Optional<Expression> condition,
            Block body,
            Optional<Block> otherwise,
            boolean recursive,
            Position position)
            implements Statement {
        @Override
        public Flow run(Context context) {
            Object items = iterated.evaluate(context);
            context.at(position);
            loop(context, context.scope(), items, 0);
            return Flow.NEXT;
        }

        private void loop(Context context, Scope outer, Object all, int depth) {
            context.enterBody();
            Scope before = context.scope();
            try {
                Object items = condition.isPresent() ? new Generator(() -> kept(context, outer, all)) : all;
                Callable recursion = (inner, arguments) -> inner.capture(
                        () -> loop(inner, outer, arguments.expect("iterable").require(0, "iterable"), depth + 1));
                Loop loop = new Loop(items, depth, recursive ? recursion : null);
                boolean empty = true;
                while (loop.hasNext()) {
                    context.step();
                    empty = false;
                    context.open(outer);
                    context.set("loop", loop);
                    target.assign(context, loop.next());
                    if (body.run(context) == Flow.BREAK) {
                        break;
                    }
                }
                if (empty && otherwise.isPresent()) {
                    context.open(outer);
                    otherwise.get().run(context);
                }
            } finally {
                context.restore(before);
                context.leaveBody();
            }
        }

        private Iterator<Object> kept(Context context, Scope outer, Object all) {
            return Generator.filtered(Values.iterator(all), item -> {
                context.step();
                Scope before = context.open(outer);
                target.assign(context, item);
                boolean keeps = Values.isTrue(condition.get().evaluate(context));
                context.restore(before);
                return keeps;
            });
        }
    }

    /** A named block: what it sees are the variables of the top level, unless it is scoped. */
    record Named(Block body, boolean scoped) implements Statement {
        @Override
        public Flow run(Context context) {
            Scope before = context.open(scoped ? context.scope() : context.top());
            try {
                return body.run(context);
            } finally {
                context.restore(before);
            }
        }
    }

    /** Tags that need other templates: there is nowhere to load them from. */
    record Load(String tag, Position position) implements Statement {
        @Override
        public Flow run(Context context) {
            throw new TemplateError(
                    "'" + tag + "' needs another template, and a chat template has no others", position);
        }
    }

    /**
     * The parameters of a macro.
     *
     * @param defaults of the last parameters
     * @param reads which of {@code varargs}, {@code kwargs} and {@code caller} the body reads: only then may they be given
     */
    record Signature(List<String> parameters, List<Expression> defaults, Set<String> reads) {
        private static final Set<String> SPECIAL = Set.of("varargs", "kwargs", "caller");

        /** The same parameters over a body with these names in it. */
        Signature reading(Set<String> names) {
            Set<String> special = new HashSet<>(SPECIAL);
            special.retainAll(names);
            return new Signature(parameters, defaults, special);
        }

        Optional<Expression> standIn(int parameter) {
            int index = parameter - (parameters.size() - defaults.size());
            return index >= 0 ? Optional.of(defaults.get(index)) : Optional.empty();
        }
    }

    record Macro(String name, Signature signature, Block body) implements Statement {
        @Override
        public Flow run(Context context) {
            context.set(name, callable(context.scope(), name, signature, body));
            return Flow.NEXT;
        }
    }

    /** {@code {% call(x) macro(…) %}…{% endcall %}}: the block becomes the macro's {@code caller}. */
    record CallBlock(Signature signature, Expressions.Call call, Block body) implements Statement {
        @Override
        public Flow run(Context context) {
            Callable caller = callable(context.scope(), "caller", signature, body);
            context.write(Values.text(call.call(context, new Arguments(List.of(), Map.of("caller", caller)))));
            return Flow.NEXT;
        }
    }

    private static Callable callable(Scope definition, String name, Signature signature, Block body) {
        return (context, arguments) -> {
            context.enterBody();
            Scope before = context.open(definition);
            try {
                bind(context, name, signature, arguments);
                return context.capture(() -> body.run(context));
            } finally {
                context.restore(before);
                context.leaveBody();
            }
        };
    }

    private static void bind(Context context, String name, Signature signature, Arguments arguments) {
        List<String> parameters = signature.parameters();
        List<Object> extra = new ArrayList<>(arguments.skip(parameters.size()).positional());
        Map<String, Object> named = new LinkedHashMap<>(arguments.named());
        for (int k = 0; k < parameters.size(); k++) {
            String parameter = parameters.get(k);
            boolean byPlace = k < arguments.positional().size();
            if (byPlace && named.containsKey(parameter)) {
                throw new TemplateError("macro '" + name + "' got several values for '" + parameter + "'");
            }
            if (byPlace) {
                context.set(parameter, arguments.positional().get(k));
            } else if (named.containsKey(parameter)) {
                context.set(parameter, named.remove(parameter));
            } else {
                Optional<Expression> standIn = signature.standIn(k);
                context.set(parameter, new Undefined("parameter '" + parameter + "' was not provided"));
                standIn.ifPresent(expression -> context.set(parameter, expression.evaluate(context)));
            }
        }
        refuseUnread(name, signature, extra, named);
        if (named.containsKey("caller")) {
            context.set("caller", named.remove("caller"));
        } else {
            context.set("caller", new Undefined("No caller defined"));
        }
        context.set("varargs", new Tuple(extra));
        context.set("kwargs", new LinkedHashMap<Object, Object>(named));
    }

    private static void refuseUnread(String name, Signature signature, List<Object> extra, Map<String, Object> named) {
        if (!extra.isEmpty() && !signature.reads().contains("varargs")) {
            throw new TemplateError("macro '" + name + "' takes not more than "
                    + signature.parameters().size() + " argument(s)");
        }
        for (String argument : named.keySet()) {
            if (!signature.reads().contains(argument.equals("caller") ? "caller" : "kwargs")) {
                throw new TemplateError("macro '" + name + "' takes no keyword argument '" + argument + "'");
            }
        }
    }
}
