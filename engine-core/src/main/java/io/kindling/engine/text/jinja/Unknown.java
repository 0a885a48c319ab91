package io.kindling.engine.text.jinja;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;

/**
 * Filters and tests that do not exist. As in jinja2 they are faults of the whole template, but for those right inside of a
 * condition's branches, where a template may ask first whether they exist: these are errors when they run.
 */
final class Unknown {
    private final List<TemplateError> found = new ArrayList<>();
    private final List<TemplateError> certain = new ArrayList<>();

    void add(String kind, String name, Position position) {
        found.add(new TemplateError("no " + kind + " named '" + name + "'", position));
    }

    int count() {
        return found.size();
    }

    /** Forgives those found since there were {@code count}. */
    void forgive(int count) {
        found.subList(count, found.size()).clear();
    }

    /** What is found in here is only an error when it runs. */
    <T> T soft(Supplier<T> parse) {
        int before = found.size();
        T parsed = parse.get();
        forgive(before);
        return parsed;
    }

    /** What is found in here is an error, whatever is around it. */
    <T> T hard(Supplier<T> parse) {
        int before = found.size();
        T parsed = parse.get();
        certain.addAll(found.subList(before, found.size()));
        forgive(before);
        return parsed;
    }

    /** @throws TemplateError the first of those that are errors */
    void check() {
        certain.addAll(found);
        certain.stream()
                .min(Comparator.comparing(error -> error.position().orElseThrow()))
                .ifPresent(error -> {
                    throw error;
                });
    }
}
