package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/** The sizes of one {@code ConvTranspose}, whose windows slide over its output {@code [batch, filters, spatial…]}. */
public final class TransposedWindow {
    private final long[] strides;
    private final long[] dilations;
    private final long[] before;
    private final long[] shape;

    /**
     * @param x {@code [batch, channels, spatial…]}
     * @param w {@code [channels, filters of a group, kernel…]}
     */
    public TransposedWindow(Node node, Tensor x, Tensor w) {
        int rank = x.rank() - 2;
        strides = node.intsAttribute("strides").orElseGet(() -> ones(rank));
        dilations = node.intsAttribute("dilations").orElseGet(() -> ones(rank));
        before = new long[rank];
        shape = new long[rank + 2];
        shape[0] = x.dim(0);
        shape[1] = w.dim(1) * node.intAttribute("group", 1);
        long[] padding = node.intsAttribute("output_padding").orElseGet(() -> new long[rank]);
        long[] pads = node.intsAttribute("pads").orElseGet(() -> new long[2 * rank]);
        long[] wanted = node.intsAttribute("output_shape").orElse(null);
        String auto = node.stringAttribute("auto_pad", "NOTSET");
        for (int k = 0; k < rank; k++) {
            long full = strides[k] * (x.dim(k + 2) - 1) + padding[k] + (w.dim(k + 2) - 1) * dilations[k] + 1;
            if (wanted != null || auto.startsWith("SAME")) {
                shape[k + 2] = wanted != null ? wanted[wanted.length - rank + k] : x.dim(k + 2) * strides[k];
                long total = Math.max(0, full - shape[k + 2]);
                before[k] = auto.equals("SAME_UPPER") ? total / 2 : total - total / 2;
                if (wanted != null && node.attribute("pads").isPresent()) {
                    before[k] = pads[k];
                }
            } else {
                before[k] = pads[k];
                shape[k + 2] = full - pads[k] - pads[k + rank];
            }
        }
    }

    private static long[] ones(int rank) {
        long[] ones = new long[rank];
        Arrays.fill(ones, 1);
        return ones;
    }

    public long[] outputShape() {
        return shape.clone();
    }

    public long stride(int axis) {
        return strides[axis];
    }

    public long dilation(int axis) {
        return dilations[axis];
    }

    /** Padding before the first place. */
    public long before(int axis) {
        return before[axis];
    }
}
