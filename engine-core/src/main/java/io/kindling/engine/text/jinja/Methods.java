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
        if (Values.isText(value)) {
            return TextMethods.of(Values.text(value), name);
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
        return null;
    }

    private static Undefined unsafe(String name, String type) {
        return new Undefined("access to attribute '" + name + "' of '" + type + "' object is unsafe.");
    }

    private static Callable ofDict(Map<?, ?> map, String name) {
        return switch (name) {
            case "items" -> (context, arguments) -> items(map);
            case "keys" -> (context, arguments) -> new ArrayList<Object>(map.keySet());
            case "values" -> (context, arguments) -> new ArrayList<Object>(map.values());
            case "copy" -> (context, arguments) -> new LinkedHashMap<Object, Object>(map);
            case "get" ->
                (context, arguments) -> {
                    Object key = Values.key(arguments.require(0, "key"));
                    return map.containsKey(key) ? map.get(key) : arguments.get(1, "default", null);
                };
            default -> null;
        };
    }

    static List<Object> items(Map<?, ?> map) {
        List<Object> items = new ArrayList<>(map.size());
        map.forEach((key, value) -> items.add(Tuple.of(key, value)));
        return items;
    }

    private static Callable ofSequence(List<?> items, String name) {
        return switch (name) {
            case "count" ->
                (context, arguments) -> items.stream()
                        .filter(item -> Operators.equal(context, item, arguments.require(0, "value")))
                        .count();
            case "index" ->
                (context, arguments) -> {
                    for (int k = 0; k < items.size(); k++) {
                        if (Operators.equal(context, items.get(k), arguments.require(0, "value"))) {
                            return (long) k;
                        }
                    }
                    throw new TemplateError(Values.repr(arguments.require(0, "value")) + " is not in list");
                };
            case "copy" -> items instanceof Tuple ? null : (context, arguments) -> new ArrayList<Object>(items);
            default -> null;
        };
    }
}
