package io.kindling.engine.text.jinja;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Functions that every chat template can call. */
final class Globals {
    static final Map<String, Object> ALL = Map.of(
            "range", (Callable) (context, arguments) -> range(arguments),
            "dict", (Callable) (context, arguments) -> dict(arguments),
            "namespace", (Callable) (context, arguments) -> new Namespace(attributes(arguments)),
            "raise_exception",
                    (Callable) (context, arguments) -> {
                        throw new TemplateError(Values.text(arguments.require(0, "message")));
                    },
            "strftime_now", (Callable) (context, arguments) -> Strftime.format(context.now(), formatOf(arguments)),
            "cycler", (Callable) (context, arguments) -> Cycler.of(arguments),
            "joiner", (Callable) (context, arguments) -> joiner(arguments));

    private Globals() {}

    private static String formatOf(Arguments arguments) {
        Object format = arguments.expect("format").require(0, "format");
        if (!Values.isText(format)) {
            throw new TemplateError("strftime() argument 1 must be str, not " + Values.typeName(format));
        }
        return Values.text(format);
    }

    /** Nothing at its first call, then the separator. */
    private static Callable joiner(Arguments arguments) {
        Object separator = arguments.expect("sep").get(0, "sep", ", ");
        boolean[] used = new boolean[1];
        return (context, none) -> {
            Object now = used[0] ? separator : "";
            used[0] = true;
            return now;
        };
    }

    private static Object range(Arguments arguments) {
        arguments.places(1, 3);
        boolean one = arguments.positional().size() == 1;
        long start = one ? 0 : Values.integer(arguments.positional().get(0));
        long stop = Integers.clamped(arguments.positional().get(one ? 0 : 1));
        return new Range(start, stop, Values.integer(arguments.get(2, "", 1L)));
    }

    /** {@code dict.fromkeys(keys, value)}. */
    static Object fromKeys(Arguments arguments) {
        arguments.places(1, 2);
        Map<Object, Object> dict = new LinkedHashMap<>();
        for (Object key : Values.list(arguments.positional().get(0))) {
            dict.put(Values.key(key), arguments.get(1, "", null));
        }
        return dict;
    }

    private static Object dict(Arguments arguments) {
        Map<Object, Object> dict = new LinkedHashMap<>();
        Object from = arguments.get(0, "", Map.of());
        if (from instanceof Map<?, ?> map) {
            dict.putAll(map);
        } else {
            if (from instanceof Undefined undefined) {
                throw undefined.error();
            }
            for (Object pair : Values.list(from)) {
                List<Object> parts = Values.list(pair);
                if (parts.size() != 2) {
                    throw new TemplateError(
                            "dictionary update sequence element has length " + parts.size() + "; 2 is required");
                }
                dict.put(Values.key(parts.get(0)), parts.get(1));
            }
        }
        dict.putAll(arguments.named());
        return dict;
    }

    private static Map<String, Object> attributes(Arguments arguments) {
        Map<String, Object> attributes = new LinkedHashMap<>();
        ((Map<?, ?>) dict(arguments)).forEach((name, value) -> {
            Namespace.check(Values.text(name));
            attributes.put(Values.text(name), value);
        });
        return attributes;
    }
}
