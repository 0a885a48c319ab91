package io.kindling.engine.text.jinja;

/** A node that writes or changes something. */
interface Statement {
    /** How a statement ended. */
    enum Flow {
        NEXT,
        BREAK,
        CONTINUE
    }

    Flow run(Context context);
}
