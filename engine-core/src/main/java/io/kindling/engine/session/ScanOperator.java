package io.kindling.engine.session;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.Arrays;

/**
 * {@code Scan} (since version 9): runs its body once for every slab of its scan inputs, carrying states and stacking scan
 * outputs, along any axis and in either direction.
 */
final class ScanOperator implements ControlFlow {
    private final GraphPlan body;
    private final GraphPlan[] bodies;
    private final int states;
    private final int scanInputs;
    private final int scanOutputs;
    private final long[] inputAxes;
    private final long[] inputDirections;
    private final long[] outputAxes;
    private final long[] outputDirections;

    private ScanOperator(Node node, GraphPlan body, int scanInputs) {
        this.body = body;
        bodies = new GraphPlan[] {body};
        this.scanInputs = scanInputs;
        states = node.inputs().size() - scanInputs;
        scanOutputs = node.outputs().size() - states;
        inputAxes = perPort(node, "scan_input_axes", scanInputs);
        inputDirections = perPort(node, "scan_input_directions", scanInputs);
        outputAxes = perPort(node, "scan_output_axes", scanOutputs);
        outputDirections = perPort(node, "scan_output_directions", scanOutputs);
    }

    static ScanOperator plan(Node node, Planner planner) {
        Graph body = node.graphAttribute("body")
                .orElseThrow(() -> new OperatorException(
                        ErrorCode.MODEL_INVALID, "Scan", node.name(), "attribute body is missing"));
        int scanInputs = (int) node.intAttribute("num_scan_inputs", 0);
        boolean fits = scanInputs >= 1
                && scanInputs <= node.inputs().size()
                && body.inputs().size() == node.inputs().size()
                && body.outputs().size() == node.outputs().size()
                && node.outputs().size() >= node.inputs().size() - scanInputs;
        if (!fits) {
            throw new OperatorException(
                    ErrorCode.MODEL_INVALID,
                    "Scan",
                    node.name(),
                    "num_scan_inputs is " + scanInputs + ", the node has "
                            + node.inputs().size() + " inputs and "
                            + node.outputs().size() + " outputs, its body "
                            + body.inputs().size() + " and " + body.outputs().size());
        }
        return new ScanOperator(node, planner.planBody(body), scanInputs);
    }

    private static long[] perPort(Node node, String attribute, int count) {
        long[] values = node.intsAttribute(attribute).orElseGet(() -> new long[count]);
        if (values.length != count) {
            throw new OperatorException(
                    ErrorCode.MODEL_INVALID,
                    "Scan",
                    node.name(),
                    attribute + " has " + values.length + " entries, expected " + count);
        }
        return values;
    }

    @Override
    public GraphPlan[] bodies() {
        return bodies;
    }

    @Override
    public void execute(Frame frame, PlannedNode node, int nodeIndex) {
        Value[] initial = new Value[states];
        for (int k = 0; k < states; k++) {
            initial[k] = frame.value(node.inputs()[k]);
        }
        Tensor[] whole = new Tensor[scanInputs];
        int[] axes = new int[scanInputs];
        Tensor[] slabs = new Tensor[scanInputs];
        long trips = prepare(frame, node, whole, axes, slabs);
        Frame child = frame.child(nodeIndex, node, 0);
        try (BodyResults results = new BodyResults(frame, initial, scanOutputs)) {
            for (long trip = 0; trip < trips; trip++) {
                for (int k = 0; k < states; k++) {
                    child.setInput(body.inputIds()[k], results.carried(k));
                }
                for (int k = 0; k < scanInputs; k++) {
                    long index = inputDirections[k] == 1 ? trips - 1 - trip : trip;
                    if (slabs[k].type() == DataType.STRING) {
                        // Strings are passed on without a copy: each slab is a tensor of its own.
                        slabs[k] = Slabs.strings(slabs[k].shape());
                    }
                    Slabs.extract(frame.stream, whole[k], axes[k], index, slabs[k]);
                    child.setInput(body.inputIds()[states + k], slabs[k]);
                }
                child.run();
                results.collect(child, 0);
            }
            for (int k = 0; k < node.outputs().length; k++) {
                int output = node.outputs()[k];
                if (output < 0) {
                    continue;
                }
                if (k < states) {
                    results.handOver(k, output);
                } else {
                    int scan = k - states;
                    boolean reverse = outputDirections[scan] == 1;
                    results.stackScan(
                            scan,
                            output,
                            (int) outputAxes[scan],
                            reverse,
                            body.graph().outputs().get(k),
                            "Scan");
                }
            }
        } finally {
            Arrays.stream(slabs).forEach(Tensor::close);
        }
    }

    /** Finds what is scanned and how often; makes room for one slab of each. */
    private long prepare(Frame frame, PlannedNode node, Tensor[] whole, int[] axes, Tensor[] slabs) {
        long trips = -1;
        for (int k = 0; k < scanInputs; k++) {
            whole[k] = (Tensor) frame.value(node.inputs()[states + k]);
            axes[k] = Slabs.axis(inputAxes[k], whole[k].rank(), "Scan");
            long length = whole[k].dim(axes[k]);
            if (trips >= 0 && trips != length) {
                throw new OperatorException(
                        ErrorCode.SHAPE_OR_TYPE,
                        "Scan",
                        node.node().name(),
                        "scan inputs have different lengths: " + trips + " and " + length);
            }
            trips = length;
        }
        for (int k = 0; k < scanInputs; k++) {
            long[] shape = Slabs.without(whole[k].shape(), axes[k]);
            DataType type = whole[k].type();
            long bytes = Math.max(1, type.byteSize(Tensor.count(shape)));
            slabs[k] = type == DataType.STRING
                    ? Slabs.strings(shape)
                    : Tensor.of(type, shape, frame.allocator.allocate(bytes));
        }
        return trips;
    }
}
