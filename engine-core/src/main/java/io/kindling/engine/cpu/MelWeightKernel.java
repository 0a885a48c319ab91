package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/**
 * {@code MelWeightMatrix} {@code [spectrum bins, mel bins]}: one triangle a column, of peak 1, whose corners are evenly spaced on the
 * mel scale {@code 2595 · log10(1 + f / 700)}. Corners are rounded down to whole bins of the spectrum.
 */
final class MelWeightKernel {
    private MelWeightKernel() {}

    static Kernel create(KernelRequest request) {
        DataType type = DataType.ofCode((int) request.node().intAttribute("output_datatype", 1))
                .orElseThrow(() -> Unsupported.of(request.node(), "output_datatype is no element type"));
        return context -> run(context, type);
    }

    private static void run(KernelContext context, DataType type) {
        int bins = Math.toIntExact(TensorIo.getLong(context.input(0), 0));
        long length = TensorIo.getLong(context.input(1), 0);
        long rate = TensorIo.getLong(context.input(2), 0);
        double low = mel(TensorIo.getDouble(context.input(3), 0));
        double high = mel(TensorIo.getDouble(context.input(4), 0));
        if (bins < 0 || length < 1 || rate < 1) {
            throw Shapes.invalid(bins + " mel bins of a spectrum of " + length + " at " + rate + " Hz cannot be made");
        }
        int spectrum = Math.toIntExact(length / 2 + 1);
        // The reference divides the range by two more than the number of bins, so that the last corner stays below its
        // end.
        double step = (high - low) / (bins + 2);
        int[] corners = new int[bins + 2];
        for (int k = 0; k < corners.length; k++) {
            double hertz = 700 * (Math.pow(10, (low + k * step) / 2595) - 1);
            corners[k] = (int) Math.floor((length + 1) * hertz / rate);
        }
        Tensor y = context.output(0, type, spectrum, bins);
        TensorIo.clear(y, 0, TensorIo.count(y));
        for (int bin = 0; bin < bins; bin++) {
            int centre = corners[bin + 1];
            int rise = centre - corners[bin];
            int fall = corners[bin + 2] - centre;
            if (rise == 0) {
                put(y, centre, bin, 1);
            }
            for (int k = 0; rise > 0 && k <= rise; k++) {
                put(y, corners[bin] + k, bin, (double) k / rise);
            }
            for (int k = 0; k < fall; k++) {
                put(y, centre + k, bin, (double) (fall - k) / fall);
            }
        }
    }

    private static double mel(double hertz) {
        return 2595 * Math.log10(1 + hertz / 700);
    }

    private static void put(Tensor y, int row, int column, double value) {
        if (row < 0 || row >= y.dim(0)) {
            throw Shapes.invalid("a mel bin reaches bin " + row + " of a spectrum of " + y.dim(0));
        }
        TensorIo.putNumber(y, row * (int) y.dim(1) + column, value);
    }
}
