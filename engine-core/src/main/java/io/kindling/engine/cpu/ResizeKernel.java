package io.kindling.engine.cpu;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.nio.FloatBuffer;
import java.util.Arrays;

/** {@code Resize} and {@code Upsample}: interpolation is separable, so one axis is resized after the other, in double. */
final class ResizeKernel implements Kernel {
    private final String mode;
    private final String coordinates;
    private final String nearest;
    private final String aspect;
    private final double cubic;
    private final boolean excludeOutside;
    private final boolean antialias;
    private final double extrapolation;
    private final long[] axes;
    private final float[] scaleAttribute;
    private final int scalesInput;

    private ResizeKernel(Node node, long opset) {
        // Until version 10 there was one way to map coordinates, and scales were input 1.
        boolean simple = opset < 11 || node.opType().equals("Upsample");
        mode = node.stringAttribute("mode", "nearest");
        coordinates = simple ? "asymmetric" : node.stringAttribute("coordinate_transformation_mode", "half_pixel");
        nearest = simple ? "floor" : node.stringAttribute("nearest_mode", "round_prefer_floor");
        aspect = node.stringAttribute("keep_aspect_ratio_policy", "stretch");
        cubic = node.floatAttribute("cubic_coeff_a", -0.75f);
        excludeOutside = node.intAttribute("exclude_outside", 0) != 0;
        antialias = node.intAttribute("antialias", 0) != 0;
        extrapolation = node.floatAttribute("extrapolation_value", 0);
        axes = node.intsAttribute("axes").orElse(null);
        scaleAttribute = scaleAttribute(node);
        scalesInput = simple ? 1 : 2;
    }

    /** The scales of versions before 9: one an axis, or in version 1 those of the two last axes. */
    private static float[] scaleAttribute(Node node) {
        if (node.attribute("height_scale").isPresent()) {
            return new float[] {1, 1, node.floatAttribute("height_scale", 1), node.floatAttribute("width_scale", 1)};
        }
        return node.attribute("scales").orElse(null) instanceof Attribute.FloatsValue values ? values.values() : null;
    }

    static Kernel create(KernelRequest request) {
        return new ResizeKernel(request.node(), request.opset());
    }

    @Override
    public void execute(KernelContext context) {
        Tensor x = context.input(0);
        int rank = x.rank();
        double[] scales = new double[rank];
        long[] sizes = x.shape().clone();
        Arrays.fill(scales, 1);
        int[] along = along(rank);
        if (scaleAttribute != null
                || context.hasInput(scalesInput) && context.input(scalesInput).elementCount() > 0) {
            float[] given = scaleAttribute != null ? scaleAttribute : TensorIo.floats(context.input(scalesInput));
            for (int k = 0; k < along.length; k++) {
                scales[along[k]] = given[k];
                sizes[along[k]] = (long) Math.floor((double) given[k] * x.dim(along[k]));
            }
        } else {
            fit(x, along, TensorIo.longs(context.input(3)), scales, sizes);
        }
        float[] roi = context.hasInput(1) && coordinates.equals("tf_crop_and_resize")
                ? TensorIo.floats(context.input(1))
                : null;
        if (mode.equals("nearest") && roi == null) {
            nearest(context, x, along, scales, sizes);
            return;
        }
        Tensor y = context.output(0, x.type(), sizes);
        double[] data = new double[TensorIo.count(x)];
        TensorIo.load(x, 0, data, 0, data.length);
        long[] shape = x.shape().clone();
        for (int k = 0; k < along.length; k++) {
            int axis = along[k];
            double from = roi == null ? 0 : roi[k];
            double to = roi == null ? 1 : roi[k + along.length];
            data = resize(data, shape, axis, (int) sizes[axis], scales[axis], from, to);
            shape[axis] = sizes[axis];
        }
        if (y.type().isFloatingPoint()) {
            TensorIo.store(data, 0, y, 0, data.length);
        } else {
            for (int k = 0; k < data.length; k++) {
                TensorIo.putLong(y, k, QuantizeKernels.saturated(Math.rint(data[k]), y.type()));
            }
        }
    }

    /** Copies elements, of any type. */
    private void nearest(KernelContext context, Tensor x, int[] along, double[] scales, long[] sizes) {
        int[] strides = Shapes.strides(x.shape());
        int[][] offsets = new int[x.rank()][];
        for (int axis = 0; axis < offsets.length; axis++) {
            offsets[axis] = new int[(int) sizes[axis]];
            for (int k = 0; k < offsets[axis].length; k++) {
                offsets[axis][k] = k * strides[axis];
            }
        }
        for (int axis : along) {
            int old = (int) x.dim(axis);
            for (int k = 0; k < offsets[axis].length; k++) {
                double at = source(k, old, (int) sizes[axis], scales[axis], 0, 1);
                int base = (int) Math.ceil(at) - 1;
                int chosen = base + (int) weights(at - base, scales[axis])[1];
                offsets[axis][k] = Math.max(0, Math.min(old - 1, chosen)) * strides[axis];
            }
        }
        Tensor y = Outputs.begin(context, 0, x.type(), sizes);
        int outer = Math.max(0, offsets.length - 1);
        int[] last = offsets.length == 0 ? new int[1] : offsets[outer];
        Odometer position = new Odometer(Arrays.copyOf(sizes, outer));
        for (int k = 0; k < y.elementCount(); k += last.length, position.next()) {
            int from = 0;
            for (int axis = 0; axis < outer; axis++) {
                from += offsets[axis][position.at(axis)];
            }
            copy(x, from, last, y, k);
        }
        Outputs.finish(context, 0, y);
    }

