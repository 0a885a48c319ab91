package io.kindling.engine.session;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.PackedElements;
import io.kindling.engine.provider.DeviceStream;
import io.kindling.engine.provider.HostBuffer;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.Arrays;
import java.util.List;

/** Copies slabs, the parts of a tensor at one index of an axis, in and out of larger tensors. */
final class Slabs {
    private Slabs() {}

    /** The shape without {@code axis}. */
    static long[] without(long[] shape, int axis) {
        long[] slab = new long[shape.length - 1];
        for (int k = 0; k < slab.length; k++) {
            slab[k] = shape[k < axis ? k : k + 1];
        }
        return slab;
    }

    /** The shape with a dimension of {@code size} put in at {@code axis}. */
    static long[] with(long[] slab, int axis, long size) {
        long[] shape = new long[slab.length + 1];
        for (int k = 0; k < shape.length; k++) {
            shape[k] = k == axis ? size : slab[k < axis ? k : k - 1];
        }
        return shape;
    }

    /** An axis in [0, rank), counted from the end when negative. */
    static int axis(long axis, int rank, String operator) {
        long positive = axis < 0 ? axis + rank : axis;
        if (positive < 0 || positive >= rank) {
            throw new KindlingException(
                    ErrorCode.SHAPE_OR_TYPE, operator + ": axis " + axis + " is out of range for rank " + rank);
        }
        return (int) positive;
    }

    /** A value that outlives the storage of a frame. */
    static Value copy(DeviceStream stream, Value value) {
        if (!(value instanceof Tensor tensor)) {
            return value;
        }
        if (tensor.type() == DataType.STRING) {
            return Tensor.ofStrings(tensor.shape(), tensor.strings());
        }
        Tensor copy = Tensor.allocateHost(tensor.type(), tensor.shape());
        stream.copy(tensor.buffer(), tensor.byteOffset(), copy.buffer(), 0, tensor.byteSize());
        return copy;
    }

    /** Copies slab {@code index} of {@code whole} to {@code slab}, which has the shape without the axis. */
    static void extract(DeviceStream stream, Tensor whole, int axis, long index, Tensor slab) {
        long inner = innerCount(whole, axis);
        for (long k = 0; k < outerCount(whole, axis); k++) {
            move(stream, whole, (k * whole.dim(axis) + index) * inner, slab, k * inner, inner);
        }
    }

    /** Copies {@code slab} to index {@code index} of {@code whole}. */
    static void insert(DeviceStream stream, Tensor slab, Tensor whole, int axis, long index) {
        long inner = innerCount(whole, axis);
        for (long k = 0; k < outerCount(whole, axis); k++) {
            move(stream, slab, k * inner, whole, (k * whole.dim(axis) + index) * inner, inner);
        }
    }

    private static void move(DeviceStream stream, Tensor from, long start, Tensor to, long target, long count) {
        if (from.type() == DataType.STRING) {
            System.arraycopy(from.strings(), (int) start, to.strings(), (int) target, (int) count);
            return;
        }
        int bits = from.type().bits();
        if ((start * bits | target * bits | count * bits) % 8 == 0) {
            stream.copy(
                    from.buffer(),
                    from.byteOffset() + start * bits / 8,
                    to.buffer(),
                    to.byteOffset() + target * bits / 8,
                    count * bits / 8);
            return;
        }
        if (!(from.buffer() instanceof HostBuffer)) {
            throw new KindlingException(
                    ErrorCode.UNSUPPORTED,
                    "scanning over elements of type " + from.type().onnxName() + " is not supported on this device");
        }
        for (int k = 0; k < count; k++) {
            int element = PackedElements.get(from.bytes(), (int) start + k, bits);
            PackedElements.put(to.bytes(), (int) target + k, element, bits);
        }
    }

    /** A tensor to fill: strings on the heap, which {@link #placed} hands over, else the output's own storage. */
    static Tensor place(Frame frame, int outputId, DataType type, long[] shape) {
        return type == DataType.STRING ? strings(shape) : frame.place(outputId, type, shape);
    }

    static void placed(Frame frame, int outputId, Tensor filled) {
        if (filled.type() == DataType.STRING) {
            frame.placeStrings(outputId, filled.strings(), filled.shape());
        }
    }

    static Tensor strings(long[] shape) {
        String[] strings = new String[Math.toIntExact(Tensor.count(shape))];
        Arrays.fill(strings, "");
        return Tensor.ofStrings(shape, strings);
    }

    /** Stacks slabs along {@code axis}, the last first when {@code reverse}, as the output of the running node. */
    static void stack(Frame frame, int outputId, List<Value> slabs, int axis, boolean reverse, String operator) {
        Tensor first = (Tensor) slabs.get(0);
        int placedAxis = axis(axis, first.rank() + 1, operator);
        Tensor whole = place(frame, outputId, first.type(), with(first.shape(), placedAxis, slabs.size()));
        for (int k = 0; k < slabs.size(); k++) {
            Tensor slab = (Tensor) slabs.get(k);
            if (!Arrays.equals(slab.shape(), first.shape()) || slab.type() != first.type()) {
                throw new KindlingException(
                        ErrorCode.SHAPE_OR_TYPE,
                        operator + ": scan output changes from " + first + " to " + slab + " at iteration " + k);
            }
            insert(frame.stream, slab, whole, placedAxis, reverse ? slabs.size() - 1 - k : k);
        }
        placed(frame, outputId, whole);
    }

    private static long innerCount(Tensor whole, int axis) {
        long inner = 1;
        for (int k = axis + 1; k < whole.rank(); k++) {
            inner *= whole.dim(k);
        }
        return inner;
    }

    private static long outerCount(Tensor whole, int axis) {
        long outer = 1;
        for (int k = 0; k < axis; k++) {
            outer *= whole.dim(k);
        }
        return outer;
    }
}
