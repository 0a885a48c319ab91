package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/**
 * {@code GridSample} over any number of spatial axes: {@code X [N, C, spatial…]} read at the places of {@code grid [N, out…, rank]}, whose
 * coordinates run from the last axis to the first.
 */
final class GridSampleKernel implements Kernel {
    private static final double CUBIC = -0.75;

    private enum Padding {
        ZEROS,
        BORDER,
        REFLECTION
    }

    /** What is read along one axis: up to four places and their weights; −1 is a place outside, which reads as 0. */
    private static final class Taps {
        private final int[] at = new int[4];
        private final double[] weight = new double[4];
    }

    private final int taps;
    private final Padding padding;
    private final boolean alignCorners;

    private GridSampleKernel(Node node) {
        String mode = node.stringAttribute("mode", "linear");
        taps = switch (mode) {
            case "nearest" -> 1;
            case "linear", "bilinear" -> 2;
            case "cubic", "bicubic" -> 4;
            default -> throw Shapes.invalid("mode " + mode + " is none of nearest, linear and cubic");
        };
        String name = node.stringAttribute("padding_mode", "zeros");
        padding = switch (name) {
            case "zeros" -> Padding.ZEROS;
            case "border" -> Padding.BORDER;
            case "reflection" -> Padding.REFLECTION;
            default -> throw Shapes.invalid("padding_mode " + name + " is none of zeros, border and reflection");
        };
        alignCorners = node.intAttribute("align_corners", 0) != 0;
    }

    static Kernel create(KernelRequest request) {
        return new GridSampleKernel(request.node());
    }

    @Override
    public void execute(KernelContext context) {
        Tensor x = context.input(0);
        Tensor grid = context.input(1);
        int rank = x.rank() - 2;
        if (rank < 1 || grid.rank() != rank + 2 || grid.dim(-1) != rank || grid.dim(0) != x.dim(0)) {
            throw Shapes.invalid("grid " + grid + " does not fit X " + x);
        }
        long[] shape = x.shape().clone();
        System.arraycopy(grid.shape(), 1, shape, 2, rank);
        Tensor y = Outputs.begin(context, 0, x.type(), shape);
        int outputs = Shapes.product(shape, 2, shape.length);
        int inputs = Shapes.product(x.shape(), 2, x.rank());
        int channels = (int) x.dim(1);
        int[] strides = Shapes.strides(x.shape());
        Taps[] axes = new Taps[rank];
        for (int axis = 0; axis < rank; axis++) {
            axes[axis] = new Taps();
        }
        for (int n = 0; n < x.dim(0); n++) {
            for (int out = 0; out < outputs; out++) {
                for (int axis = 0; axis < rank; axis++) {
                    double place = TensorIo.getDouble(grid, (n * outputs + out) * rank + rank - 1 - axis);
                    locate(place, (int) x.dim(axis + 2), grid.type() == DataType.DOUBLE, axes[axis]);
                }
                for (int c = 0; c < channels; c++) {
                    int plane = (n * channels + c) * inputs;
                    int target = (n * channels + c) * outputs + out;
                    if (taps == 1) {
                        nearest(x, plane, strides, axes, y, target);
                    } else {
                        TensorIo.putNumber(y, target, sum(x, plane, strides, axes, 0));
                    }
                }
            }
        }
        Outputs.finish(context, 0, y);
    }

    private static void nearest(Tensor x, int plane, int[] strides, Taps[] axes, Tensor y, int target) {
        int from = plane;
        for (int axis = 0; axis < axes.length; axis++) {
            if (axes[axis].at[0] < 0) {
                TensorIo.clear(y, target, 1);
                return;
            }
            from += axes[axis].at[0] * strides[axis + 2];
        }
        TensorIo.copy(x, from, y, target, 1);
    }

    private double sum(Tensor x, int offset, int[] strides, Taps[] axes, int axis) {
        if (axis == axes.length) {
            return TensorIo.getDouble(x, offset);
        }
        double sum = 0;
        for (int k = 0; k < taps; k++) {
            if (axes[axis].at[k] >= 0) {
                int from = offset + axes[axis].at[k] * strides[axis + 2];
                sum += axes[axis].weight[k] * sum(x, from, strides, axes, axis + 1);
            }
        }
        return sum;
    }

    /** @param place from −1 to 1 across the axis */
    private void locate(double place, int size, boolean exact, Taps result) {
        double at = alignCorners ? (place + 1) / 2 * (size - 1) : ((place + 1) * size - 1) / 2;
        if (!exact) {
            // In float, as the grid is: what lies half-way between places is a matter of rounding.
            float shifted = (float) place + 1;
            at = alignCorners ? shifted / 2 * (size - 1) : (shifted * size - 1) / 2;
        }
        if (taps == 1) {
            at = Math.rint(at);
        }
        double low = alignCorners ? 0 : -0.5;
        double high = alignCorners ? size - 1 : size - 0.5;
        if (at < low || at > high) {
            at = switch (padding) {
                case ZEROS -> at;
                case BORDER -> Math.max(0, Math.min(size - 1, at));
                case REFLECTION -> reflected(at, low, high);
            };
        }
        double floor = Math.floor(at);
        double rest = at - floor;
        int first = (int) Math.max(Integer.MIN_VALUE / 2, Math.min(Integer.MAX_VALUE / 2, floor)) - (taps == 4 ? 1 : 0);
        for (int k = 0; k < taps; k++) {
            result.at[k] = inside(first + k, size, low, high);
        }
        if (taps == 2) {
            result.weight[0] = 1 - rest;
            result.weight[1] = rest;
        } else if (taps == 4) {
            result.weight[0] = far(rest + 1);
            result.weight[1] = near(rest);
            result.weight[2] = near(1 - rest);
            result.weight[3] = far(2 - rest);
        }
    }

    private int inside(int place, int size, double low, double high) {
        if (place >= 0 && place < size) {
            return place;
        }
        return switch (padding) {
            case ZEROS -> -1;
            case BORDER -> Math.max(0, Math.min(size - 1, place));
            case REFLECTION -> (int) reflected(place, low, high);
        };
    }

    /** Folds a place back at the borders until it lies between them. */
    private static double reflected(double place, double low, double high) {
        double range = high - low;
        if (range <= 0 || !Double.isFinite(place)) {
            return Math.max(low, 0);
        }
        boolean before = place < low;
        double beyond = before ? low - place : place - high;
        if (beyond < 0) {
            return place;
        }
        double folds = Math.floor(beyond / range);
        double rest = beyond - folds * range;
        return before == (folds % 2 == 0) ? low + rest : high - rest;
    }

    /** Keys' cubic convolution kernel between 0 and 1. */
    private static double near(double t) {
        return ((CUBIC + 2) * t - (CUBIC + 3)) * t * t + 1;
    }

    /** The same kernel between 1 and 2. */
    private static double far(double t) {
        return ((CUBIC * t - 5 * CUBIC) * t + 8 * CUBIC) * t - 4 * CUBIC;
    }
}
