package io.kindling.engine.text.jinja;

/** Bounds on what one rendering may use: templates come with models and are not trusted. */
final class Limits {
    /** Characters of a text, output or intermediate, and elements of a list. */
    static final int LONGEST = 1 << 22;
    /** Evaluated expressions, statements and compared or written elements. */
    static final long MOST_STEPS = 4_000_000;
    /** Nested expressions, statements and data. */
    static final int DEEPEST = 200;
    /** Nested tuples in a key of a dict. */
    static final int DEEPEST_KEY = 8;
    /** Nested expressions and statements that run at a time, in all calls together; half a megabyte of stack. */
    static final int DEEPEST_STACK = 2500;
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
