package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/** Pooling over regions of interest of {@code X [N, C, H, W]}: {@code RoiAlign} and {@code MaxRoiPool}. */
final class RoiKernels {
    private RoiKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("", "RoiAlign", 10, request -> align(request, "output_half_pixel"));
        registrar.register("", "RoiAlign", 16, request -> align(request, "half_pixel"));
        registrar.register("", "MaxRoiPool", 1, RoiKernels::maxPool);
    }

    /** Four neighbours of a sampling point and their bilinear weights, all 0 outside of the feature map. */
    private static final class Sample {
        private final int[] at = new int[4];
        private final double[] weight = new double[4];

        private Sample(double y, double x, int height, int width) {
            if (y < -1 || y > height || x < -1 || x > width) {
                return;
            }
            int top = (int) Math.max(0, y);
            int left = (int) Math.max(0, x);
            double down = Math.max(0, y) - top;
            double right = Math.max(0, x) - left;
            if (top >= height - 1) {
                top = height - 1;
                down = 0;
            }
            if (left >= width - 1) {
                left = width - 1;
                right = 0;
            }
            int below = Math.min(top + 1, height - 1);
            int beside = Math.min(left + 1, width - 1);
            set(0, top * width + left, (1 - down) * (1 - right));
            set(1, top * width + beside, (1 - down) * right);
            set(2, below * width + left, down * (1 - right));
            set(3, below * width + beside, down * right);
        }

        private void set(int k, int place, double share) {
            at[k] = place;
            weight[k] = share;
        }

        private double value(Tensor x, int plane, boolean max) {
            double result = max ? Double.NEGATIVE_INFINITY : 0;
            for (int k = 0; k < 4; k++) {
                double part = weight[k] * TensorIo.getDouble(x, plane + at[k]);
                result = max ? Math.max(result, part) : result + part;
            }
            return result;
        }
    }

    private static Kernel align(KernelRequest request, String defaultMode) {
        Node node = request.node();
        boolean shifted = node.stringAttribute("coordinate_transformation_mode", defaultMode)
                .equalsIgnoreCase("half_pixel");
        boolean max = node.stringAttribute("mode", "avg").equalsIgnoreCase("max");
        int rows = (int) node.intAttribute("output_height", 1);
        int columns = (int) node.intAttribute("output_width", 1);
        int ratio = (int) node.intAttribute("sampling_ratio", 0);
        double scale = node.floatAttribute("spatial_scale", 1);
        return context -> {
            Tensor x = context.input(0);
            Tensor rois = context.input(1);
            int count = (int) rois.dim(0);
            int channels = (int) x.dim(1);
            int height = (int) x.dim(2);
            int width = (int) x.dim(3);
            Tensor y = context.output(0, x.type(), count, channels, rows, columns);
            double shift = shifted ? 0.5 : 0;
            for (int roi = 0; roi < count; roi++) {
                double left = TensorIo.getDouble(rois, roi * 4) * scale - shift;
                double top = TensorIo.getDouble(rois, roi * 4 + 1) * scale - shift;
                double across = TensorIo.getDouble(rois, roi * 4 + 2) * scale - shift - left;
                double down = TensorIo.getDouble(rois, roi * 4 + 3) * scale - shift - top;
                if (!shifted) {
                    across = Math.max(across, 1);
                    down = Math.max(down, 1);
                }
                double binHeight = down / rows;
                double binWidth = across / columns;
                int samplesDown = ratio > 0 ? ratio : (int) Math.ceil(binHeight);
                int samplesAcross = ratio > 0 ? ratio : (int) Math.ceil(binWidth);
                int image = GatherKernels.index(TensorIo.getLong(context.input(2), roi), (int) x.dim(0));
                for (int bin = 0; bin < rows * columns; bin++) {
                    Sample[] samples = new Sample[Math.max(0, samplesDown) * Math.max(0, samplesAcross)];
                    for (int k = 0; k < samples.length; k++) {
                        double row = (double) (k / samplesAcross) + 0.5;
                        double column = (double) (k % samplesAcross) + 0.5;
                        samples[k] = new Sample(
                                top + (bin / columns + row / samplesDown) * binHeight,
                                left + (bin % columns + column / samplesAcross) * binWidth,
                                height,
                                width);
                    }
                    for (int c = 0; c < channels; c++) {
                        double value = pooled(samples, x, (image * channels + c) * height * width, max);
                        TensorIo.putDouble(y, (roi * channels + c) * rows * columns + bin, value);
                    }
                }
            }
        };
    }

    private static double pooled(Sample[] samples, Tensor x, int plane, boolean max) {
        if (samples.length == 0) {
            return 0;
        }
        double result = max ? Double.NEGATIVE_INFINITY : 0;
        for (Sample sample : samples) {
            double value = sample.value(x, plane, max);
            result = max ? Math.max(result, value) : result + value;
        }
        return max ? result : result / samples.length;
    }

    /** Bins with edges rounded outwards to whole places; an empty bin gives 0. */
    private static Kernel maxPool(KernelRequest request) {
        long[] pooled = request.node()
                .intsAttribute("pooled_shape")
                .orElseThrow(() -> Shapes.invalid("attribute pooled_shape is missing"));
        int rows = (int) pooled[0];
        int columns = (int) pooled[1];
        double scale = request.node().floatAttribute("spatial_scale", 1);
        return context -> {
            Tensor x = context.input(0);
            Tensor rois = context.input(1);
            int channels = (int) x.dim(1);
            int height = (int) x.dim(2);
            int width = (int) x.dim(3);
            Tensor y = context.output(0, x.type(), rois.dim(0), channels, rows, columns);
            for (int roi = 0; roi < rois.dim(0); roi++) {
                int image = GatherKernels.index((long) TensorIo.getDouble(rois, roi * 5), (int) x.dim(0));
                long left = Math.round(TensorIo.getDouble(rois, roi * 5 + 1) * scale);
                long top = Math.round(TensorIo.getDouble(rois, roi * 5 + 2) * scale);
                long right = Math.round(TensorIo.getDouble(rois, roi * 5 + 3) * scale);
                long bottom = Math.round(TensorIo.getDouble(rois, roi * 5 + 4) * scale);
                double binHeight = (double) Math.max(bottom - top + 1, 1) / rows;
                double binWidth = (double) Math.max(right - left + 1, 1) / columns;
                for (int bin = 0; bin < rows * columns; bin++) {
                    int fromRow = edge(Math.floor(bin / columns * binHeight), top, height);
                    int toRow = edge(Math.ceil((bin / columns + 1) * binHeight), top, height);
                    int fromColumn = edge(Math.floor(bin % columns * binWidth), left, width);
                    int toColumn = edge(Math.ceil((bin % columns + 1) * binWidth), left, width);
                    for (int c = 0; c < channels; c++) {
                        int plane = (image * channels + c) * height * width;
                        double max = toRow <= fromRow || toColumn <= fromColumn ? 0 : Double.NEGATIVE_INFINITY;
                        for (int row = fromRow; row < toRow; row++) {
                            for (int column = fromColumn; column < toColumn; column++) {
                                max = Math.max(max, TensorIo.getDouble(x, plane + row * width + column));
                            }
                        }
                        TensorIo.putDouble(y, (roi * channels + c) * rows * columns + bin, max);
                    }
                }
            }
        };
    }

    private static int edge(double within, long start, int size) {
        return (int) Math.max(0, Math.min(size, within + start));
    }
}
