package io.kindling.engine.text.jinja;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The arguments of one call. */
record Arguments(List<Object> positional, Map<String, Object> named) {
    static final Arguments NONE = new Arguments(List.of(), Map.of());

    static Arguments of(Object... positional) {
        return new Arguments(Arrays.asList(positional), Map.of());
    }

    int count() {
        return positional.size() + named.size();
    }

    /** The argument at a place or of a name, or what stands for an absent one. */
    Object get(int index, String name, Object absent) {
        if (index < positional.size()) {
            return positional.get(index);
        }
        return named.containsKey(name) ? named.get(name) : absent;
    }

    /** Like {@link #get}, but an absent argument is an error. */
    Object require(int index, String name) {
        if (index >= positional.size() && !named.containsKey(name)) {
            throw new TemplateError("missing argument '" + name + "'");
        }
        return get(index, name, null);
    }

    boolean flag(int index, String name, boolean absent) {
        return Values.isTrue(get(index, name, absent));
    }

    /** Without the first {@code count} positional ones. */
    Arguments skip(int count) {
        return new Arguments(positional.subList(Math.min(count, positional.size()), positional.size()), named);
    }

    /** @throws TemplateError when there are more than {@code names}, or others */
    Arguments expect(String... names) {
        List<String> known = List.of(names);
        if (positional.size() > names.length) {
            throw new TemplateError("takes at most " + names.length + " arguments, not " + positional.size());
        }
        for (String name : named.keySet()) {
            if (!known.contains(name) || known.indexOf(name) < positional.size()) {
                throw new TemplateError("unexpected argument '" + name + "'");
            }
        }
        return this;
    }

    /** @throws TemplateError unless there are at least and at most so many, none of them named */
    Arguments places(int least, int most) {
        if (!named.isEmpty()) {
            throw new TemplateError("takes no keyword arguments");
        }
        if (positional.size() < least || positional.size() > most) {
            throw new TemplateError(
                    "takes " + (least == most ? "" : least + " to ") + most + " arguments, not " + positional.size());
        }
        return this;
    }

    Arguments with(String name, Object value) {
        Map<String, Object> more = new LinkedHashMap<>(named);
        more.put(name, value);
        return new Arguments(positional, more);
    }
}
