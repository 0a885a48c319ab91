package io.kindling.engine.cpu;

import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;

/** {@code AffineGrid}: the places of an image of {@code size [N, C, spatial…]}, from −1 to 1, moved by {@code theta [N, rank, rank + 1]}. */
final class AffineGridKernel {
    private AffineGridKernel() {}

    static Kernel create(KernelRequest request) {
        boolean alignCorners = request.node().intAttribute("align_corners", 0) != 0;
        return context -> {
            Tensor theta = context.input(0);
            long[] size = TensorIo.longs(context.input(1));
            int rank = size.length - 2;
            if (rank < 2 || theta.rank() != 3 || theta.dim(1) != rank || theta.dim(2) != rank + 1) {
                throw Shapes.invalid("theta " + theta + " does not fit an image of " + size.length + " axes");
            }
            int batch = (int) theta.dim(0);
            int places = Shapes.product(size, 2, size.length);
            long[] shape = new long[rank + 2];
            shape[0] = batch;
            System.arraycopy(size, 2, shape, 1, rank);
            shape[rank + 1] = rank;
            Tensor grid = context.output(0, theta.type(), shape);
            double[] at = new double[rank + 1];
            at[rank] = 1;
            for (int place = 0; place < places; place++) {
                int rest = place;
                // Coordinates run from the last axis to the first.
                for (int k = 0; k < rank; k++) {
                    int length = (int) size[size.length - 1 - k];
                    int index = rest % length;
                    rest /= length;
                    at[k] = alignCorners
                            ? length == 1 ? -1 : -1 + 2.0 * index / (length - 1)
                            : (2.0 * index + 1) / length - 1;
                }
                for (int n = 0; n < batch; n++) {
                    for (int row = 0; row < rank; row++) {
                        double sum = 0;
                        for (int k = 0; k <= rank; k++) {
                            sum += TensorIo.getDouble(theta, (n * rank + row) * (rank + 1) + k) * at[k];
                        }
                        TensorIo.putDouble(grid, (n * places + place) * rank + row, sum);
                    }
                }
            }
        };
    }
}
