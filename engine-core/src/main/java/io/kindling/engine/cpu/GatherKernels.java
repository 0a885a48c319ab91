package io.kindling.engine.cpu;

import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/** Operators that pick elements by index: {@code Gather}, {@code GatherElements}, {@code GatherND}, {@code Compress}. */
final class GatherKernels {
    private GatherKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("", "Gather", 1, GatherKernels::gather);
        registrar.register("", "GatherElements", 11, GatherKernels::gatherElements);
        registrar.register("", "GatherND", 11, GatherKernels::gatherNd);
        registrar.register("com.microsoft", "GatherND", 1, GatherKernels::gatherNd);
        registrar.register("", "Compress", 9, GatherKernels::compress);
    }

    /** An index from 0, which counts from the end where negative. */
    static int index(long index, long size) {
        long result = index < 0 ? index + size : index;
        if (result < 0 || result >= size) {
            throw Shapes.invalid("index " + index + " is outside an axis of " + size);
        }
        return (int) result;
    }

    private static Kernel gather(KernelRequest request) {
        long axisAttribute = request.node().intAttribute("axis", 0);
        return context -> {
            Tensor data = context.input(0);
            Tensor indices = context.input(1);
            int axis = Shapes.axis(axisAttribute, data.rank());
            long[] shape = new long[data.rank() - 1 + indices.rank()];
            System.arraycopy(data.shape(), 0, shape, 0, axis);
            System.arraycopy(indices.shape(), 0, shape, axis, indices.rank());
            System.arraycopy(data.shape(), axis + 1, shape, axis + indices.rank(), data.rank() - axis - 1);
            Tensor output = Outputs.begin(context, 0, data.type(), shape);
            int outer = Shapes.product(data.shape(), 0, axis);
            int inner = Shapes.product(data.shape(), axis + 1, data.rank());
            int size = (int) data.dim(axis);
            int count = TensorIo.count(indices);
            for (int o = 0; o < outer; o++) {
                for (int i = 0; i < count; i++) {
                    int from = index(TensorIo.getLong(indices, i), size);
                    TensorIo.copy(data, (o * size + from) * inner, output, (o * count + i) * inner, inner);
                }
            }
            Outputs.finish(context, 0, output);
        };
    }

    private static Kernel gatherElements(KernelRequest request) {
        long axisAttribute = request.node().intAttribute("axis", 0);
        return context -> {
            Tensor data = context.input(0);
            Tensor indices = context.input(1);
            int axis = Shapes.axis(axisAttribute, data.rank());
            Tensor output = Outputs.begin(context, 0, data.type(), indices.shape());
            int[] strides = Shapes.strides(data.shape());
            Odometer position = new Odometer(indices.shape());
            for (int k = 0; k < indices.elementCount(); k++, position.next()) {
                int from = (index(TensorIo.getLong(indices, k), data.dim(axis)) - position.at(axis)) * strides[axis]
                        + position.offset(strides);
                TensorIo.copy(data, from, output, k, 1);
            }
            Outputs.finish(context, 0, output);
        };
    }

    private static Kernel gatherNd(KernelRequest request) {
        int batchDims = (int) request.node().intAttribute("batch_dims", 0);
        return context -> {
            Tensor data = context.input(0);
            Tensor indices = context.input(1);
            int depth = (int) indices.dim(-1);
            int first = indices.rank() - 1;
            long[] shape = new long[first + data.rank() - batchDims - depth];
            System.arraycopy(indices.shape(), 0, shape, 0, first);
            System.arraycopy(data.shape(), batchDims + depth, shape, first, shape.length - first);
            Tensor output = Outputs.begin(context, 0, data.type(), shape);
            int[] strides = Shapes.strides(data.shape());
            int inner = Shapes.product(data.shape(), batchDims + depth, data.rank());
            int perBatch = Shapes.product(indices.shape(), batchDims, first);
            int batchSize = Shapes.product(data.shape(), batchDims, data.rank());
            int tuples = Shapes.product(indices.shape(), 0, first);
            for (int t = 0; t < tuples; t++) {
                int from = t / Math.max(perBatch, 1) * batchSize;
                for (int d = 0; d < depth; d++) {
                    int axis = batchDims + d;
                    from += index(TensorIo.getLong(indices, t * depth + d), data.dim(axis)) * strides[axis];
                }
                TensorIo.copy(data, from, output, t * inner, inner);
            }
            Outputs.finish(context, 0, output);
        };
    }

    private static Kernel compress(KernelRequest request) {
        boolean flat = request.node().attribute("axis").isEmpty();
        long axisAttribute = request.node().intAttribute("axis", 0);
        return context -> compress(context, flat, axisAttribute);
    }

    private static void compress(KernelContext context, boolean flat, long axisAttribute) {
        Tensor data = context.input(0);
        Tensor condition = context.input(1);
        int axis = flat ? 0 : Shapes.axis(axisAttribute, data.rank());
        int size = flat ? TensorIo.count(data) : (int) data.dim(axis);
        int outer = flat ? 1 : Shapes.product(data.shape(), 0, axis);
        int inner = flat ? 1 : Shapes.product(data.shape(), axis + 1, data.rank());
        int limit = (int) Math.min(size, condition.elementCount());
        int kept = 0;
        for (int k = 0; k < limit; k++) {
            kept += condition.bytes().get(k) == 0 ? 0 : 1;
        }
        long[] shape = flat ? new long[] {kept} : data.shape().clone();
        shape[axis] = kept;
        Tensor output = Outputs.begin(context, 0, data.type(), shape);
        int to = 0;
        for (int o = 0; o < outer; o++) {
            for (int k = 0; k < limit; k++) {
                if (condition.bytes().get(k) != 0) {
                    TensorIo.copy(data, (o * size + k) * inner, output, to, inner);
                    to += inner;
                }
            }
        }
        Outputs.finish(context, 0, output);
    }
}
