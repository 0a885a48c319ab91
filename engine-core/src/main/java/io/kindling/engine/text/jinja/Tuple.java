package io.kindling.engine.text.jinja;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;

/** A Python tuple: a list that is written with parentheses and never equals a list. */
final class Tuple extends AbstractList<Object> {
    private final List<Object> items;
    private final List<String> names;

    Tuple(List<Object> items) {
        this(items, List.of());
    }

    /** @param names of the items as attributes; none for an ordinary tuple */
    Tuple(List<Object> items, List<String> names) {
        this.items = items;
        this.names = names;
    }

    boolean has(String name) {
        return names.contains(name);
    }

    /** The item of a name that it has. */
    Object named(String name) {
        return items.get(names.indexOf(name));
    }

    static Tuple of(Object... items) {
        return new Tuple(Arrays.asList(items));
    }

    @Override
    public Object get(int index) {
        return items.get(index);
    }

    @Override
    public int size() {
        return items.size();
    }
}
