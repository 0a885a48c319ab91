package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.Node;

/** A rule could not prove what it has to; carries the reason in words. Never leaves the package. */
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Refusal(String why) {
        super(why, null, false, false);
    }

    static Refusal at(Node node, String why) {
        return new Refusal(node.operator() + " (node '" + node.name() + "') " + why);
    }
}
