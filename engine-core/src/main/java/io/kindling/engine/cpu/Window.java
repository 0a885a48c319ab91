package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * A window that slides over the spatial axes of {@code [batch, channels, spatial…]}: kernel size, strides, dilations and padding
 * as the attributes of Conv and the pooling operators give them, resolved for one input shape.
 */
public final class Window {
    public final int rank;
    public final int[] kernel;
    public final int[] strides;
    public final int[] dilations;
    public final int[] before;
    public final int[] after;
    public final int[] input;
    public final int[] output;

    /** @param kernelShape spatial kernel size; the attribute of the node where it has one */
    public Window(Node node, Tensor x, long[] kernelShape, boolean ceil) {
        this(node, Arrays.copyOfRange(x.shape(), 2, x.rank()), kernelShape, ceil);
    }

    /** A window over an image of the given spatial sizes. */
    Window(Node node, long[] image, long[] kernelShape) {
        this(node, image, kernelShape, false);
    }

    private Window(Node node, long[] image, long[] kernelShape, boolean ceil) {
        rank = image.length;
        kernel = ints(node.intsAttribute("kernel_shape").orElse(kernelShape), 1);
        strides = ints(node.intsAttribute("strides").orElse(null), 1);
        dilations = ints(node.intsAttribute("dilations").orElse(null), 1);
        long[] pads = node.intsAttribute("pads").orElse(new long[2 * rank]);
        String auto = node.stringAttribute("auto_pad", "NOTSET");
        before = new int[rank];
        after = new int[rank];
        input = new int[rank];
        output = new int[rank];
        for (int axis = 0; axis < rank; axis++) {
            input[axis] = Math.toIntExact(image[axis]);
            int extent = (kernel[axis] - 1) * dilations[axis] + 1;
            if (auto.startsWith("SAME")) {
                output[axis] = (input[axis] + strides[axis] - 1) / strides[axis];
                int total = Math.max(0, (output[axis] - 1) * strides[axis] + extent - input[axis]);
                before[axis] = auto.equals("SAME_UPPER") ? total / 2 : total - total / 2;
                after[axis] = total - before[axis];
            } else {
                before[axis] = auto.equals("VALID") ? 0 : (int) pads[axis];
                after[axis] = auto.equals("VALID") ? 0 : (int) pads[axis + rank];
                int span = input[axis] + before[axis] + after[axis] - extent;
                output[axis] = (ceil
                                ? Math.floorDiv(span + strides[axis] - 1, strides[axis])
                                : Math.floorDiv(span, strides[axis]))
                        + 1;
                // A window that would begin behind the input and its left padding is dropped.
                if (ceil && (output[axis] - 1) * strides[axis] >= input[axis] + before[axis]) {
                    output[axis]--;
                }
                output[axis] = Math.max(0, output[axis]);
            }
        }
    }

    private int[] ints(long[] values, int absent) {
        int[] result = new int[rank];
        for (int k = 0; k < rank; k++) {
            result[k] = values == null ? absent : (int) values[k];
        }
        return result;
    }

    /** {@code [batch, channels, output…]}. */
    public long[] outputShape(long batch, long channels) {
        return shape(batch, channels, output);
    }

    /** {@code [batch, channels, input…]}. */
    long[] imageShape(long batch, long channels) {
        return shape(batch, channels, input);
    }

    private long[] shape(long batch, long channels, int[] spatial) {
        long[] shape = new long[rank + 2];
        shape[0] = batch;
        shape[1] = channels;
        for (int axis = 0; axis < rank; axis++) {
            shape[axis + 2] = spatial[axis];
        }
        return shape;
    }

    int kernelSize() {
        int size = 1;
        for (int k : kernel) {
            size *= k;
        }
        return size;
    }

    int inputSize() {
        int size = 1;
        for (int k : input) {
            size *= k;
        }
        return size;
    }

    int outputSize() {
        int size = 1;
        for (int k : output) {
            size *= k;
        }
        return size;
    }

    /** Refuses filters {@code [filters, channels, spatial…]} of another size than the attribute says. */
    void requireFilters(Tensor w) {
        for (int axis = 0; axis < rank; axis++) {
            if (kernel[axis] != w.dim(axis + 2)) {
                throw Shapes.invalid("W " + w + " is not of kernel_shape " + Arrays.toString(kernel));
            }
        }
    }

    /** Spatial offset in the input that kernel place {@code tap} of output place {@code out} reads, or −1 in the padding. */
    int source(int out, int tap) {
        int offset = 0;
        int stride = 1;
        int restOut = out;
        int restTap = tap;
        for (int axis = rank - 1; axis >= 0; axis--) {
            int at = restOut % output[axis] * strides[axis] - before[axis] + restTap % kernel[axis] * dilations[axis];
            if (at < 0 || at >= input[axis]) {
                return -1;
            }
            offset += at * stride;
            stride *= input[axis];
            restOut /= output[axis];
            restTap /= kernel[axis];
        }
        return offset;
    }

    /** Whether the place lies within the input and its padding: false only for what ceil mode adds. */
    boolean inPadded(int out, int tap) {
        int restOut = out;
        int restTap = tap;
        for (int axis = rank - 1; axis >= 0; axis--) {
            int at = restOut % output[axis] * strides[axis] - before[axis] + restTap % kernel[axis] * dilations[axis];
            if (at >= input[axis] + after[axis]) {
                return false;
            }
            restOut /= output[axis];
            restTap /= kernel[axis];
        }
        return true;
    }

    /** All sources: element {@code tap · outputSize + out}. */
    int[] sources() {
        int outputs = outputSize();
        int[] sources = new int[kernelSize() * outputs];
        for (int tap = 0; tap < kernelSize(); tap++) {
            for (int out = 0; out < outputs; out++) {
                sources[tap * outputs + out] = source(out, tap);
            }
        }
        return sources;
    }
}