    /** Elements of x at {@code from + offsets[0]}, {@code from + offsets[1]}, …, to those of y from {@code to} on. */
    private static void copy(Tensor x, int from, int[] offsets, Tensor y, int to) {
        if (x.type() == DataType.FLOAT) {
            FloatBuffer source = x.floats();
            FloatBuffer target = y.floats();
            for (int k = 0; k < offsets.length; k++) {
                target.put(to + k, source.get(from + offsets[k]));
            }
            return;
        }
        for (int k = 0; k < offsets.length; k++) {
            TensorIo.copy(x, from + offsets[k], y, to + k, 1);
        }
    }

    private int[] along(int rank) {
        if (axes != null) {
            return Shapes.axes(axes, rank);
        }
        int[] all = new int[rank];
        for (int k = 0; k < rank; k++) {
            all[k] = k;
        }
        return all;
    }

    /** Scales from sizes; one scale for all axes where the aspect ratio is kept. */
    private void fit(Tensor x, int[] along, long[] wanted, double[] scales, long[] sizes) {
        boolean larger = aspect.equals("not_smaller");
        double common = larger ? 0 : Double.POSITIVE_INFINITY;
        for (int k = 0; k < along.length; k++) {
            double scale = (double) wanted[k] / x.dim(along[k]);
            common = larger ? Math.max(common, scale) : Math.min(common, scale);
            scales[along[k]] = scale;
            sizes[along[k]] = wanted[k];
        }
        if (!aspect.equals("stretch")) {
            for (int axis : along) {
                scales[axis] = common;
                sizes[axis] = (long) (common * x.dim(axis) + 0.5);
            }
        }
    }

    private double[] resize(double[] data, long[] shape, int axis, int size, double scale, double from, double to) {
        int old = (int) shape[axis];
        int outer = Shapes.product(shape, 0, axis);
        int inner = Shapes.product(shape, axis + 1, shape.length);
        double[] result = new double[outer * size * inner];
        for (int position = 0; position < size; position++) {
            double at = source(position, old, size, scale, from, to);
            boolean extrapolated = coordinates.equals("tf_crop_and_resize") && (at < 0 || at > old - 1);
            // The left neighbour, also of a whole coordinate, which then lies at ratio 1.
            int base = (int) Math.ceil(at) - 1;
            double[] weights = weights(at - base, scale);
            int first = base + 1 - weights.length / 2;
            if (excludeOutside) {
                exclude(weights, first, old);
            }
            for (int o = 0; o < outer; o++) {
                for (int i = 0; i < inner; i++) {
                    double sum = 0;
                    for (int tap = 0; tap < weights.length; tap++) {
                        int index = Math.max(0, Math.min(old - 1, first + tap));
                        if (weights[tap] != 0) {
                            sum += weights[tap] * data[(o * old + index) * inner + i];
                        }
                    }
                    result[(o * size + position) * inner + i] = extrapolated ? extrapolation : sum;
                }
            }
        }
        return result;
    }

    private double source(int position, int old, int size, double scale, double from, double to) {
        double width = scale * old;
        return switch (coordinates) {
            case "align_corners" -> width == 1 ? 0 : position * (old - 1) / (width - 1);
            case "asymmetric" -> position / scale;
            case "tf_half_pixel_for_nn" -> (position + 0.5) / scale;
            case "tf_crop_and_resize" ->
                from * (old - 1)
                        + (width == 1 ? (to - from) * (old - 1) / 2 : position * (to - from) * (old - 1) / (width - 1));
            case "pytorch_half_pixel" -> width == 1 ? -0.5 : (position + 0.5) / scale - 0.5;
            case "half_pixel_symmetric" -> old / 2.0 * (1 - size / width) + (position + 0.5) / scale - 0.5;
            default -> (position + 0.5) / scale - 0.5;
        };
    }

    /** Weights of neighbours for a coordinate {@code ratio} in (0, 1] right of the left one; the middle pair is the nearest. */
    private double[] weights(double ratio, double scale) {
        if (mode.equals("nearest")) {
            boolean right = ratio == 1
                    || switch (nearest) {
                        case "round_prefer_floor" -> ratio > 0.5;
                        case "round_prefer_ceil" -> ratio >= 0.5;
                        case "ceil" -> true;
                        default -> false;
                    };
            return right ? new double[] {0, 1} : new double[] {1, 0};
        }
        double shrink = antialias ? Math.min(scale, 1) : 1;
        int reach = mode.equals("cubic") ? 2 : 1;
        int start = (int) Math.floor(-reach / shrink) + 1;
        double[] weights = new double[2 - 2 * start];
        double sum = 0;
        for (int k = 0; k < weights.length; k++) {
            double distance = Math.abs((start + k - ratio) * shrink);
            weights[k] = reach == 2 ? cubicWeight(distance) : Math.max(0, 1 - distance);
            sum += weights[k];
        }
        for (int k = 0; antialias && k < weights.length; k++) {
            weights[k] /= sum;
        }
        return weights;
    }

    /** Keys' convolution kernel. */
    private double cubicWeight(double x) {
        if (x <= 1) {
            return ((cubic + 2) * x - (cubic + 3)) * x * x + 1;
        }
        return x < 2 ? ((cubic * x - 5 * cubic) * x + 8 * cubic) * x - 4 * cubic : 0;
    }

    private static void exclude(double[] weights, int first, int size) {
        double sum = 0;
        for (int k = 0; k < weights.length; k++) {
            if (first + k < 0 || first + k >= size) {
                weights[k] = 0;
            }
            sum += weights[k];
        }
        for (int k = 0; sum != 0 && k < weights.length; k++) {
            weights[k] /= sum;
        }
    }
}
