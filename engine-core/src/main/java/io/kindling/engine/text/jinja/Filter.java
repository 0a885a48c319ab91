package io.kindling.engine.text.jinja;

/** A filter: {@code value|name(arguments)}. */
interface Filter {
    Object apply(Context context, Object value, Arguments arguments);
}
