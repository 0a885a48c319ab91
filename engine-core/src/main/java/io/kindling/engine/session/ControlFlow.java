package io.kindling.engine.session;

/** An operator that runs subgraphs. Planned once, shared by all bindings. */
interface ControlFlow {
    /** Runs the node within {@code frame}; {@code nodeIndex} finds the node's child frames. */
    void execute(Frame frame, PlannedNode node, int nodeIndex);

    /** Plans of the subgraphs, in a fixed order. */
    GraphPlan[] bodies();
}
