package io.kindling.engine.text.jinja;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Methods of dicts and lists, and the way to those of texts. Methods that change their object are refused, as in jinja2's sandbox. */
final class Methods {
    private static final Set<String> CHANGING_DICT = Set.of("clear", "pop", "popitem", "setdefault", "update");
    private static final Set<String> CHANGING_LIST =
            Set.of("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort");

    private Methods() {}

    /** Null when the value has no such method. */
    static Object of(Object value, String name) {
        if (value instanceof Markup markup) {
            return MarkupMethods.of(markup, name);
        }
        if (value instanceof String text) {
            return TextMethods.of(text, name);
        }
        if (value instanceof Range range) {
            return ofRange(range, name);
        }
        if (value instanceof Map<?, ?> map) {
            return CHANGING_DICT.contains(name) ? unsafe(name, "dict") : ofDict(map, name);
        }
        if (value instanceof Tuple items) {
            return ofSequence(items, name);
        }
        if (value instanceof List<?> items) {
            return CHANGING_LIST.contains(name) ? unsafe(name, "list") : ofSequence(items, name);
        }
        if (value instanceof Double number && name.equals("is_integer")) {
            return (Callable) (context, arguments) -> {
                arguments.places(0, 0);
                return number == Math.rint(number) && !Double.isInfinite(number);
            };
        }
        return null;
    }

    private static Undefined unsafe(String name, String type) {
        return new Undefined("access to attribute '" + name + "' of '" + type + "' object is unsafe.");
    }

    private static Callable ofDict(Map<?, ?> map, String name) {
        return switch (name) {
            case "items" -> (context, arguments) -> view(DictView.Kind.ITEMS, map, arguments);
            case "keys" -> (context, arguments) -> view(DictView.Kind.KEYS, map, arguments);
            case "values" -> (context, arguments) -> view(DictView.Kind.VALUES, map, arguments);
            case "copy" ->
                (context, arguments) -> {
                    arguments.places(0, 0);
                    return new LinkedHashMap<Object, Object>(map);
                };
            case "fromkeys" -> (context, arguments) -> Globals.fromKeys(arguments);
            case "get" ->
                (context, arguments) -> {
                    Object key = Values.key(arguments.places(1, 2).positional().get(0));
                    return map.containsKey(key) ? map.get(key) : arguments.get(1, "default", null);
                };
            default -> null;
        };
    }

    private static DictView view(DictView.Kind kind, Map<?, ?> map, Arguments arguments) {
        arguments.places(0, 0);
        return new DictView(kind, map);
    }

    private static Callable ofSequence(List<?> items, String name) {
        return switch (name) {
            case "count" ->
                (context, arguments) -> {
                    Object wanted = arguments.places(1, 1).positional().get(0);
                    return items.stream()
                            .filter(item -> Operators.equal(context, item, wanted))
                            .count();
                };
            case "index" ->
                (context, arguments) -> {
                    Object wanted = arguments.places(1, 3).positional().get(0);
                    int to = TextMethods.place(arguments, 2, items.size(), items.size());
                    for (int k = TextMethods.place(arguments, 1, 0, items.size()); k < to; k++) {
                        if (Operators.equal(context, items.get(k), wanted)) {
                            return (long) k;
                        }
                    }
                    throw new TemplateError(Values.repr(wanted) + " is not in list");
                };
            case "copy" -> items instanceof Tuple ? null : (context, arguments) -> new ArrayList<Object>(items);
            default -> null;
        };
    }

    private static Object ofRange(Range range, String name) {
        return switch (name) {
            case "start" -> range.start();
            case "stop" -> range.stop();
            case "step" -> range.step();
            case "count", "index" -> ofSequence(Values.list(range), name);
            default -> null;
        };
    }
}
