package io.kindling.engine.optimize;

import java.util.Set;

/** Names for values that passes make. */
final class Names {
    private Names() {}

    /** The name, or with a number behind it where it is taken; it is taken from now on. */
    static String fresh(String name, Set<String> taken) {
        String unique = name;
        for (int count = 2; !taken.add(unique); count++) {
            unique = name + "#" + count;
        }
        return unique;
    }
}
