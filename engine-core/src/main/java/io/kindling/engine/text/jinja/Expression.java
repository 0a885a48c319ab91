package io.kindling.engine.text.jinja;

/** A node that has a value. */
interface Expression {
    Object evaluate(Context context);
}
