package io.kindling.engine.text.jinja;

/**
 * What a name or attribute that is not there gives: empty as text, false as condition, an error where anything more is done
 * with it.
 *
 * @param problem the message of that error
 */
record Undefined(String problem) {
    static Undefined name(String name) {
        return new Undefined("'" + name + "' is undefined");
    }

    static Undefined attribute(Object of, Object name) {
        String kind = of == null ? "None" : "'" + Values.typeName(of) + " object'";
        return new Undefined(
                name instanceof String
                        ? kind + " has no attribute '" + name + "'"
                        : kind + " has no element " + Values.repr(name));
    }

    TemplateError error() {
        return new TemplateError(problem);
    }

    /** All undefined values are equal. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Undefined;
    }

    @Override
    public int hashCode() {
        return 1;
    }
}
