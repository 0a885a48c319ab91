package io.kindling.engine.text.jinja;

import java.util.Iterator;

/** What can be iterated but is no list: ranges, the views of a dict, generators. */
interface Items {
    Iterator<Object> iterator();

    /** The name of the type in Python. */
    String typeName();

    /** Items whose number is known, so that {@code length} and truth go by it. */
    interface Sized extends Items {
        int size();
    }
}
