package io.kindling.engine.text.jinja;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Functions that every chat template can call. */
final class Globals {
    static final Map<String, Object> ALL = Map.of(
            "range", (Callable) (context, arguments) -> range(context, arguments.expect("start", "stop", "step")),
            "dict", (Callable) (context, arguments) -> dict(arguments),
            "namespace", (Callable) (context, arguments) -> new Namespace(attributes(arguments)),
            "raise_exception",
                    (Callable) (context, arguments) -> {
                        throw new TemplateError(Values.text(arguments.require(0, "message")));
                    },
            "strftime_now",
                    (Callable) (context, arguments) ->
                            Strftime.format(context.now(), Values.text(arguments.require(0, "format"))));

    private Globals() {}

    private static Object range(Context context, Arguments arguments) {
        boolean one = arguments.positional().size() == 1;
        long start = one ? 0 : Values.integer(arguments.require(0, "start"));
        long stop = Values.integer(one ? arguments.require(0, "stop") : arguments.require(1, "stop"));
        long step = Values.integer(arguments.get(2, "step", 1L));
        if (step == 0) {
            throw new TemplateError("range() arg 3 must not be zero");
        }
        List<Object> numbers = new ArrayList<>();
        for (long k = start; step > 0 ? k < stop : k > stop; k += step) {
            context.step();
            numbers.add(k);
            if (numbers.size() > Limits.LONGEST_RANGE) {
                throw new TemplateError("Range too big. The sandbox blocks ranges larger than MAX_RANGE ("
                        + Limits.LONGEST_RANGE + ").");
            }
        }
        return numbers;
    }

    private static Object dict(Arguments arguments) {
        Map<Object, Object> dict = new LinkedHashMap<>();
        Object from = arguments.get(0, "", Map.of());
        if (from instanceof Map<?, ?> map) {
            dict.putAll(map);
        } else {
            for (Object pair : Values.iterate(from)) {
                List<Object> parts = Values.iterate(pair);
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
        ((Map<?, ?>) dict(arguments)).forEach((name, value) -> attributes.put(Values.text(name), value));
        return attributes;
    }
}
