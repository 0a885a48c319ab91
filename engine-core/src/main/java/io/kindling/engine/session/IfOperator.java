package io.kindling.engine.session;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;

/** {@code If}: runs one of two branches, which read what they need from the enclosing graph. */
final class IfOperator implements ControlFlow {
    private static final int THEN = 0;
    private static final int ELSE = 1;

    private final GraphPlan[] bodies;

    private IfOperator(GraphPlan thenBranch, GraphPlan elseBranch) {
        bodies = new GraphPlan[] {thenBranch, elseBranch};
    }

    static IfOperator plan(Node node, Planner planner) {
        return new IfOperator(branch(node, "then_branch", planner), branch(node, "else_branch", planner));
    }

    private static GraphPlan branch(Node node, String attribute, Planner planner) {
        Graph body = node.graphAttribute(attribute)
                .orElseThrow(() -> new OperatorException(
                        ErrorCode.MODEL_INVALID, "If", node.name(), "attribute " + attribute + " is missing"));
        if (body.outputs().size() != node.outputs().size()) {
            throw new OperatorException(
                    ErrorCode.MODEL_INVALID,
                    "If",
                    node.name(),
                    attribute + " has " + body.outputs().size() + " outputs, the node has "
                            + node.outputs().size());
        }
        return planner.planBody(body);
    }

    @Override
    public GraphPlan[] bodies() {
        return bodies;
    }

    @Override
    public void execute(Frame frame, PlannedNode node, int nodeIndex) {
        int taken = HostScalars.readBool(frame, node.inputs()[0], node) ? THEN : ELSE;
        Frame child = frame.child(nodeIndex, node, taken);
        child.run();
        for (int k = 0; k < node.outputs().length; k++) {
            if (node.outputs()[k] >= 0) {
                frame.adopt(node.outputs()[k], child, bodies[taken].outputIds()[k]);
            }
        }
    }
}
