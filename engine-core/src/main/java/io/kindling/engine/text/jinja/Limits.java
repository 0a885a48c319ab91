package io.kindling.engine.text.jinja;

/** Bounds on what one rendering may use: templates come with models and are not trusted. */
final class Limits {
    /** Characters of a text, output or intermediate, and elements of a list. */
    static final int LONGEST = 1 << 22;
    /** Evaluated expressions, statements and compared or written elements. */
    static final long MOST_STEPS = 4_000_000;
    /** Nested expressions, statements, calls and data. */
    static final int DEEPEST = 200;
    /** The most that jinja2's sandbox lets {@code range} make. */
    static final int LONGEST_RANGE = 100_000;

    private Limits() {}

    /** @throws TemplateError when a text or list of this size may not be made */
    static int size(long size) {
        if (size > LONGEST) {
            throw new TemplateError("a text or list of more than " + LONGEST + " elements is refused");
        }
        return (int) size;
    }
}
