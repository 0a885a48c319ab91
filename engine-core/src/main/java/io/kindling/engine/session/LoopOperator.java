package io.kindling.engine.session;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;

/**
 * {@code Loop}: runs its body up to a trip count while a condition holds, carrying values from one iteration to the next;
 * carried values may change shape. Scan outputs are stacked along a new first axis.
 */
final class LoopOperator implements ControlFlow {
    private static final int ITERATION = 0;
    private static final int CONDITION = 1;
    private static final int FIRST_CARRIED = 2;

    private final GraphPlan body;
    private final GraphPlan[] bodies;

    private LoopOperator(GraphPlan body) {
        this.body = body;
        bodies = new GraphPlan[] {body};
    }

    static LoopOperator plan(Node node, Planner planner) {
        Graph body = node.graphAttribute("body")
                .orElseThrow(() -> new OperatorException(
                        ErrorCode.MODEL_INVALID, "Loop", node.name(), "attribute body is missing"));
        int carried = node.inputs().size() - FIRST_CARRIED;
        boolean fits = carried >= 0
                && body.inputs().size() == carried + FIRST_CARRIED
                && body.outputs().size() == node.outputs().size() + 1
                && node.outputs().size() >= carried;
        if (!fits) {
            throw new OperatorException(
                    ErrorCode.MODEL_INVALID,
                    "Loop",
                    node.name(),
                    "the node has " + node.inputs().size() + " inputs and "
                            + node.outputs().size()
                            + " outputs, its body " + body.inputs().size() + " and "
                            + body.outputs().size());
        }
        return new LoopOperator(planner.planBody(body));
    }

    @Override
    public GraphPlan[] bodies() {
        return bodies;
    }

    @Override
    public void execute(Frame frame, PlannedNode node, int nodeIndex) {
        int[] inputs = node.inputs();
        long trips = inputs[ITERATION] < 0 ? Long.MAX_VALUE : HostScalars.readLong(frame, inputs[ITERATION], node);
        boolean going = inputs[CONDITION] < 0 || HostScalars.readBool(frame, inputs[CONDITION], node);
        Value[] initial = new Value[inputs.length - FIRST_CARRIED];
        for (int k = 0; k < initial.length; k++) {
            initial[k] = inputs[FIRST_CARRIED + k] < 0 ? null : frame.value(inputs[FIRST_CARRIED + k]);
        }
        int scanCount = node.outputs().length - initial.length;
        Frame child = frame.child(nodeIndex, node, 0);
        try (BodyResults results = new BodyResults(frame, initial, scanCount);
                Tensor iteration = Tensor.allocateHost(DataType.INT64);
                Tensor condition = Tensor.allocateHost(DataType.BOOL)) {
            for (long trip = 0; trip < trips && going; trip++) {
                iteration.longs().put(0, trip);
                condition.bytes().put(0, (byte) 1);
                child.setInput(body.inputIds()[ITERATION], iteration);
                child.setInput(body.inputIds()[CONDITION], condition);
                for (int k = 0; k < initial.length; k++) {
                    child.setInput(body.inputIds()[FIRST_CARRIED + k], results.carried(k));
                }
                child.run();
                going = HostScalars.readBool(child, body.outputIds()[0], node);
                results.collect(child, 1);
            }
            for (int k = 0; k < node.outputs().length; k++) {
                int output = node.outputs()[k];
                if (output < 0) {
                    continue;
                }
                if (k < initial.length) {
                    results.handOver(k, output);
                } else {
                    results.stackScan(
                            k - initial.length,
                            output,
                            0,
                            false,
                            body.graph().outputs().get(k + 1),
                            "Loop");
                }
            }
        }
    }
}
