package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/** Operators that write elements at indices into a copy of their data. */
final class ScatterKernels {
    private ScatterKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("", "Scatter", 9, ScatterKernels::scatterElements);
        registrar.register("", "ScatterElements", 11, ScatterKernels::scatterElements);
        registrar.register("", "ScatterND", 11, ScatterKernels::scatterNd);
        registrar.register("", "TensorScatter", 24, ScatterKernels::tensorScatter);
        registrar.register("", "OneHot", 9, ScatterKernels::oneHot);
    }

    /** How an update meets what is there; null replaces it. */
    private static BinaryOp reduction(Node node) {
        return switch (node.stringAttribute("reduction", "none")) {
            case "add" -> BinaryKernels.ADD;
            case "mul" -> BinaryKernels.MUL;
            case "max" -> BinaryKernels.MAX;
            case "min" -> BinaryKernels.MIN;
            default -> null;
        };
    }

    private static Tensor copyOfInput(KernelContext context) {
        Tensor data = context.input(0);
        Tensor output = Outputs.begin(context, 0, data.type(), data.shape());
        TensorIo.copy(data, 0, output, 0, TensorIo.count(data));
        return output;
    }

    private static void put(BinaryOp reduction, Tensor updates, int from, Tensor output, int to, int count) {
        if (reduction == null) {
            TensorIo.copy(updates, from, output, to, count);
            return;
        }
        for (int k = 0; k < count; k++) {
            if (output.type().isFloatingPoint()) {
                double value = reduction
                        .doubles()
                        .apply(TensorIo.getDouble(output, to + k), TensorIo.getDouble(updates, from + k));
                TensorIo.putDouble(output, to + k, value);
            } else {
                long value = reduction
                        .longsFor(output.type())
                        .apply(TensorIo.getLong(output, to + k), TensorIo.getLong(updates, from + k));
                TensorIo.putLong(output, to + k, value);
            }
        }
    }

    private static Kernel scatterElements(KernelRequest request) {
        long axisAttribute = request.node().intAttribute("axis", 0);
        BinaryOp reduction = reduction(request.node());
        return context -> {
            Tensor output = copyOfInput(context);
            Tensor indices = context.input(1);
            Tensor updates = context.input(2);
            int axis = Shapes.axis(axisAttribute, output.rank());
            int[] strides = Shapes.strides(output.shape());
            Odometer position = new Odometer(indices.shape());
            for (int k = 0; k < indices.elementCount(); k++, position.next()) {
                int at = GatherKernels.index(TensorIo.getLong(indices, k), output.dim(axis));
                int to = position.offset(strides) + (at - position.at(axis)) * strides[axis];
                put(reduction, updates, k, output, to, 1);
            }
            Outputs.finish(context, 0, output);
        };
    }

    private static Kernel scatterNd(KernelRequest request) {
        BinaryOp reduction = reduction(request.node());
        return context -> {
            Tensor output = copyOfInput(context);
            Tensor indices = context.input(1);
            Tensor updates = context.input(2);
            int depth = (int) indices.dim(-1);
            int tuples = Shapes.product(indices.shape(), 0, indices.rank() - 1);
            int inner = Shapes.product(output.shape(), depth, output.rank());
            int[] strides = Shapes.strides(output.shape());
            for (int t = 0; t < tuples; t++) {
                int to = 0;
                for (int d = 0; d < depth; d++) {
                    to += GatherKernels.index(TensorIo.getLong(indices, t * depth + d), output.dim(d)) * strides[d];
                }
                put(reduction, updates, t * inner, output, to, inner);
            }
            Outputs.finish(context, 0, output);
        };
    }

    private static Kernel tensorScatter(KernelRequest request) {
        long axisAttribute = request.node().intAttribute("axis", -2);
        boolean circular = request.node().stringAttribute("mode", "linear").equals("circular");
        return context -> {
            Tensor output = copyOfInput(context);
            Tensor update = context.input(1);
            int axis = Shapes.axis(axisAttribute, output.rank());
            int length = (int) update.dim(axis);
            int capacity = (int) output.dim(axis);
            int outer = Shapes.product(output.shape(), 0, axis);
            int perBatch = Math.max(1, outer / (int) Math.max(1, output.dim(0)));
            int inner = Shapes.product(output.shape(), axis + 1, output.rank());
            for (int o = 0; o < outer; o++) {
                long start = context.hasInput(2) ? TensorIo.getLong(context.input(2), o / perBatch) : 0;
                for (int s = 0; s < length; s++) {
                    int to = circular
                            ? (int) Math.floorMod(start + s, (long) capacity)
                            : GatherKernels.index(start + s, capacity);
                    TensorIo.copy(update, (o * length + s) * inner, output, (o * capacity + to) * inner, inner);
                }
            }
            Outputs.finish(context, 0, output);
        };
    }

    private static Kernel oneHot(KernelRequest request) {
        long axisAttribute = request.node().intAttribute("axis", -1);
        return context -> {
            Tensor indices = context.input(0);
            int depth = (int) (long) TensorIo.getDouble(context.input(1), 0);
            Tensor values = context.input(2);
            int axis = Shapes.axis(axisAttribute, indices.rank() + 1);
            long[] shape = new long[indices.rank() + 1];
            System.arraycopy(indices.shape(), 0, shape, 0, axis);
            shape[axis] = depth;
            System.arraycopy(indices.shape(), axis, shape, axis + 1, indices.rank() - axis);
            Tensor output = Outputs.begin(context, 0, values.type(), shape);
            for (int k = 0; k < output.elementCount(); k++) {
                TensorIo.copy(values, 0, output, k, 1);
            }
            int inner = Shapes.product(shape, axis + 1, shape.length);
            for (int k = 0; k < indices.elementCount(); k++) {
                long index = (long) TensorIo.getDouble(indices, k);
                index = index < 0 ? index + depth : index;
                if (index >= 0 && index < depth) {
                    int to = (int) ((k / inner * (long) depth + index) * inner + k % inner);
                    TensorIo.copy(values, 1, output, to, 1);
                }
            }
            Outputs.finish(context, 0, output);
        };
    }
}
