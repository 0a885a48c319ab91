package io.kindling.engine.session;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Value;
import java.util.ArrayList;
import java.util.List;

/** {@code SequenceMap}: runs its body for every element of its sequences and collects each output in a sequence. */
final class SequenceMapOperator implements ControlFlow {
    private final GraphPlan body;
    private final GraphPlan[] bodies;

    private SequenceMapOperator(GraphPlan body) {
        this.body = body;
        bodies = new GraphPlan[] {body};
    }

    static SequenceMapOperator plan(Node node, Planner planner) {
        Graph body = node.graphAttribute("body").orElseThrow(() -> invalid(node, "attribute body is missing"));
        if (node.inputs().isEmpty()
                || body.inputs().size() != node.inputs().size()
                || body.outputs().size() != node.outputs().size()) {
            throw invalid(
                    node,
                    "the node has " + node.inputs().size() + " inputs and "
                            + node.outputs().size() + " outputs, its body "
                            + body.inputs().size() + " and " + body.outputs().size());
        }
        return new SequenceMapOperator(planner.planBody(body));
    }

    private static OperatorException invalid(Node node, String problem) {
        return new OperatorException(ErrorCode.MODEL_INVALID, "SequenceMap", node.name(), problem);
    }

    @Override
    public GraphPlan[] bodies() {
        return bodies;
    }

    @Override
    public void execute(Frame frame, PlannedNode node, int nodeIndex) {
        int length = length(frame, node);
        List<List<Value>> results = new ArrayList<>();
        for (int k = 0; k < node.outputs().length; k++) {
            results.add(new ArrayList<>(length));
        }
        Frame child = frame.child(nodeIndex, node, 0);
        for (int index = 0; index < length; index++) {
            for (int k = 0; k < node.inputs().length; k++) {
                Value value = frame.value(node.inputs()[k]);
                child.setInput(
                        body.inputIds()[k],
                        value instanceof Value.Sequence sequence
                                ? sequence.elements().get(index)
                                : value);
            }
            child.run();
            for (int k = 0; k < results.size(); k++) {
                results.get(k).add(Slabs.copy(frame.stream, child.value(body.outputIds()[k])));
            }
        }
        for (int k = 0; k < results.size(); k++) {
            if (node.outputs()[k] >= 0) {
                frame.placeValue(node.outputs()[k], new Value.Sequence(results.get(k)));
            }
        }
    }

    private static int length(Frame frame, PlannedNode node) {
        if (!(frame.value(node.inputs()[0]) instanceof Value.Sequence first)) {
            throw new OperatorException(
                    ErrorCode.SHAPE_OR_TYPE, "SequenceMap", node.node().name(), "input 0 must be a sequence");
        }
        int length = first.elements().size();
        for (int id : node.inputs()) {
            if (frame.value(id) instanceof Value.Sequence other
                    && other.elements().size() != length) {
                throw new OperatorException(
                        ErrorCode.SHAPE_OR_TYPE,
                        "SequenceMap",
                        node.node().name(),
                        "its sequences have " + length + " and "
                                + other.elements().size() + " elements");
            }
        }
        return length;
    }
}
