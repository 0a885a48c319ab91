package io.kindling.engine.shape;

import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Node;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Output shapes of operators whose windows slide over {@code [batch, channels, spatial…]}: convolution and pooling. */
final class WindowShapes {
    private WindowShapes() {}

    static Optional<List<Dimension>> conv(NodeCall call) {
        return call.shape(0).filter(x -> x.size() > 1).map(x -> {
            Optional<List<Dimension>> w = call.shape(1).filter(filters -> filters.size() == x.size());
            return shape(call.node(), x, w.map(filters -> filters.get(0)).orElse(Dimension.UNKNOWN), w);
        });
    }

    static Optional<List<Dimension>> pool(NodeCall call) {
        return call.shape(0).filter(x -> x.size() > 1).map(x -> shape(call.node(), x, x.get(1), Optional.empty()));
    }

    /** Places are left open: their number follows from attributes that may say it in several ways. */
    static Optional<List<Dimension>> transposed(NodeCall call) {
        return call.shape(0).filter(x -> x.size() > 1).map(x -> {
            long groups = call.node().intAttribute("group", 1);
            long filters = call.shape(1)
                    .filter(w -> w.size() > 1)
                    .map(w -> w.get(1).sizeOrMinusOne())
                    .orElse(-1L);
            List<Dimension> shape = new ArrayList<>(Dimensions.ofEqualRank(x));
            shape.set(0, x.get(0));
            shape.set(1, filters > 0 && groups == 1 ? Dimension.of(filters) : Dimension.UNKNOWN);
            return shape;
        });
    }

    /** One place for each channel. */
    static Optional<List<Dimension>> global(NodeCall call) {
        return call.shape(0).filter(x -> x.size() > 1).map(x -> {
            List<Dimension> shape = new ArrayList<>(x.subList(0, 2));
            shape.addAll(Collections.nCopies(x.size() - 2, Dimension.of(1)));
            return shape;
        });
    }

    /** @param w the filters, whose last axes are a kernel's where no attribute says so */
    private static List<Dimension> shape(
            Node node, List<Dimension> x, Dimension channels, Optional<List<Dimension>> w) {
        List<Dimension> shape = new ArrayList<>(List.of(x.get(0), channels));
        long[] kernel = node.intsAttribute("kernel_shape").orElseGet(() -> w.stream()
                .flatMap(List::stream)
                .skip(2)
                .mapToLong(Dimension::sizeOrMinusOne)
                .toArray());
        for (int axis = 0; axis < x.size() - 2; axis++) {
            long size = axis < kernel.length ? kernel[axis] : -1;
            shape.add(size > 0 ? size(node, x.get(axis + 2), axis, x.size() - 2, size) : Dimension.UNKNOWN);
        }
        return shape;
    }

    private static Dimension size(Node node, Dimension input, int axis, int rank, long kernel) {
        long stride = entry(node, "strides", axis, 1);
        long extent = (kernel - 1) * entry(node, "dilations", axis, 1) + 1;
        String auto = node.stringAttribute("auto_pad", "NOTSET");
        long padding = auto.equals("NOTSET") ? entry(node, "pads", axis, 0) + entry(node, "pads", axis + rank, 0) : 0;
        boolean keeps = auto.startsWith("SAME") || padding == extent - 1;
        if (stride == 1 && keeps) {
            return input;
        }
        long known = input.sizeOrMinusOne();
        boolean rounds = node.intAttribute("ceil_mode", 0) != 0;
        if (known < 0 || stride < 1 || rounds || auto.startsWith("SAME")) {
            return Dimension.UNKNOWN;
        }
        return known + padding < extent ? Dimension.UNKNOWN : Dimension.of((known + padding - extent) / stride + 1);
    }

    private static long entry(Node node, String attribute, int index, long absent) {
        return node.intsAttribute(attribute)
                .filter(values -> index < values.length)
                .map(values -> values[index])
                .orElse(absent);
    }
}
