package io.kindling.engine.session;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import java.util.ArrayList;
import java.util.List;

/** The operators of the default domain that run subgraphs. */
final class ControlFlows {
    private ControlFlows() {}

    static boolean handles(Node node) {
        return node.domain().isEmpty() && node.opType().equals("If");
    }

    /** Plans a control-flow node; null when it is none. */
    static ControlFlow plan(Node node, Planner planner) {
        return handles(node) ? IfOperator.plan(node, planner) : null;
    }

    /** Every subgraph of a node. */
    static List<Graph> bodies(Node node) {
        List<Graph> bodies = new ArrayList<>();
        for (Attribute attribute : node.attributes().values()) {
            if (attribute instanceof Attribute.GraphValue value) {
                bodies.add(value.graph());
            } else if (attribute instanceof Attribute.GraphsValue values) {
                bodies.addAll(values.graphs());
            }
        }
        return bodies;
    }
}
