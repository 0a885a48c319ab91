package io.kindling.engine.text.jinja;

import java.time.LocalDateTime;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** One rendering: variables in scope, output, and what it has used of its limits. */
final class Context {
    private final Supplier<LocalDateTime> clock;
    private final int nesting;
    private Scope scope;
    private StringBuilder output = new StringBuilder();
    private Position position = new Position(1, 1);
    private long steps;
    private int depth;

    /** Variables of one block; the outer ones are seen, not changed. */
    static final class Scope {
        private final Scope outer;
        private final Map<String, Object> variables;

        Scope(Scope outer, Map<String, Object> variables) {
            this.outer = outer;
            this.variables = variables;
        }

        void set(String name, Object value) {
            variables.put(name, value);
        }
    }

    /** @param nesting how deep the template's own expressions and statements are nested at most */
    Context(Map<String, Object> variables, Supplier<LocalDateTime> clock, int nesting) {
        this.clock = clock;
        this.nesting = nesting;
        scope = new Scope(new Scope(null, Globals.ALL), new HashMap<>(variables));
    }

    LocalDateTime now() {
        return clock.get();
    }

    /** What is evaluated now, for messages. */
    void at(Position at) {
        position = at;
        step();
    }

    Position position() {
        return position;
    }

    void step() {
        step(1);
    }

    private void step(long count) {
        steps += count;
        if (steps > Limits.MOST_STEPS) {
            throw new TemplateError("the template takes more than " + Limits.MOST_STEPS + " steps");
        }
    }

    /** Pays for having gone through a value: a step an element, or one for 64 characters. */
    void pay(Object value) {
        long size = value instanceof String text
                ? text.length() >> 6
                : value instanceof Markup markup
                        ? markup.text().length() >> 6
                        : value instanceof Collection<?> items
                                ? items.size()
                                : value instanceof Map<?, ?> map ? map.size() : 0;
        step(size);
    }

    /** Goes deeper, by as many levels as what is run or compared has at most. */
    void enter(int levels) {
        depth += levels;
        if (depth > Limits.DEEPEST_STACK) {
            throw new TemplateError("the template is nested too deep: calls and loops have more than "
                    + Limits.DEEPEST_STACK + " levels together");
        }
    }

    void leave(int levels) {
        depth -= levels;
    }

    /** Goes into the body of a macro or loop. */
    void enterBody() {
        enter(nesting);
    }

    void leaveBody() {
        leave(nesting);
    }

    /** The scope of what the template sets at its top level. */
    Scope top() {
        Scope at = scope;
        while (at.outer.outer != null) {
            at = at.outer;
        }
        return at;
    }

    Scope scope() {
        return scope;
    }

    /** Begins a scope inside {@code outer}; returns the one that {@link #restore} takes. */
    Scope open(Scope outer) {
        Scope before = scope;
        scope = new Scope(outer, new HashMap<>());
        return before;
    }

    void restore(Scope before) {
        scope = before;
    }

    Object variable(String name) {
        for (Scope at = scope; at != null; at = at.outer) {
            Object value = at.variables.get(name);
            if (value != null || at.variables.containsKey(name)) {
                return value;
            }
        }
        return Undefined.name(name);
    }

    void set(String name, Object value) {
        scope.set(name, value);
    }

    void write(String text) {
        Limits.size((long) output.length() + text.length());
        output.append(text);
    }

    /** Runs statements and returns what they write. */
    String capture(Runnable statements) {
        StringBuilder before = output;
        output = new StringBuilder();
        try {
            statements.run();
            String written = output.toString();
            pay(written);
            return written;
        } finally {
            output = before;
        }
    }
}
