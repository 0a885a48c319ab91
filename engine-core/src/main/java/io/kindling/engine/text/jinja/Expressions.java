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
            context.pay(value);
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
            spread.ifPresent(more -> values.addAll(Values.list(more.evaluate(context))));
            Map<String, Object> names = new LinkedHashMap<>();
            named.forEach((name, argument) -> names.put(name, argument.evaluate(context)));
            if (spreadNamed.isPresent()) {
                spread(spreadNamed.get().evaluate(context), names);
            }
            return new Arguments(values, names);
        }

        private static void spread(Object value, Map<String, Object> names) {
            if (!(value instanceof Map<?, ?> more)) {
                throw new TemplateError("the argument after ** must be a mapping, not " + Values.typeName(value));
            }
            more.forEach((key, item) -> {
                if (!(key instanceof String name)) {
                    throw new TemplateError("keywords must be strings");
                }
                if (names.putIfAbsent(name, item) != null) {
                    throw new TemplateError("got multiple values for keyword argument '" + name + "'");
                }
            });
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
            Object result = callable.call(context, given);
            context.pay(result);
            return result;
        }
    }

    record Filtered(Expression value, String name, ArgumentList arguments, Position position) implements Expression {
        @Override
        public Object evaluate(Context context) {
            Object filtered = value.evaluate(context);
            Arguments given = arguments.evaluate(context);
            context.at(position);
            context.pay(filtered);
            Object result = Filters.get(name).apply(context, filtered, given);
            context.pay(result);
            return result;
        }
    }

    record Tested(Expression value, String name, ArgumentList arguments, Position position) implements Expression {
        @Override
        public Object evaluate(Context context) {
            Object tested = value.evaluate(context);
            Arguments given = arguments.evaluate(context);
            context.at(position);
            context.pay(tested);
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
    record Logical(boolean and, List<Expression> operands) implements Expression {
        @Override
        public Object evaluate(Context context) {
            Object value = null;
            for (Expression operand : operands) {
                value = operand.evaluate(context);
                if (Values.isTrue(value) != and) {
                    return value;
                }
            }
            return value;
        }
    }

    /** One operator of a chain with what stands to its right. */
    record Operation(String operator, Expression right, Position position) {}

    /** Operators of one precedence in a row, from left to right. */
    record Binary(Expression first, List<Operation> operations) implements Expression {
        @Override
        public Object evaluate(Context context) {
            Object value = first.evaluate(context);
            for (Operation operation : operations) {
                Object right = operation.right().evaluate(context);
                context.at(operation.position());
                value = Operators.binary(operation.operator(), value, right);
                context.pay(value);
            }
            return value;
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
            String text = joined.toString();
            context.pay(text);
            return text;
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
                case "in" -> contains(context, right, left);
                case "not in" -> !contains(context, right, left);
                default -> Operators.ordered(context, operator, left, right);
            };
        }
    }

    private static boolean contains(Context context, Object container, Object item) {
        context.pay(container instanceof Map ? null : container);
        return Operators.contains(context, container, item);
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
