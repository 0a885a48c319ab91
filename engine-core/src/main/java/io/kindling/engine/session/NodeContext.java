package io.kindling.engine.session;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.DeviceBuffer;
import io.kindling.engine.provider.DeviceStream;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;

/** A frame as the kernel of the running node sees it. */
final class NodeContext implements KernelContext {
    private final Frame frame;
    private PlannedNode node;

    NodeContext(Frame frame) {
        this.frame = frame;
    }

    void enter(PlannedNode running) {
        node = running;
    }

    @Override
    public int inputCount() {
        return node.inputs().length;
    }

    @Override
    public boolean hasInput(int index) {
        return index < node.inputs().length && node.inputs()[index] >= 0;
    }

    @Override
    public Tensor input(int index) {
        if (inputValue(index) instanceof Tensor tensor) {
            return tensor;
        }
        throw new IllegalArgumentException("input " + index + " must be a tensor");
    }

    @Override
    public Value inputValue(int index) {
        if (!hasInput(index)) {
            throw new IllegalArgumentException("input " + index + " is required");
        }
        return frame.value(node.inputs()[index]);
    }

    @Override
    public int outputCount() {
        return node.outputs().length;
    }

    @Override
    public boolean hasOutput(int index) {
        return index < node.outputs().length && node.outputs()[index] >= 0;
    }

    @Override
    public Tensor output(int index, DataType type, long... shape) {
        return frame.place(node.outputs()[index], type, shape);
    }

    @Override
    public Tensor view(int index, long... shape) {
        return frame.placeView(node.outputs()[index], input(node.aliases()[index]), shape);
    }

    @Override
    public void outputStrings(int index, String[] values, long... shape) {
        frame.placeStrings(node.outputs()[index], values, shape);
    }

    @Override
    public void outputValue(int index, Value value) {
        frame.placeValue(node.outputs()[index], value);
    }

    @Override
    public long bodyRuns() {
        return frame.bodyRuns();
    }

    @Override
    public DeviceBuffer scratch(int slot, long byteSize) {
        return frame.scratch(slot, byteSize);
    }

    @Override
    public DeviceStream stream() {
        return frame.stream;
    }
}
