package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/** Operators that move elements without computing: joining, cutting, reordering and repeating. All element types. */
final class LayoutKernels {
    private LayoutKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("", "Concat", 1, request -> {
            // Version 1 joined along axis 1 unless told otherwise.
            long axis = request.node().intAttribute("axis", 1);
            return context -> concat(context, axis);
        });
        registrar.register("", "Split", 1, LayoutKernels::split);
        registrar.register("", "Slice", 1, LayoutKernels::slice);
        registrar.register("", "Transpose", 1, LayoutKernels::transpose);
        registrar.register(
                "",
                "Expand",
                8,
                request -> context ->
                        expand(context, Shapes.broadcast(context.input(0).shape(), TensorIo.longs(context.input(1)))));
        // Version 1 repeated along one axis: inputs tiles and axis.
        registrar.register("", "Tile", 1, request -> context -> {
            long[] repeats = new long[context.input(0).rank()];
            Arrays.fill(repeats, 1);
            int axis = Shapes.axis((long) TensorIo.getDouble(context.input(2), 0), repeats.length);
            repeats[axis] = (long) TensorIo.getDouble(context.input(1), 0);
            tile(context, repeats);
        });
        registrar.register("", "Tile", 6, request -> context -> tile(context, TensorIo.longs(context.input(1))));
        registrar.register("", "Where", 9, request -> LayoutKernels::where);
        registrar.register("", "Trilu", 14, LayoutKernels::trilu);
        registrar.register("com.microsoft", "Trilu", 1, LayoutKernels::trilu);
        registrar.register("", "DepthToSpace", 1, request -> depthToSpace(request.node()));
        registrar.register("", "SpaceToDepth", 1, request -> spaceToDepth(request.node()));
        registrar.register("", "ReverseSequence", 10, LayoutKernels::reverseSequence);
    }

    private static void concat(KernelContext context, long axisAttribute) {
        Tensor first = context.input(0);
        int axis = Shapes.axis(axisAttribute, first.rank());
        long[] shape = first.shape().clone();
        for (int k = 1; k < context.inputCount(); k++) {
            shape[axis] += context.input(k).dim(axis);
        }
        Tensor output = Outputs.begin(context, 0, first.type(), shape);
        int outer = Shapes.product(shape, 0, axis);
        int row = Shapes.product(shape, axis, shape.length);
        int to = 0;
        for (int k = 0; k < context.inputCount(); k++) {
            Tensor part = context.input(k);
            if (part.type() != first.type() || part.rank() != first.rank()) {
                throw Shapes.invalid(first + " and " + part + " cannot be joined");
            }
            int partRow = Shapes.product(part.shape(), axis, part.rank());
            for (int o = 0; o < outer; o++) {
                TensorIo.copy(part, o * partRow, output, o * row + to, partRow);
            }
            to += partRow;
        }
        Outputs.finish(context, 0, output);
    }

    private static Kernel split(KernelRequest request) {
        Node node = request.node();
        long axisAttribute = node.intAttribute("axis", 0);
        long[] attribute = node.intsAttribute("split").orElse(null);
        return context -> {
            Tensor x = context.input(0);
            int axis = Shapes.axis(axisAttribute, x.rank());
            long[] sizes = sizes(context, attribute);
            if (sizes == null) {
                int parts = context.outputCount();
                long chunk = (x.dim(axis) + parts - 1) / parts;
                sizes = new long[parts];
                for (int k = 0; k < parts; k++) {
                    sizes[k] = Math.max(0, Math.min(chunk, x.dim(axis) - k * chunk));
                }
            }
            int outer = Shapes.product(x.shape(), 0, axis);
            int inner = Shapes.product(x.shape(), axis + 1, x.rank());
            int row = (int) x.dim(axis) * inner;
            int from = 0;
            for (int k = 0; k < sizes.length; k++) {
                int partRow = (int) sizes[k] * inner;
                if (context.hasOutput(k)) {
                    long[] shape = x.shape().clone();
                    shape[axis] = sizes[k];
                    Tensor part = Outputs.begin(context, k, x.type(), shape);
                    for (int o = 0; o < outer; o++) {
                        TensorIo.copy(x, o * row + from, part, o * partRow, partRow);
                    }
                    Outputs.finish(context, k, part);
                }
                from += partRow;
            }
        };
    }

    /** From the attribute, or input 1, which version 1 gave the type of the data. */
    private static long[] sizes(KernelContext context, long[] attribute) {
        if (attribute != null || !context.hasInput(1)) {
            return attribute;
        }
        long[] sizes = new long[TensorIo.count(context.input(1))];
        for (int k = 0; k < sizes.length; k++) {
            sizes[k] = (long) TensorIo.getDouble(context.input(1), k);
        }
        return sizes;
    }

    private static Kernel slice(KernelRequest request) {
        long[] starts = request.node().intsAttribute("starts").orElse(null);
        long[] ends = request.node().intsAttribute("ends").orElse(null);
        long[] axes = request.node().intsAttribute("axes").orElse(null);
        return context -> {
            Tensor x = context.input(0);
            long[] from = starts != null ? starts : TensorIo.longs(context.input(1));
            long[] to = ends != null ? ends : TensorIo.longs(context.input(2));
            long[] along = axes != null || !context.hasInput(3) ? axes : TensorIo.longs(context.input(3));
            long[] steps = context.hasInput(4) ? TensorIo.longs(context.input(4)) : null;
            long[] shape = x.shape().clone();
            int[] first = new int[x.rank()];
            int[] step = new int[x.rank()];
            Arrays.fill(step, 1);
            for (int k = 0; k < from.length; k++) {
                int axis = along == null ? k : Shapes.axis(along[k], x.rank());
                long size = x.dim(axis);
                long stride = steps == null ? 1 : steps[k];
                long begin = clamp(from[k], size, stride < 0);
                long end = clamp(to[k], size, stride < 0);
                long span = stride > 0 ? end - begin : begin - end;
                shape[axis] = span <= 0 ? 0 : (span - 1) / Math.abs(stride) + 1;
                first[axis] = (int) begin;
                // A stride beyond the axis picks one element, whatever its size.
                step[axis] = (int) Math.max(-size - 1, Math.min(size + 1, stride));
            }
            Tensor output = Outputs.begin(context, 0, x.type(), shape);
            int[] strides = Shapes.strides(x.shape());
            int base = 0;
            int[] walk = new int[x.rank()];
            for (int k = 0; k < x.rank(); k++) {
                base += first[k] * strides[k];
                walk[k] = step[k] * strides[k];
            }
            gather(x, base, walk, output);
            Outputs.finish(context, 0, output);
        };
    }

    /** Bounds of ONNX Slice: from the end where negative, then into the axis; backward walks may end before its start. */
    private static long clamp(long index, long size, boolean backward) {
        long from = index < 0 ? index + size : index;
        return backward ? Math.max(-1, Math.min(size - 1, from)) : Math.max(0, Math.min(size, from));
    }

    /** Fills the output with elements of x found by strides of its own for each output axis. */
    static void gather(Tensor x, int base, int[] strides, Tensor output) {
        long[] shape = output.shape();
        int total = TensorIo.count(output);
        if (total == 0) {
            return;
        }
        int run = 1;
        int rank = shape.length;
        while (rank > 0 && (strides[rank - 1] == run || shape[rank - 1] == 1)) {
            run *= (int) shape[--rank];
        }
        Odometer position = new Odometer(Arrays.copyOf(shape, rank));
        int[] outer = Arrays.copyOf(strides, rank);
        for (int to = 0; to < total; to += run, position.next()) {
            TensorIo.copy(x, base + position.offset(outer), output, to, run);
        }
    }

    private static Kernel transpose(KernelRequest request) {
        long[] attribute = request.node().intsAttribute("perm").orElse(null);
        return context -> {
            Tensor x = context.input(0);
            int rank = x.rank();
            int[] strides = Shapes.strides(x.shape());
            long[] shape = new long[rank];
            int[] walk = new int[rank];
            for (int k = 0; k < rank; k++) {
                int axis = attribute == null ? rank - 1 - k : Shapes.axis(attribute[k], rank);
                shape[k] = x.dim(axis);
                walk[k] = strides[axis];
            }
            Tensor output = Outputs.begin(context, 0, x.type(), shape);
            gather(x, 0, walk, output);
            Outputs.finish(context, 0, output);
        };
    }

    private static void expand(KernelContext context, long[] shape) {
        Tensor x = context.input(0);
        Tensor output = Outputs.begin(context, 0, x.type(), shape);
        gather(x, 0, Shapes.broadcastStrides(x.shape(), shape), output);
        Outputs.finish(context, 0, output);
    }

    private static void tile(KernelContext context, long[] repeats) {
        Tensor x = context.input(0);
        // Each axis becomes two: the repetition, which stands still, and the axis itself.
        long[] shape = new long[x.rank()];
        long[] split = new long[2 * x.rank()];
        int[] walk = new int[2 * x.rank()];
        int[] strides = Shapes.strides(x.shape());
        for (int k = 0; k < x.rank(); k++) {
            shape[k] = x.dim(k) * repeats[k];
            split[2 * k] = repeats[k];
            split[2 * k + 1] = x.dim(k);
            walk[2 * k + 1] = strides[k];
        }
        Tensor output = Outputs.begin(context, 0, x.type(), shape);
        gather(x, 0, walk, Outputs.reshaped(output, split));
        Outputs.finish(context, 0, output);
    }

    private static void where(KernelContext context) {
        Tensor condition = context.input(0);
        Tensor x = context.input(1);
        Tensor y = context.input(2);
        long[] shape = Shapes.broadcast(condition.shape(), x.shape(), y.shape());
        Tensor output = Outputs.begin(context, 0, x.type(), shape);
        new BroadcastLoop(shape, condition.shape(), x.shape(), y.shape()).forEach((out, in, count, strides) -> {
            for (int k = 0; k < count; k++) {
                if (condition.bytes().get(in[0] + k * strides[0]) != 0) {
                    TensorIo.copy(x, in[1] + k * strides[1], output, out + k, 1);
                } else {
                    TensorIo.copy(y, in[2] + k * strides[2], output, out + k, 1);
                }
            }
        });
        Outputs.finish(context, 0, output);
    }

    private static Kernel trilu(KernelRequest request) {
        boolean upper = request.node().intAttribute("upper", 1) != 0;
        return context -> {
            Tensor x = context.input(0);
            long shift = context.hasInput(1) ? TensorIo.getLong(context.input(1), 0) : 0;
            Tensor y = Outputs.begin(context, 0, x.type(), x.shape());
            TensorIo.copy(x, 0, y, 0, TensorIo.count(x));
            int rows = (int) x.dim(-2);
            int columns = (int) x.dim(-1);
            for (int k = 0; k < x.elementCount(); k++) {
                long diagonal = k % columns - k / columns % rows - shift;
                if (upper ? diagonal < 0 : diagonal > 0) {
                    TensorIo.clear(y, k, 1);
                }
            }
            Outputs.finish(context, 0, y);
        };
    }

    private static Kernel depthToSpace(Node node) {
        int block = (int) node.intAttribute("blocksize", 1);
        boolean columnFirst = node.stringAttribute("mode", "DCR").equals("CRD");
        return context -> {
            Tensor x = context.input(0);
            int[] s = Shapes.strides(x.shape());
            int depth = (int) x.dim(1) / (block * block);
            Tensor y = Outputs.begin(context, 0, x.type(), x.dim(0), depth, x.dim(2) * block, x.dim(3) * block);
            long[] split = {x.dim(0), depth, x.dim(2), block, x.dim(3), block};
            int channel = columnFirst ? block * block : 1;
            int blockRow = columnFirst ? block : block * depth;
            int blockColumn = columnFirst ? 1 : depth;
            int[] walk = {s[0], channel * s[1], s[2], blockRow * s[1], s[3], blockColumn * s[1]};
            gather(x, 0, walk, Outputs.reshaped(y, split));
            Outputs.finish(context, 0, y);
        };
    }

    private static Kernel spaceToDepth(Node node) {
        int block = (int) node.intAttribute("blocksize", 1);
        boolean columnFirst = node.stringAttribute("mode", "DCR").equals("CRD");
        return context -> {
            Tensor x = context.input(0);
            int[] s = Shapes.strides(x.shape());
            long height = x.dim(2) / block;
            long width = x.dim(3) / block;
            Tensor y = Outputs.begin(context, 0, x.type(), x.dim(0), x.dim(1) * block * block, height, width);
            long[] split = columnFirst
                    ? new long[] {x.dim(0), x.dim(1), block, block, height, width}
                    : new long[] {x.dim(0), block, block, x.dim(1), height, width};
            int[] walk = columnFirst
                    ? new int[] {s[0], s[1], s[2], s[3], block * s[2], block * s[3]}
                    : new int[] {s[0], s[2], s[3], s[1], block * s[2], block * s[3]};
            gather(x, 0, walk, Outputs.reshaped(y, split));
            Outputs.finish(context, 0, y);
        };
    }

    private static Kernel reverseSequence(KernelRequest request) {
        int timeAxis = (int) request.node().intAttribute("time_axis", 0);
        int batchAxis = (int) request.node().intAttribute("batch_axis", 1);
        return context -> {
            Tensor x = context.input(0);
            Tensor lengths = context.input(1);
            Tensor y = Outputs.begin(context, 0, x.type(), x.shape());
            int[] strides = Shapes.strides(x.shape());
            Odometer position = new Odometer(x.shape());
            for (int k = 0; k < x.elementCount(); k++, position.next()) {
                int time = position.at(timeAxis);
                int length = (int) TensorIo.getLong(lengths, position.at(batchAxis));
                int from = time < length ? length - 1 - time : time;
                TensorIo.copy(x, k + (from - time) * strides[timeAxis], y, k, 1);
            }
            Outputs.finish(context, 0, y);
        };
    }
}
