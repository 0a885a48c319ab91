package io.kindling.engine.optimize;

import io.kindling.engine.ir.Graph;
import java.util.List;

/** Lets readers of an Identity's output read its input. One that names an output of the graph stays. */
final class IdentityElimination implements GraphPass {
    @Override
    public String name() {
        return "identity_elimination";
    }

    @Override
    public Graph apply(Graph graph) {
        return Substitution.apply(graph, () -> node -> node.is("", "Identity") ? node.inputs() : List.of());
    }
}
