package io.kindling.engine.constrain;

import io.kindling.engine.sample.TokenMask;

/**
 * A state of an automaton over the bytes of a text. What follows a state is found when it is first asked for and then kept, and so
 * are the tokens that it allows. Used by one thread at a time, but for {@link #DEAD}.
 */
abstract class Node {
    /** From where nothing leads to a whole text. */
    static final Node DEAD = new Node() {
        @Override
        Node step(int value) {
            return this;
        }
    };

    /** Where a text is whole and nothing may follow. */
    static final class End extends Node {
        @Override
        Node step(int value) {
            return DEAD;
        }

        @Override
        boolean mayEnd() {
            return true;
        }
    }

    private Node[] known;
    /** Null until somebody asked. */
    private TokenMask allowed;

    /** The state behind one more byte, from 0 to 255; {@link #DEAD} where none may be such. */
    abstract Node step(int value);

    /** Whether the text may end here. */
    boolean mayEnd() {
        return false;
    }

    /** {@link #step}, found once. */
    final Node next(int value) {
        Node[] nodes = known; // read once: engines share DEAD
        if (nodes == null) {
            nodes = new Node[256];
            known = nodes;
        }
        Node next = nodes[value];
        if (next == null) {
            next = step(value);
            nodes[value] = next;
        }
        return next;
    }

    /** Whether the text ends here, whatever may be added. */
    final boolean mustEnd() {
        if (!mayEnd()) {
            return false;
        }
        for (int value = 0; value < 256; value++) {
            if (next(value) != DEAD) {
                return false;
            }
        }
        return true;
    }

    final TokenMask allowed() {
        return allowed;
    }

    final void allow(TokenMask tokens) {
        allowed = tokens;
    }
}
