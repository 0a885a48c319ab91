package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/** Operators whose output follows from counting: ranges, running sums, order statistics, positions. */
final class GeneratorKernels {
    private GeneratorKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("", "Range", 11, request -> GeneratorKernels::range);
        registrar.register("", "CumSum", 11, request -> cumulative(request, BinaryKernels.ADD, 0));
        registrar.register("", "CumProd", 26, request -> cumulative(request, BinaryKernels.MUL, 1));
        registrar.register("", "NonZero", 9, request -> GeneratorKernels::nonZero);
        registrar.register("", "TopK", 1, GeneratorKernels::topK);
        registrar.register("", "EyeLike", 9, GeneratorKernels::eyeLike);
    }

    private static void range(KernelContext context) {
        Tensor start = context.input(0);
        Tensor limit = context.input(1);
        Tensor delta = context.input(2);
        if (start.type().isFloatingPoint()) {
            double from = TensorIo.getDouble(start, 0);
            double step = TensorIo.getDouble(delta, 0);
            long count = (long) Math.max(0, Math.ceil((TensorIo.getDouble(limit, 0) - from) / step));
            Tensor y = context.output(0, start.type(), count);
            for (int k = 0; k < count; k++) {
                TensorIo.putDouble(y, k, from + k * step);
            }
            return;
        }
        long from = TensorIo.getLong(start, 0);
        long step = TensorIo.getLong(delta, 0);
        long span = TensorIo.getLong(limit, 0) - from;
        long count = step == 0 || (span > 0) != (step > 0) || span == 0 ? 0 : (span - Long.signum(step)) / step + 1;
        Tensor y = context.output(0, start.type(), count);
        for (int k = 0; k < count; k++) {
            TensorIo.putLong(y, k, from + k * step);
        }
    }

    private static Kernel cumulative(KernelRequest request, BinaryOp op, int neutral) {
        boolean exclusive = request.node().intAttribute("exclusive", 0) != 0;
        boolean reverse = request.node().intAttribute("reverse", 0) != 0;
        return context -> {
            Tensor x = context.input(0);
            int axis = Shapes.axis(TensorIo.getLong(context.input(1), 0), x.rank());
            Tensor y = context.output(0, x.type(), x.shape());
            int size = (int) x.dim(axis);
            int inner = Shapes.product(x.shape(), axis + 1, x.rank());
            int lines = size == 0 ? 0 : TensorIo.count(x) / size;
            for (int line = 0; line < lines; line++) {
                int base = line / inner * size * inner + line % inner;
                double sum = neutral;
                long longSum = neutral;
                for (int k = 0; k < size; k++) {
                    int at = base + (reverse ? size - 1 - k : k) * inner;
                    if (x.type().isFloatingPoint()) {
                        double next = op.doubles().apply(sum, TensorIo.getDouble(x, at));
                        TensorIo.putDouble(y, at, exclusive ? sum : next);
                        sum = next;
                    } else {
                        long next = op.longs().apply(longSum, TensorIo.getLong(x, at));
                        TensorIo.putLong(y, at, exclusive ? longSum : next);
                        longSum = next;
                    }
                }
            }
        };
    }

    private static void nonZero(KernelContext context) {
        Tensor x = context.input(0);
        int total = TensorIo.count(x);
        int[] hits = new int[total];
        int count = 0;
        for (int k = 0; k < total; k++) {
            if (isNonZero(x, k)) {
                hits[count++] = k;
            }
        }
        // A scalar counts as a vector of one.
        int rank = Math.max(1, x.rank());
        int[] strides = x.rank() == 0 ? new int[] {1} : Shapes.strides(x.shape());
        Tensor y = context.output(0, DataType.INT64, rank, count);
        for (int axis = 0; axis < rank; axis++) {
            for (int k = 0; k < count; k++) {
                long position = hits[k] / strides[axis];
                y.longs().put(axis * count + k, axis == 0 ? position : position % x.dim(axis));
            }
        }
    }

    /** Strings are false when empty. */
    private static boolean isNonZero(Tensor x, int index) {
        if (x.type() == DataType.STRING) {
            return !x.strings()[index].isEmpty();
        }
        if (ComplexNumbers.is(x.type())) {
            Tensor parts = ComplexNumbers.parts(x);
            return TensorIo.getDouble(parts, 2 * index) != 0 || TensorIo.getDouble(parts, 2 * index + 1) != 0;
        }
        return TensorIo.getDouble(x, index) != 0;
    }

    private static Kernel topK(KernelRequest request) {
        Node node = request.node();
        long axisAttribute = node.intAttribute("axis", -1);
        boolean largest = node.intAttribute("largest", 1) != 0;
        long attribute = node.intAttribute("k", -1);
        return context -> {
            Tensor x = context.input(0);
            int axis = Shapes.axis(axisAttribute, x.rank());
            int k = (int) (attribute >= 0 ? attribute : TensorIo.getLong(context.input(1), 0));
            long[] shape = x.shape().clone();
            int size = (int) shape[axis];
            if (k < 0 || k > size) {
                throw Shapes.invalid("K = " + k + " is outside an axis of " + size);
            }
            shape[axis] = k;
            Tensor values = context.output(0, x.type(), shape);
            Tensor indices = context.hasOutput(1) ? context.output(1, DataType.INT64, shape) : null;
            int inner = Shapes.product(x.shape(), axis + 1, x.rank());
            int lines = size == 0 ? 0 : TensorIo.count(x) / size;
            Integer[] order = new Integer[size];
            for (int line = 0; line < lines; line++) {
                int base = line / inner * size * inner + line % inner;
                for (int i = 0; i < size; i++) {
                    order[i] = i;
                }
                // The sort is stable, so equal values keep the order of their indices.
                Arrays.sort(order, (l, r) -> {
                    int compared = ReduceKernels.compare(x, base + l * inner, base + r * inner);
                    return largest ? -compared : compared;
                });
                int to = line / inner * k * inner + line % inner;
                for (int i = 0; i < k; i++) {
                    TensorIo.copy(x, base + order[i] * inner, values, to + i * inner, 1);
                    if (indices != null) {
                        indices.longs().put(to + i * inner, order[i]);
                    }
                }
            }
        };
    }

    private static Kernel eyeLike(KernelRequest request) {
        int shift = (int) request.node().intAttribute("k", 0);
        DataType wanted =
                DataType.ofCode((int) request.node().intAttribute("dtype", 0)).orElse(null);
        return context -> {
            Tensor x = context.input(0);
            Tensor y = context.output(0, wanted == null ? x.type() : wanted, x.shape());
            int columns = (int) x.dim(1);
            for (int k = 0; k < x.elementCount(); k++) {
                boolean one = k % columns - k / columns == shift;
                if (y.type().isFloatingPoint()) {
                    TensorIo.putDouble(y, k, one ? 1 : 0);
                } else {
                    TensorIo.putLong(y, k, one ? 1 : 0);
                }
            }
        };
    }
}
