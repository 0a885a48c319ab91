package io.kindling.engine.text.jinja;

import java.util.Map;

/** The object of {@code namespace()}, whose attributes can be set from inner scopes. */
record Namespace(Map<String, Object> attributes) {
    void set(String name, Object value) {
        check(name);
        attributes.put(name, value);
    }

    /** @throws TemplateError for names that transformers refuses, too */
    static void check(String name) {
        if (name.startsWith("_")) {
            throw new TemplateError(
                    "a namespace cannot have an attribute whose name begins with an underscore: '" + name + "'");
        }
    }
}
