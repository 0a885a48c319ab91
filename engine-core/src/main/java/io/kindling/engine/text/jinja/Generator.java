package io.kindling.engine.text.jinja;

import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** What lazy filters such as {@code map} give: its items are made when they are asked for, and can be had once. */
final class Generator implements Items {
    private final String typeName;
    private Supplier<Iterator<Object>> begin;
    private Iterator<Object> items;

    /** @param begin runs when the first item is asked for */
    Generator(Supplier<Iterator<Object>> begin) {
        this("generator", begin);
    }

    Generator(String typeName, Supplier<Iterator<Object>> begin) {
        this.typeName = typeName;
        this.begin = begin;
    }

    @Override
    public Iterator<Object> iterator() {
        if (items == null) {
            Supplier<Iterator<Object>> first = begin;
            begin = null;
            items = Collections.emptyIterator();
            items = first.get();
        }
        return items;
    }

    @Override
    public String typeName() {
        return typeName;
    }

    static Iterator<Object> mapped(Iterator<Object> items, Function<Object, Object> function) {
        return new Iterator<>() {
            @Override
            public boolean hasNext() {
                return items.hasNext();
            }

            @Override
            public Object next() {
                return function.apply(items.next());
            }
        };
    }

    static Iterator<Object> filtered(Iterator<Object> items, Predicate<Object> predicate) {
        return new Iterator<>() {
            private boolean ready;
            private Object next;

            @Override
            public boolean hasNext() {
                while (!ready && items.hasNext()) {
                    next = items.next();
                    ready = predicate.test(next);
                }
                return ready;
            }

            @Override
            public Object next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                ready = false;
                return next;
            }
        };
    }
}
