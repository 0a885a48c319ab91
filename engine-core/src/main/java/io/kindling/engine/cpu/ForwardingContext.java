package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.DeviceBuffer;
import io.kindling.engine.provider.DeviceStream;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;

/** A context as it is; subclasses change what a kernel inside another kernel sees. */
class ForwardingContext implements KernelContext {
    private final KernelContext context;

    ForwardingContext(KernelContext context) {
        this.context = context;
    }

    @Override
    public int inputCount() {
        return context.inputCount();
    }

    @Override
    public boolean hasInput(int index) {
        return context.hasInput(index);
    }

    @Override
    public Tensor input(int index) {
        return context.input(index);
    }

    @Override
    public Value inputValue(int index) {
        return context.inputValue(index);
    }

    @Override
    public int outputCount() {
        return context.outputCount();
    }

    @Override
    public boolean hasOutput(int index) {
        return context.hasOutput(index);
    }

    @Override
    public Tensor output(int index, DataType type, long... shape) {
        return context.output(index, type, shape);
    }

    @Override
    public Tensor view(int index, long... shape) {
        return context.view(index, shape);
    }

    @Override
    public void outputStrings(int index, String[] values, long... shape) {
        context.outputStrings(index, values, shape);
    }

    @Override
    public void outputValue(int index, Value value) {
        context.outputValue(index, value);
    }

    @Override
    public long bodyRuns() {
        return context.bodyRuns();
    }

    @Override
    public DeviceBuffer scratch(int slot, long byteSize) {
        return context.scratch(slot, byteSize);
    }

    @Override
    public DeviceStream stream() {
        return context.stream();
    }
}
