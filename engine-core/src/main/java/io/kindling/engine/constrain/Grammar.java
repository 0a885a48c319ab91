package io.kindling.engine.constrain;

import io.kindling.engine.sample.TokenMask;

/** The texts of one shape, over the tokens of one engine. */
public final class Grammar {
    private final Grammars owner;
    private final Node start;
    /** Null until the first answer begins. */
    private TokenMask first;

    Grammar(Grammars owner, Node start) {
        this.owner = owner;
        this.start = start;
    }

    /** Follows one answer from its beginning. */
    public GrammarState begin() {
        return new GrammarState(this);
    }

    Grammars owner() {
        return owner;
    }

    Node start() {
        return start;
    }

    TokenMask first() {
        if (first == null) {
            first = owner.allowedFirst(start);
        }
        return first;
    }
}
