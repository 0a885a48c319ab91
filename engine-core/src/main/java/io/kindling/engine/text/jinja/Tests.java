package io.kindling.engine.text.jinja;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** jinja2's tests. */
final class Tests {
    private static final Map<String, Test> ALL = new HashMap<>();

    static {
        ALL.put("defined", (context, value, arguments) -> !(value instanceof Undefined));
        ALL.put("undefined", (context, value, arguments) -> value instanceof Undefined);
        ALL.put("none", (context, value, arguments) -> value == null);
        ALL.put("boolean", (context, value, arguments) -> value instanceof Boolean);
        ALL.put("true", (context, value, arguments) -> Boolean.TRUE.equals(value));
        ALL.put("false", (context, value, arguments) -> Boolean.FALSE.equals(value));
        ALL.put("string", (context, value, arguments) -> Values.isText(value));
        ALL.put("number", (context, value, arguments) -> Operators.isNumber(value));
        ALL.put("integer", (context, value, arguments) -> value instanceof Number && !(value instanceof Double));
        ALL.put("float", (context, value, arguments) -> value instanceof Double);
        ALL.put("mapping", (context, value, arguments) -> value instanceof Map);
        ALL.put("iterable", (context, value, arguments) -> Values.isIterable(value));
        ALL.put(
                "sequence",
                (context, value, arguments) -> value instanceof List
                        || value instanceof Map
                        || value instanceof Undefined
                        || value instanceof Range
                        || Values.isText(value));
        ALL.put("callable", (context, value, arguments) -> value instanceof Callable || value instanceof Undefined);
        ALL.put("escaped", (context, value, arguments) -> value instanceof Markup);
        ALL.put("sameas", (context, value, arguments) -> same(context, value, arguments.require(0, "other")));
        ALL.put("lower", (context, value, arguments) -> CharacterKinds.isLower(Values.text(value)));
        ALL.put("upper", (context, value, arguments) -> CharacterKinds.isUpper(Values.text(value)));
        ALL.put("filter", (context, value, arguments) -> Filters.exists(Values.text(Values.key(value))));
        ALL.put("test", (context, value, arguments) -> exists(Values.text(Values.key(value))));
        ALL.put("even", (context, value, arguments) -> remainder(value, 2L) == 0);
        ALL.put("odd", (context, value, arguments) -> remainder(value, 2L) == 1);
        ALL.put("divisibleby", (context, value, arguments) -> remainder(value, arguments.require(0, "num")) == 0);
        ALL.put("in", (context, value, arguments) -> Operators.contains(context, arguments.require(0, "seq"), value));
        alias(
                (context, value, arguments) -> Operators.equal(context, value, arguments.require(0, "b")),
                "eq",
                "equalto",
                "==");
        alias((context, value, arguments) -> !Operators.equal(context, value, arguments.require(0, "b")), "ne", "!=");
        alias((context, value, arguments) -> compare("<", context, value, arguments), "lt", "lessthan", "<");
        alias((context, value, arguments) -> compare("<=", context, value, arguments), "le", "<=");
        alias((context, value, arguments) -> compare(">", context, value, arguments), "gt", "greaterthan", ">");
        alias((context, value, arguments) -> compare(">=", context, value, arguments), "ge", ">=");
    }

    static {
        Set<String> binary = Set.of(
                "sameas",
                "divisibleby",
                "in",
                "eq",
                "equalto",
                "==",
                "ne",
                "!=",
                "lt",
                "lessthan",
                "<",
                "le",
                "<=",
                "gt",
                "greaterthan",
                ">",
                "ge",
                ">=");
        ALL.replaceAll((name, test) -> (context, value, arguments) -> {
            if (arguments.count() != (binary.contains(name) ? 1 : 0)) {
                throw new TemplateError(
                        "the test '" + name + "' takes " + (binary.contains(name) ? "one argument" : "no arguments"));
            }
            return test.test(context, value, arguments);
        });
    }

    private Tests() {}

    private static void alias(Test test, String... names) {
        for (String name : names) {
            ALL.put(name, test);
        }
    }

    static boolean exists(String name) {
        return ALL.containsKey(name);
    }

    static Test get(String name) {
        Test test = ALL.get(name);
        if (test == null) {
            throw new TemplateError("no test named '" + name + "'");
        }
        return test;
    }

    private static boolean compare(String operator, Context context, Object value, Arguments arguments) {
        return Operators.ordered(context, operator, value, arguments.require(0, "b"));
    }

    private static double remainder(Object value, Object divisor) {
        return Operators.number(Operators.binary("%", value, divisor));
    }

    /** Identity for what Python keeps one object of, and for containers. */
    private static boolean same(Context context, Object value, Object other) {
        boolean small = value instanceof Boolean || value instanceof String || value instanceof Long;
        return value == other
                || small
                        && other != null
                        && value.getClass() == other.getClass()
                        && Operators.equal(context, value, other);
    }
}
