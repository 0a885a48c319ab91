package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/** {@code Pad}, {@code CenterCropPad} and {@code Clip}: operators that cut a tensor, or its values, to bounds. */
final class PadKernels {
    private PadKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("", "Pad", 1, PadKernels::pad);
        registrar.register("com.microsoft", "Pad", 1, PadKernels::pad);
        registrar.register("", "CenterCropPad", 18, PadKernels::centerCropPad);
        registrar.register("", "Clip", 1, PadKernels::clip);
    }

    private static Kernel pad(KernelRequest request) {
        Node node = request.node();
        String mode = node.stringAttribute("mode", "constant");
        // Version 1 spelt it differently.
        long[] attribute = node.intsAttribute("pads")
                .or(() -> node.intsAttribute("paddings"))
                .orElse(null);
        float value = node.floatAttribute("value", 0);
        return context -> {
            Tensor x = context.input(0);
            long[] pads = attribute != null ? attribute : TensorIo.longs(context.input(1));
            long[] before = new long[x.rank()];
            long[] after = new long[x.rank()];
            long[] axes = context.hasInput(3) ? TensorIo.longs(context.input(3)) : null;
            int padded = pads.length / 2;
            for (int k = 0; k < padded; k++) {
                int axis = axes == null ? k : Shapes.axis(axes[k], x.rank());
                before[axis] = pads[k];
                after[axis] = pads[k + padded];
            }
            pad(context, x, before, after, mode, fill(context, x.type(), value));
        };
    }

    /** A scalar of x's type: input 2 where it is there, else the attribute. */
    private static Tensor fill(KernelContext context, DataType type, float value) {
        if (context.hasInput(2)) {
            return context.input(2);
        }
        Tensor scalar = zero(type);
        if (value != 0) {
            TensorIo.putDouble(scalar, 0, value);
        }
        return scalar;
    }

    private static void pad(
            KernelContext context, Tensor x, long[] before, long[] after, String mode, Tensor constant) {
        long[] shape = new long[x.rank()];
        for (int axis = 0; axis < shape.length; axis++) {
            shape[axis] = x.dim(axis) + before[axis] + after[axis];
        }
        Tensor y = Outputs.begin(context, 0, x.type(), shape);
        int[] strides = Shapes.strides(x.shape());
        Odometer position = new Odometer(shape);
        for (int k = 0; k < y.elementCount(); k++, position.next()) {
            int from = 0;
            for (int axis = 0; axis < shape.length && from >= 0; axis++) {
                long at = source(position.at(axis) - before[axis], x.dim(axis), mode);
                from = at < 0 ? -1 : from + (int) at * strides[axis];
            }
            if (from < 0) {
                TensorIo.copy(constant, 0, y, k, 1);
            } else {
                TensorIo.copy(x, from, y, k, 1);
            }
        }
        Outputs.finish(context, 0, y);
    }

    /** Where an index outside the axis reads from, or −1 for the constant. */
    private static long source(long index, long size, String mode) {
        if (index >= 0 && index < size) {
            return index;
        }
        return switch (mode) {
            case "edge" -> Math.max(0, Math.min(size - 1, index));
            case "wrap" -> Math.floorMod(index, size);
            case "reflect" -> {
                if (size == 1) {
                    yield 0;
                }
                long period = Math.floorMod(index, 2 * (size - 1));
                yield Math.min(period, 2 * (size - 1) - period);
            }
            default -> -1;
        };
    }

    private static Kernel centerCropPad(KernelRequest request) {
        long[] attribute = request.node().intsAttribute("axes").orElse(null);
        return context -> {
            Tensor x = context.input(0);
            long[] wanted = TensorIo.longs(context.input(1));
            long[] before = new long[x.rank()];
            long[] after = new long[x.rank()];
            for (int k = 0; k < wanted.length; k++) {
                int axis = attribute == null ? k : Shapes.axis(attribute[k], x.rank());
                long extra = wanted[k] - x.dim(axis);
                // Both crops and pads put the odd element at the end.
                before[axis] = extra >= 0 ? extra / 2 : -(-extra / 2);
                after[axis] = extra - before[axis];
            }
            pad(context, x, before, after, "constant", zero(x.type()));
        };
    }

    private static Tensor zero(DataType type) {
        return type == DataType.STRING ? Tensor.ofStrings(Shapes.SCALAR, "") : Tensor.allocateHost(type);
    }

    private static Kernel clip(KernelRequest request) {
        Node node = request.node();
        float low = node.floatAttribute("min", Float.NEGATIVE_INFINITY);
        float high = node.floatAttribute("max", Float.POSITIVE_INFINITY);
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.output(0, x.type(), x.shape());
            Tensor current = x;
            if (context.hasInput(1)) {
                Elementwise.binary(BinaryKernels.MAX, current, context.input(1), y);
                current = y;
            }
            if (context.hasInput(2)) {
                Elementwise.binary(BinaryKernels.MIN, current, context.input(2), y);
                current = y;
            }
            if (current == x) {
                TensorIo.copy(x, 0, y, 0, TensorIo.count(x));
                if (x.type().isFloatingPoint()) {
                    for (int k = 0; k < y.elementCount(); k++) {
                        TensorIo.putDouble(y, k, Math.min(high, Math.max(low, TensorIo.getDouble(y, k))));
                    }
                }
            }
        };
    }
}
