package io.kindling.engine.text.jinja;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The methods of markupsafe's {@code Markup}: those of texts, whose results are marked again and whose arguments are escaped. */
final class MarkupMethods {
    private static final Set<String> MARKED = Set.of(
            "capitalize",
            "title",
            "lower",
            "upper",
            "replace",
            "ljust",
            "rjust",
            "lstrip",
            "rstrip",
            "center",
            "strip",
            "expandtabs",
            "swapcase",
            "zfill",
            "casefold",
            "removeprefix",
            "removesuffix",
            "split",
            "rsplit",
            "splitlines",
            "partition",
            "rpartition",
            "format",
            "join");
    /** Of these markupsafe leaves the arguments as they are. */
    private static final Set<String> PLAIN = Set.of("split", "rsplit", "splitlines");

    private MarkupMethods() {}

    /** Null when there is no such method. */
    static Callable of(Markup markup, String name) {
        Callable method = TextMethods.of(markup.text(), name);
        if (method == null || !MARKED.contains(name)) {
            return method;
        }
        return (context, arguments) ->
                mark(method.call(context, PLAIN.contains(name) ? arguments : escaped(arguments, name.equals("join"))));
    }

    private static Object mark(Object result) {
        if (result instanceof String text) {
            return new Markup(text);
        }
        List<Object> marked = new ArrayList<>();
        Values.list(result).forEach(part -> marked.add(mark(part)));
        return result instanceof Tuple ? new Tuple(marked) : marked;
    }

    private static Arguments escaped(Arguments arguments, boolean items) {
        List<Object> positional = new ArrayList<>();
        for (Object argument : arguments.positional()) {
            positional.add(items ? escapedItems(argument) : escaped(argument));
        }
        Map<String, Object> named = new LinkedHashMap<>();
        arguments.named().forEach((key, value) -> named.put(key, escaped(value)));
        return new Arguments(positional, named);
    }

    private static List<Object> escapedItems(Object iterable) {
        List<Object> items = new ArrayList<>();
        Values.list(iterable).forEach(item -> items.add(Markup.escape(Values.text(item))));
        return items;
    }

    private static Object escaped(Object value) {
        return value instanceof String text ? Markup.escape(text) : value;
    }
}
