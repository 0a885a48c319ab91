package io.kindling.engine.cpu;

import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/** {@code Det} of the square matrices in the last two axes, by elimination with row pivots in double. */
final class DeterminantKernel {
    private DeterminantKernel() {}

    static void run(KernelContext context) {
        Tensor x = context.input(0);
        if (x.rank() < 2 || x.dim(-1) != x.dim(-2)) {
            throw Shapes.invalid("X must hold square matrices, not " + x);
        }
        int size = (int) x.dim(-1);
        Tensor y = context.output(0, x.type(), Arrays.copyOf(x.shape(), x.rank() - 2));
        double[] matrix = new double[size * size];
        for (int k = 0; k < y.elementCount(); k++) {
            TensorIo.load(x, k * size * size, matrix, 0, size * size);
            TensorIo.putDouble(y, k, determinant(matrix, size));
        }
    }

    private static double determinant(double[] matrix, int size) {
        double product = 1;
        for (int column = 0; column < size; column++) {
            int pivot = column;
            for (int row = column + 1; row < size; row++) {
                if (Math.abs(matrix[row * size + column]) > Math.abs(matrix[pivot * size + column])) {
                    pivot = row;
                }
            }
            double largest = matrix[pivot * size + column];
            if (largest == 0) {
                return 0;
            }
            for (int k = column; k < size && pivot != column; k++) {
                double kept = matrix[pivot * size + k];
                matrix[pivot * size + k] = matrix[column * size + k];
                matrix[column * size + k] = kept;
            }
            product *= pivot == column ? largest : -largest;
            for (int row = column + 1; row < size; row++) {
                double factor = matrix[row * size + column] / largest;
                for (int k = column + 1; k < size; k++) {
                    matrix[row * size + k] -= factor * matrix[column * size + k];
                }
            }
        }
        return product;
    }
}
