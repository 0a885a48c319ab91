package io.kindling.engine.optimize;

import io.kindling.engine.ir.Graph;

/** A pass that asks what is known of values, which passes share as long as it holds. */
interface IndexedPass extends GraphPass {
    @Override
    default Graph apply(Graph graph) {
        return apply(graph, GraphIndex.of(graph));
    }

    /** @param index of this graph */
    Graph apply(Graph graph, GraphIndex index);
}
