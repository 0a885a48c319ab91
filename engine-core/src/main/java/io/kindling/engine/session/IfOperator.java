package io.kindling.engine.session;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.HostBuffer;
import io.kindling.engine.provider.Tensor;
import java.nio.ByteBuffer;

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
        Tensor condition = (Tensor) frame.value(node.inputs()[0]);
        int taken = readCondition(frame, condition, node.node()) ? THEN : ELSE;
        Frame child = frame.child(nodeIndex, node, taken);
        child.run();
        for (int k = 0; k < node.outputs().length; k++) {
            if (node.outputs()[k] >= 0) {
                frame.adopt(node.outputs()[k], child, bodies[taken].outputIds()[k]);
            }
        }
    }

    private static boolean readCondition(Frame frame, Tensor condition, Node node) {
        if (condition.type() != DataType.BOOL || condition.elementCount() != 1) {
            throw new OperatorException(
                    ErrorCode.SHAPE_OR_TYPE, "If", node.name(), "cond must be one bool, found " + condition);
        }
        if (condition.buffer().isHost()) {
            return condition.bytes().get(0) != 0;
        }
        HostBuffer host = HostBuffer.of(ByteBuffer.allocateDirect(1), 0);
        frame.stream.download(condition.buffer(), condition.byteOffset(), host, 0, 1);
        frame.stream.synchronize();
        return host.bytes().get(0) != 0;
    }
}
