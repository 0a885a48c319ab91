package io.kindling.engine.text.jinja;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The kinds of expressions. */
final class Expressions {
    private Expressions() {}

    record Constant(Object value) implements Expression {
        @Override
        public Object evaluate(Context context) {
            return value;
        }
    }

    record Name(String name, Position position) implements Expression {
        @Override
        public Object evaluate(Context context) {
            context.at(position);
            return context.variable(name);
        }
    }

    record ListOf(List<Expression> items, boolean tuple) implements Expression {
        @Override
        public Object evaluate(Context context) {
            List<Object> values = new ArrayList<>(items.size());
            for (Expression item : items) {
                values.add(item.evaluate(context));
            }
            return tuple ? new Tuple(values) : values;
        }
    }

    /** Keys and values, in turn. */
    record DictOf(List<Expression> items) implements Expression {
        @Override
        public Object evaluate(Context context) {
            Map<Object, Object> dict = new LinkedHashMap<>();
            for (int k = 0; k < items.size(); k += 2) {
                dict.put(
                        Values.key(items.get(k).evaluate(context)),
                        items.get(k + 1).evaluate(context));
            }
            return dict;
        }
    }

    record Attribute(Expression of, String name, Position position) implements Expression {
        @Override
        public Object evaluate(Context context) {
            Object value = of.evaluate(context);
            context.at(position);
            return Access.attribute(value, name);
        }
    }

    record Element(Expression of, Expression key, Position position) implements Expression {
        @Override
        public Object evaluate(Context context) {
            Object value = of.evaluate(context);
            Object at = key.evaluate(context);
            context.at(position);
            return Access.element(value, at);
        }
    }

    record Slice(
            Expression of,
            Optional<Expression> start,
            Optional<Expression> stop,
            Optional<Expression> step,
            Position position)
            implements Expression {
        @Override
        public Object evaluate(Context context) {
            Object value = of.evaluate(context);
            Object from = start.map(part -> part.evaluate(context)).orElse(null);
            Object to = stop.map(part -> part.evaluate(context)).orElse(null);
            Object by = step.map(part -> part.evaluate(context)).orElse(null);
            context.at(position);
            return Access.slice(value, from, to, by);
        }
    }

    /** The arguments of a call, not yet evaluated. */
    record ArgumentList(
            List<Expression> positional,
            Map<String, Expression> named,
            Optional<Expression> spread,
            Optional<Expression> spreadNamed) {
        static final ArgumentList NONE = new ArgumentList(List.of(), Map.of(), Optional.empty(), Optional.empty());

        Arguments evaluate(Context context) {
            if (positional.isEmpty() && named.isEmpty() && spread.isEmpty() && spreadNamed.isEmpty()) {
                return Arguments.NONE;
            }
            List<Object> values = new ArrayList<>(positional.size());
            for (Expression argument : positional) {
                values.add(argument.evaluate(context));
            }
            spread.ifPresent(more -> values.addAll(Values.iterate(more.evaluate(context))));
            Map<String, Object> names = new LinkedHashMap<>();
            named.forEach((name, argument) -> names.put(name, argument.evaluate(context)));
            if (spreadNamed.isPresent()) {
                if (!(spreadNamed.get().evaluate(context) instanceof Map<?, ?> more)) {
                    throw new TemplateError("the argument after ** must be a mapping");
                }
                more.forEach((name, value) -> names.put(Values.text(name), value));
            }
            return new Arguments(values, names);
        }
    }

    record Call(Expression callee, ArgumentList arguments, Position position) implements Expression {
        @Override
        public Object evaluate(Context context) {
            return call(context, Arguments.NONE);
        }

