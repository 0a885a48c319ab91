package io.kindling.engine.text.jinja;

/** A test: {@code value is name(arguments)}. */
interface Test {
    boolean test(Context context, Object value, Arguments arguments);
}
