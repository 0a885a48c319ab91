package io.kindling.engine.session;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.ArrayList;
import java.util.List;

/** What the iterations of a loop body leave: carried values and scan outputs. Owns the storage it took until closed. */
final class BodyResults implements AutoCloseable {
    private final Frame frame;
    private final Value[] carried;
    private final boolean[] owned;
    private final List<List<Value>> scans = new ArrayList<>();

    /** @param initial carried values before the first iteration; they stay their owner's */
    BodyResults(Frame frame, Value[] initial, int scanCount) {
        this.frame = frame;
        carried = initial.clone();
        owned = new boolean[initial.length];
        for (int k = 0; k < scanCount; k++) {
            scans.add(new ArrayList<>());
        }
    }

    Value carried(int index) {
        return carried[index];
    }

    /** Takes the results of an iteration: carried values first, then scan outputs, from output {@code first} of the body on. */
    void collect(Frame child, int first) {
        int[] outputs = child.plan.outputIds();
        Value[] next = new Value[carried.length];
        for (int k = 0; k < carried.length; k++) {
            next[k] = takeFrom(child, outputs[first + k]);
        }
        for (int k = 0; k < scans.size(); k++) {
            scans.get(k).add(takeFrom(child, outputs[first + carried.length + k]));
        }
        for (int k = 0; k < carried.length; k++) {
            release(carried[k], owned[k]);
            carried[k] = next[k];
            owned[k] = next[k] instanceof Tensor;
        }
    }

    /** Gives carried value {@code index} to an output of the node. */
    void handOver(int index, int outputId) {
        if (!(carried[index] instanceof Tensor tensor)) {
            frame.placeValue(outputId, carried[index]);
        } else if (owned[index]) {
            frame.adoptOwned(outputId, tensor);
            owned[index] = false;
        } else {
            frame.copyIn(outputId, tensor);
        }
    }

    /** Stacks scan output {@code index}; without iterations it is empty, of the declared type. */
    void stackScan(int index, int outputId, int axis, boolean reverse, ValueInfo declared, String operator) {
        List<Value> slabs = scans.get(index);
        if (!slabs.isEmpty()) {
            Slabs.stack(frame, outputId, slabs, axis, reverse, operator);
            return;
        }
        ValueType.TensorType type = declared.type() instanceof ValueType.TensorType known
                ? known
                : new ValueType.TensorType(java.util.Optional.empty(), java.util.Optional.empty());
        long[] slab = type.shape().orElse(List.of()).stream()
                .mapToLong(dimension -> dimension instanceof Dimension.Known known ? known.size() : 0)
                .toArray();
        int placedAxis = Slabs.axis(axis, slab.length + 1, operator);
        DataType element = type.elementType().orElse(DataType.FLOAT);
        Slabs.placed(frame, outputId, Slabs.place(frame, outputId, element, Slabs.with(slab, placedAxis, 0)));
    }

    private static Value takeFrom(Frame child, int id) {
        return child.value(id) instanceof Tensor ? child.take(id) : child.value(id);
    }

    private static void release(Value value, boolean owned) {
        if (owned && value instanceof Tensor tensor) {
            tensor.close();
        }
    }

    @Override
    public void close() {
        for (int k = 0; k < carried.length; k++) {
            release(carried[k], owned[k]);
        }
        scans.forEach(slabs -> slabs.forEach(slab -> release(slab, true)));
    }
}
