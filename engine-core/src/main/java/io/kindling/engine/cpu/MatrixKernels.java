package io.kindling.engine.cpu;

import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.Tensor;

/** {@code com.microsoft::Inverse} and {@code CDist}. */
final class MatrixKernels {
    private MatrixKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("com.microsoft", "Inverse", 1, request -> MatrixKernels::inverse);
        registrar.register("com.microsoft", "CDist", 1, request -> distances(request.node()));
    }

    /** Gauss and Jordan's elimination with row pivots, in double, for each matrix of a stack. */
    private static void inverse(KernelContext context) {
        Tensor x = context.input(0);
        if (x.rank() < 2 || x.dim(-1) != x.dim(-2)) {
            throw Shapes.invalid(x + " is no stack of square matrices");
        }
        Tensor y = context.output(0, x.type(), x.shape());
        int size = (int) x.dim(-1);
        double[] rows = Work.mine().doubles(0, 2 * size * size);
        for (int start = 0; start < x.elementCount(); start += size * size) {
            for (int r = 0; r < size; r++) {
                TensorIo.load(x, start + r * size, rows, 2 * r * size, size);
                for (int c = 0; c < size; c++) {
                    rows[(2 * r + 1) * size + c] = r == c ? 1 : 0;
                }
            }
            eliminate(rows, size);
            for (int r = 0; r < size; r++) {
                TensorIo.store(rows, (2 * r + 1) * size, y, start + r * size, size);
            }
        }
    }

    /** Turns {@code [A | I]} into {@code [I | A⁻¹]}. */
    private static void eliminate(double[] rows, int size) {
        int width = 2 * size;
        for (int p = 0; p < size; p++) {
            int best = p;
            for (int r = p + 1; r < size; r++) {
                best = Math.abs(rows[r * width + p]) > Math.abs(rows[best * width + p]) ? r : best;
            }
            double pivot = rows[best * width + p];
            for (int c = 0; c < width; c++) {
                double moved = rows[best * width + c];
                rows[best * width + c] = rows[p * width + c];
                rows[p * width + c] = moved / pivot;
            }
            for (int r = 0; r < size; r++) {
                double factor = rows[r * width + p];
                for (int c = 0; r != p && c < width; c++) {
                    rows[r * width + c] -= factor * rows[p * width + c];
                }
            }
        }
    }

    private static Kernel distances(Node node) {
        String metric = node.stringAttribute("metric", "sqeuclidean");
        boolean root = metric.equals("euclidean");
        if (!root && !metric.equals("sqeuclidean")) {
            throw Unsupported.of(node, "metric " + metric + " is not supported; euclidean and sqeuclidean are");
        }
        return context -> {
            Tensor a = context.input(0);
            Tensor b = context.input(1);
            if (a.rank() != 2 || b.rank() != 2 || a.dim(1) != b.dim(1)) {
                throw Shapes.invalid(a + " and " + b + " must be matrices with rows of one length");
            }
            int size = (int) a.dim(1);
            Tensor c = context.output(0, a.type(), a.dim(0), b.dim(0));
            double[] left = Work.mine().doubles(0, size);
            double[] right = Work.mine().doubles(1, TensorIo.count(b));
            TensorIo.load(b, 0, right, 0, TensorIo.count(b));
            for (int i = 0; i < a.dim(0); i++) {
                TensorIo.load(a, i * size, left, 0, size);
                for (int j = 0; j < b.dim(0); j++) {
                    double sum = 0;
                    for (int k = 0; k < size; k++) {
                        double difference = left[k] - right[j * size + k];
                        sum += difference * difference;
                    }
                    TensorIo.putDouble(c, i * (int) b.dim(0) + j, root ? Math.sqrt(sum) : sum);
                }
            }
        };
    }
}
