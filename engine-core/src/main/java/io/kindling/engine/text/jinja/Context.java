package io.kindling.engine.text.jinja;

import java.time.LocalDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/** One rendering: variables in scope, output, and what it has used of its limits. */
final class Context {
    private final Supplier<LocalDateTime> clock;
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

    Context(Map<String, Object> variables, Supplier<LocalDateTime> clock) {
        this.clock = clock;
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
        if (++steps > Limits.MOST_STEPS) {
            throw new TemplateError("the template takes more than " + Limits.MOST_STEPS + " steps");
        }
    }

    void enter() {
        if (++depth > Limits.DEEPEST) {
            throw new TemplateError("the template is nested deeper than " + Limits.DEEPEST + " levels");
        }
    }

    void leave() {
        depth--;
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
            return output.toString();
        } finally {
            output = before;
        }
    }
}
