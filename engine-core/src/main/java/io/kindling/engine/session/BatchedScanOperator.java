package io.kindling.engine.session;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.OperatorException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code Scan} of version 8: axis 0 of every state and scan input is the batch, axis 1 of scan inputs the sequence, whose length
 * may differ from row to row. Scan outputs are 0 behind a row's end.
 */
final class BatchedScanOperator implements ControlFlow {
    private final String name;
    private final GraphPlan body;
    private final GraphPlan[] bodies;
    private final int states;
    private final int scans;
    private final long[] directions;

    private BatchedScanOperator(Node node, GraphPlan body, int scans) {
        name = node.name();
        this.body = body;
        bodies = new GraphPlan[] {body};
        this.scans = scans;
        states = node.inputs().size() - 1 - scans;
        directions = node.intsAttribute("directions").orElseGet(() -> new long[scans]);
    }

    static BatchedScanOperator plan(Node node, Planner planner) {
        int scans = (int) node.intAttribute("num_scan_inputs", 0);
        Graph body = node.graphAttribute("body").orElse(null);
        boolean fits = body != null
                && scans >= 1
                && node.inputs().size() > scans
                && body.inputs().size() == node.inputs().size() - 1
                && body.outputs().size() == node.outputs().size()
                && node.outputs().size() >= node.inputs().size() - 1 - scans
                && node.intsAttribute("directions").orElseGet(() -> new long[scans]).length == scans;
        if (!fits) {
            throw new OperatorException(
                    ErrorCode.MODEL_INVALID,
                    "Scan",
                    node.name(),
                    "num_scan_inputs " + scans + ", directions, inputs, outputs and body do not fit each other");
        }
        return new BatchedScanOperator(node, planner.planBody(body), scans);
    }

    @Override
    public GraphPlan[] bodies() {
        return bodies;
    }

    @Override
    public void execute(Frame frame, PlannedNode node, int nodeIndex) {
        Tensor[] inputs = new Tensor[states + scans];
        for (int k = 0; k < inputs.length; k++) {
            inputs[k] = (Tensor) frame.value(node.inputs()[k + 1]);
        }
        int batch = (int) inputs[0].dim(0);
        int longest = (int) inputs[states].dim(1);
        for (int k = 0; k < inputs.length; k++) {
            if (inputs[k].dim(0) != batch || k >= states && inputs[k].dim(1) != longest) {
                throw invalid("input " + (k + 1) + " is " + inputs[k] + ", expected batch " + batch + " and length "
                        + longest);
            }
        }
        Frame child = frame.child(nodeIndex, node, 0);
        List<List<Value>> rows = new ArrayList<>();
        for (int row = 0; row < batch; row++) {
            rows.add(scanRow(frame, child, inputs, row, length(frame, node, row, longest), longest));
        }
        for (int k = 0; k < node.outputs().length; k++) {
            if (node.outputs()[k] >= 0 && batch > 0) {
                int output = k;
                List<Value> parts = rows.stream().map(row -> row.get(output)).toList();
                Slabs.stack(frame, node.outputs()[k], parts, 0, false, "Scan");
            }
        }
    }

    private int length(Frame frame, PlannedNode node, int row, int longest) {
        if (node.inputs()[0] < 0) {
            return longest;
        }
        Tensor lengths = (Tensor) frame.value(node.inputs()[0]);
        if (lengths.type() != DataType.INT64 || lengths.elementCount() <= row) {
            throw invalid("sequence_lens is " + lengths);
        }
        long length = lengths.longs().get(row);
        if (length < 1 || length > longest) {
            throw invalid("sequence " + row + " has length " + length + ", expected 1 to " + longest);
        }
        return (int) length;
    }

    /** Final states and padded scan outputs of one row, in the order of the node's outputs. */
    private List<Value> scanRow(Frame frame, Frame child, Tensor[] inputs, int row, int length, int longest) {
        Value[] carried = new Value[states];
        for (int k = 0; k < states; k++) {
            carried[k] = slab(frame, inputs[k], row);
        }
        Tensor[] sequences = new Tensor[scans];
        for (int k = 0; k < scans; k++) {
            sequences[k] = slab(frame, inputs[states + k], row);
        }
        Tensor[] outputs = new Tensor[body.outputIds().length - states];
        for (int step = 0; step < length; step++) {
            for (int k = 0; k < states; k++) {
                child.setInput(body.inputIds()[k], carried[k]);
            }
            for (int k = 0; k < scans; k++) {
                int at = directions[k] == 1 ? length - 1 - step : step;
                child.setInput(body.inputIds()[states + k], slab(frame, sequences[k], at));
            }
            child.run();
            for (int k = 0; k < states; k++) {
                carried[k] = Slabs.copy(frame.stream, child.value(body.outputIds()[k]));
            }
            for (int k = 0; k < outputs.length; k++) {
                Tensor part = (Tensor) child.value(body.outputIds()[states + k]);
                if (outputs[k] == null) {
                    outputs[k] = host(part.type(), Slabs.with(part.shape(), 0, longest));
                }
                Slabs.insert(frame.stream, part, outputs[k], 0, step);
            }
        }
        List<Value> results = new ArrayList<>(List.of(carried));
        results.addAll(List.of(outputs));
        return results;
    }

    private static Tensor slab(Frame frame, Tensor whole, int index) {
        Tensor slab = host(whole.type(), Slabs.without(whole.shape(), 0));
        Slabs.extract(frame.stream, whole, 0, index, slab);
        return slab;
    }

    private static Tensor host(DataType type, long[] shape) {
        return type == DataType.STRING ? Slabs.strings(shape) : Tensor.allocateHost(type, shape);
    }

    private OperatorException invalid(String problem) {
        return new OperatorException(ErrorCode.SHAPE_OR_TYPE, "Scan", name, problem);
    }
}
