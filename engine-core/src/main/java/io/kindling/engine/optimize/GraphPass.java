package io.kindling.engine.optimize;

import io.kindling.engine.ir.Graph;

/** One rewriting of graphs: pure, keeps ports and results, gives back the same object when it changes nothing. */
public interface GraphPass {
    /** By which it is switched off, such as {@code dead_code}. */
    String name();

    Graph apply(Graph graph);
}
