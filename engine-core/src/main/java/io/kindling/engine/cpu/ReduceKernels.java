package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;

/**
 * Reductions over axes, in index order and in double for floats, so that results do not depend on how many are computed;
 * {@code ArgMax} and {@code ArgMin}.
 */
final class ReduceKernels {
    /** Folds one value into the accumulator. */
    private interface DoubleFold {
        double fold(double accumulated, double value);
    }

    private interface LongFold {
        long fold(long accumulated, long value);
    }

    /**
     * @param start the result of an empty reduction, before {@code finish}
     * @param finish turns the accumulated value and the number of elements into the result
     */
    private record Reduction(
            double start,
            DoubleFold doubles,
            long longStart,
            LongFold longs,
            DoubleUnaryOperator finish,
            boolean mean) {}

    private static final DoubleUnaryOperator SAME = x -> x;
    private static final Reduction MEAN = new Reduction(0, Double::sum, 0, Long::sum, SAME, true);

    private ReduceKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        reduce(registrar, "ReduceSum", new Reduction(0, Double::sum, 0, Long::sum, SAME, false));
        reduce(registrar, "ReduceMean", MEAN);
        reduce(registrar, "ReduceProd", new Reduction(1, (a, x) -> a * x, 1, (a, x) -> a * x, SAME, false));
        reduce(
                registrar,
                "ReduceMax",
                new Reduction(Double.NEGATIVE_INFINITY, Math::max, Long.MIN_VALUE, Math::max, SAME, false));
        reduce(
                registrar,
                "ReduceMin",
                new Reduction(Double.POSITIVE_INFINITY, Math::min, Long.MAX_VALUE, Math::min, SAME, false));
        reduce(
                registrar,
                "ReduceL1",
                new Reduction(0, (a, x) -> a + Math.abs(x), 0, (a, x) -> a + Math.abs(x), SAME, false));
        reduce(registrar, "ReduceL2", new Reduction(0, (a, x) -> a + x * x, 0, null, Math::sqrt, false));
        reduce(
                registrar,
                "ReduceSumSquare",
                new Reduction(0, (a, x) -> a + x * x, 0, (a, x) -> a + x * x, SAME, false));
        reduce(registrar, "ReduceLogSum", new Reduction(0, Double::sum, 0, null, Math::log, false));
        registrar.register("", "ReduceLogSumExp", 1, request -> kernel(request.node(), ReduceKernels::logSumExp));
        registrar.register("", "ArgMax", 1, request -> arg(request, true));
        registrar.register("", "ArgMin", 1, request -> arg(request, false));
    }

    /** Computes output element {@code out} from the given elements of x. */
    private interface Line {
        void reduce(Tensor x, int[] elements, int base, Tensor y, int out);
    }

    private static void reduce(CpuKernels.Registrar registrar, String name, Reduction reduction) {
        registrar.register("", name, 1, request -> kernel(request.node(), reduction));
    }

    /** Mean over the axes of the node's attributes, or its second input. */
    static Kernel mean(Node node) {
        return kernel(node, MEAN);
    }

    private static Kernel kernel(Node node, Reduction reduction) {
        return kernel(node, (x, elements, base, y, out) -> line(reduction, x, elements, base, y, out));
    }

    private static void line(Reduction reduction, Tensor x, int[] elements, int base, Tensor y, int out) {
        if (x.type().isFloatingPoint() || reduction.longs == null) {
            double value = reduction.start;
            for (int element : elements) {
                value = reduction.doubles.fold(value, TensorIo.getDouble(x, base + element));
            }
            value = reduction.finish.applyAsDouble(reduction.mean ? value / elements.length : value);
            TensorIo.putNumber(y, out, value);
            return;
        }
        // Maxima and minima of an empty set are the type's own limits, which long's limits truncate to only when
        // clamped.
        long value = elements.length == 0 ? emptyLong(reduction, x.type()) : reduction.longStart;
        for (int element : elements) {
            value = reduction.longs.fold(value, TensorIo.getLong(x, base + element));
        }
        TensorIo.putLong(y, out, reduction.mean ? value / elements.length : value);
    }

    private static long emptyLong(Reduction reduction, DataType type) {
        if (reduction.longStart == Long.MIN_VALUE) {
            return isUnsigned(type) ? 0 : -1L << type.bits() - 1;
        }
        if (reduction.longStart == Long.MAX_VALUE) {
            return isUnsigned(type) ? -1L : (1L << type.bits() - 1) - 1;
        }
        return reduction.longStart;
    }

    private static boolean isUnsigned(DataType type) {
        return switch (type) {
            case UINT8, UINT16, UINT32, UINT64, BOOL -> true;
            default -> false;
        };
    }

    private static void logSumExp(Tensor x, int[] elements, int base, Tensor y, int out) {
        double max = Double.NEGATIVE_INFINITY;
        for (int element : elements) {
            max = Math.max(max, TensorIo.getDouble(x, base + element));
        }
        double sum = 0;
        double shift = Double.isInfinite(max) ? 0 : max;
        for (int element : elements) {
            sum += Math.exp(TensorIo.getDouble(x, base + element) - shift);
        }
        TensorIo.putNumber(y, out, Math.log(sum) + shift);
    }

    private static Kernel kernel(Node node, Line line) {
        boolean keepDims = node.intAttribute("keepdims", 1) != 0;
        boolean noop = node.intAttribute("noop_with_empty_axes", 0) != 0;
        long[] attribute = node.intsAttribute("axes").orElse(null);
        return context -> {
            Tensor x = context.input(0);
            long[] given = ShapeKernels.axes(context, attribute);
            boolean[] reduced = new boolean[x.rank()];
            if (given == null || given.length == 0) {
                Arrays.fill(reduced, !noop);
            } else {
                for (long axis : given) {
                    reduced[Shapes.axis(axis, x.rank())] = true;
                }
            }
            run(context, x, reduced, keepDims, line);
        };
    }

    private static void run(KernelContext context, Tensor x, boolean[] reduced, boolean keepDims, Line line) {
        int rank = x.rank();
        long[] result = new long[rank];
        int resultRank = 0;
        for (int k = 0; k < rank; k++) {
            if (keepDims || !reduced[k]) {
                result[resultRank++] = reduced[k] ? 1 : x.dim(k);
            }
        }
        Tensor y = context.output(0, x.type(), Arrays.copyOf(result, resultRank));
        int[] elements = offsets(x.shape(), reduced, true);
        int[] bases = offsets(x.shape(), reduced, false);
        for (int out = 0; out < bases.length; out++) {
            line.reduce(x, elements, bases[out], y, out);
        }
    }

    /** Offsets of the elements at 0 on all axes but those whose mark is {@code which}, in row-major order. */
    static int[] offsets(long[] shape, boolean[] marks, boolean which) {
        long[] walked = new long[shape.length];
        for (int k = 0; k < shape.length; k++) {
            walked[k] = marks[k] == which ? shape[k] : 1;
        }
        int[] strides = Shapes.strides(shape);
        int[] offsets = new int[Shapes.product(walked, 0, walked.length)];
        Odometer position = new Odometer(walked);
        for (int k = 0; k < offsets.length; k++, position.next()) {
            offsets[k] = position.offset(strides);
        }
        return offsets;
    }

    private static Kernel arg(KernelRequest request, boolean max) {
        long axisAttribute = request.node().intAttribute("axis", 0);
        boolean keepDims = request.node().intAttribute("keepdims", 1) != 0;
        boolean last = request.node().intAttribute("select_last_index", 0) != 0;
        return context -> {
            Tensor x = context.input(0);
            int axis = Shapes.axis(axisAttribute, x.rank());
            long[] kept = x.shape().clone();
            kept[axis] = 1;
            Tensor y = context.output(0, DataType.INT64, keepDims ? kept : without(x.shape(), axis));
            int size = (int) x.dim(axis);
            int inner = Shapes.product(x.shape(), axis + 1, x.rank());
            for (int out = 0; out < y.elementCount(); out++) {
                int base = out / inner * size * inner + out % inner;
                int best = 0;
                for (int k = 1; k < size; k++) {
                    int order = compare(x, base + k * inner, base + best * inner);
                    if ((max ? order > 0 : order < 0) || last && order == 0) {
                        best = k;
                    }
                }
                y.longs().put(out, best);
            }
        };
    }

    static long[] without(long[] shape, int axis) {
        long[] rest = new long[shape.length - 1];
        System.arraycopy(shape, 0, rest, 0, axis);
        System.arraycopy(shape, axis + 1, rest, axis, rest.length - axis);
        return rest;
    }

    /** Order of two elements: NaN is the greatest and equal to itself, zeros of either sign are equal, strings go by code points. */
    static int compare(Tensor x, int left, int right) {
        switch (x.type()) {
            case UINT64 -> {
                return Long.compareUnsigned(x.longs().get(left), x.longs().get(right));
            }
            case STRING -> {
                return compareCodePoints(x.strings()[left], x.strings()[right]);
            }
            default -> {
                if (!x.type().isFloatingPoint()) {
                    return Long.compare(TensorIo.getLong(x, left), TensorIo.getLong(x, right));
                }
                double l = TensorIo.getDouble(x, left);
                double r = TensorIo.getDouble(x, right);
                return l == r ? 0 : Double.compare(l, r);
            }
        }
    }

    private static int compareCodePoints(String left, String right) {
        int common = Math.min(left.length(), right.length());
        for (int k = 0; k < common; k++) {
            if (left.charAt(k) != right.charAt(k)) {
                return Integer.compare(left.codePointAt(k), right.codePointAt(k));
            }
        }
        return Integer.compare(left.length(), right.length());
    }
}
