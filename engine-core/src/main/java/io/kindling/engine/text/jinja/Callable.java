package io.kindling.engine.text.jinja;

/** Something a template can call. */
interface Callable {
    Object call(Context context, Arguments arguments);
}