        /** @param more named arguments beyond those written, such as {@code caller} */
        Object call(Context context, Arguments more) {
            Object called = callee.evaluate(context);
            Arguments given = arguments.evaluate(context);
            for (Map.Entry<String, Object> entry : more.named().entrySet()) {
                given = given.with(entry.getKey(), entry.getValue());
            }
            context.at(position);
            if (called instanceof Undefined undefined) {
                throw undefined.error();
            }
            if (!(called instanceof Callable callable)) {
                throw new TemplateError("'" + Values.typeName(called) + "' object is not callable");
            }
            return callable.call(context, given);
        }
    }

    record Filtered(Expression value, String name, ArgumentList arguments, Position position) implements Expression {
        @Override
        public Object evaluate(Context context) {
            Object filtered = value.evaluate(context);
            Arguments given = arguments.evaluate(context);
            context.at(position);
            return Filters.get(name).apply(context, filtered, given);
        }
    }

    record Tested(Expression value, String name, ArgumentList arguments, Position position) implements Expression {
        @Override
        public Object evaluate(Context context) {
            Object tested = value.evaluate(context);
            Arguments given = arguments.evaluate(context);
            context.at(position);
            return Tests.get(name).test(context, tested, given);
        }
    }

    record Not(Expression operand) implements Expression {
        @Override
        public Object evaluate(Context context) {
            return !Values.isTrue(operand.evaluate(context));
        }
    }

    record Signed(boolean negative, Expression operand, Position position) implements Expression {
        @Override
        public Object evaluate(Context context) {
            Object value = operand.evaluate(context);
            context.at(position);
            return negative ? Operators.negate(value) : Operators.plus(value);
        }
    }

    /** {@code and} and {@code or}: the value of the operand that decides. */
    record Logical(boolean and, Expression left, Expression right) implements Expression {
        @Override
        public Object evaluate(Context context) {
            Object first = left.evaluate(context);
            return Values.isTrue(first) == and ? right.evaluate(context) : first;
        }
    }

    record Binary(String operator, Expression left, Expression right, Position position) implements Expression {
        @Override
        public Object evaluate(Context context) {
            Object first = left.evaluate(context);
            Object second = right.evaluate(context);
            context.at(position);
            return Operators.binary(operator, first, second);
        }
    }

    /** {@code a ~ b ~ c}. */
    record Concatenation(List<Expression> parts, Position position) implements Expression {
        @Override
        public Object evaluate(Context context) {
            TextBuffer joined = new TextBuffer();
            for (Expression part : parts) {
                joined.append(Values.text(part.evaluate(context)));
            }
            context.at(position);
            return joined.toString();
        }
    }

    /** {@code a < b <= c}: each neighbours compared, as long as they hold. */
    record Comparison(Expression first, List<String> operators, List<Expression> others, Position position)
            implements Expression {
        @Override
        public Object evaluate(Context context) {
            Object left = first.evaluate(context);
            for (int k = 0; k < operators.size(); k++) {
                Object right = others.get(k).evaluate(context);
                context.at(position);
                if (!holds(context, operators.get(k), left, right)) {
                    return false;
                }
                left = right;
            }
            return true;
        }

        private static boolean holds(Context context, String operator, Object left, Object right) {
            return switch (operator) {
                case "==" -> Operators.equal(context, left, right);
                case "!=" -> !Operators.equal(context, left, right);
                case "in" -> Operators.contains(context, right, left);
                case "not in" -> !Operators.contains(context, right, left);
                case "<" -> Operators.compare(context, left, right) < 0;
                case "<=" -> Operators.compare(context, left, right) <= 0;
                case ">" -> Operators.compare(context, left, right) > 0;
                default -> Operators.compare(context, left, right) >= 0;
            };
        }
    }

    record Conditional(Expression condition, Expression then, Optional<Expression> otherwise) implements Expression {
        @Override
        public Object evaluate(Context context) {
            if (Values.isTrue(condition.evaluate(context))) {
                return then.evaluate(context);
            }
            return otherwise.isPresent()
                    ? otherwise.get().evaluate(context)
                    : new Undefined("the inline if-expression evaluated to false and no else section was defined.");
        }
    }
}
