package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.Comparator;

/** {@code Unique}: distinct elements of a tensor, or distinct slices along an axis, sorted or as they first occur. */
final class UniqueKernel implements Kernel {
    private final boolean sorted;
    private final boolean flat;
    private final long axisAttribute;

    private UniqueKernel(Node node) {
        sorted = node.intAttribute("sorted", 1) != 0;
        flat = node.attribute("axis").isEmpty();
        axisAttribute = node.intAttribute("axis", 0);
    }

    static Kernel create(KernelRequest request) {
        return new UniqueKernel(request.node());
    }

    @Override
    public void execute(KernelContext context) {
        Tensor x = context.input(0);
        int axis = flat ? 0 : Shapes.axis(axisAttribute, x.rank());
        int items = flat ? TensorIo.count(x) : (int) x.dim(axis);
        int inner = flat ? 1 : Shapes.product(x.shape(), axis + 1, x.rank());
        int outer = flat ? 1 : Shapes.product(x.shape(), 0, axis);
        Comparator<Integer> order = (left, right) -> {
            for (int o = 0; o < outer; o++) {
                for (int i = 0; i < inner; i++) {
                    int base = o * items * inner + i;
                    int compared = ReduceKernels.compare(x, base + left * inner, base + right * inner);
                    if (compared != 0) {
                        return compared;
                    }
                }
            }
            return 0;
        };
        Integer[] byValue = new Integer[items];
        Arrays.setAll(byValue, k -> k);
        Arrays.sort(byValue, order);
        // The sort is stable: the first of equal items is the one that occurs first.
        int[] firsts = new int[items];
        int[] groups = new int[items];
        int count = 0;
        for (int k = 0; k < items; k++) {
            if (k == 0 || order.compare(byValue[k - 1], byValue[k]) != 0) {
                firsts[count++] = byValue[k];
            }
            groups[byValue[k]] = count - 1;
        }
        int[] places = places(firsts, count);
        long[] shape = flat ? new long[] {count} : x.shape().clone();
        shape[axis] = count;
        Tensor y = Outputs.begin(context, 0, x.type(), shape);
        long[] indices = new long[count];
        long[] counts = new long[count];
        long[] inverse = new long[items];
        for (int group = 0; group < count; group++) {
            int place = places[group];
            indices[place] = firsts[group];
            for (int o = 0; o < outer; o++) {
                int from = (o * items + firsts[group]) * inner;
                TensorIo.copy(x, from, y, (o * count + place) * inner, inner);
            }
        }
        for (int k = 0; k < items; k++) {
            inverse[k] = places[groups[k]];
            counts[places[groups[k]]]++;
        }
        Outputs.finish(context, 0, y);
        put(context, 1, indices);
        put(context, 2, inverse);
        put(context, 3, counts);
    }

    /** Where each group, numbered by value, stands in the output. */
    private int[] places(int[] firsts, int count) {
        Integer[] groups = new Integer[count];
        Arrays.setAll(groups, k -> k);
        if (!sorted) {
            Arrays.sort(groups, Comparator.comparingInt(group -> firsts[group]));
        }
        int[] places = new int[count];
        for (int place = 0; place < count; place++) {
            places[groups[place]] = place;
        }
        return places;
    }

    private static void put(KernelContext context, int output, long[] values) {
        if (context.hasOutput(output)) {
            TensorIo.store(values, 0, context.output(output, DataType.INT64, values.length), 0, values.length);
        }
    }
}
