package io.kindling.engine.cpu;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;

/**
 * One machine for each pair of classes, which votes for one of them. Scores are the machines' margins or, where {@code prob_a} and
 * {@code prob_b} are there, probabilities of the classes: Platt's sigmoid for each pair, coupled by the second method of Wu, Lin and Weng,
 * "Probability estimates for multi-class classification by pairwise coupling" (2004).
 */
final class SvmClassifierKernel implements Kernel {
    private final KernelPool pool;
    private final ClassLabels labels;
    private final PostTransform transform;
    private final SvmKernels.Machine machine;
    private final double[] vectors;
    private final double[] coefficients;
    private final double[] rho;
    private final double[] probA;
    private final double[] probB;
    private final int[] starts;
    private final boolean linear;
    private final boolean noNegativeCoefficients;

    private SvmClassifierKernel(MlAttributes attributes, KernelPool pool) {
        this.pool = pool;
        labels = ClassLabels.of(attributes, "classlabels_ints");
        transform = PostTransform.of(attributes);
        vectors = attributes.numbers("support_vectors");
        coefficients = attributes.numbers("coefficients");
        rho = attributes.numbers("rho");
        probA = attributes.numbers("prob_a");
        probB = attributes.numbers("prob_b");
        long[] perClass = attributes.integers("vectors_per_class");
        starts = new int[labels.count() + 1];
        for (int c = 0; c < Math.min(perClass.length, labels.count()); c++) {
            starts[c + 1] = starts[c] + (int) perClass[c];
        }
        linear = starts[perClass.length == 0 ? 0 : labels.count()] == 0;
        machine = new SvmKernels.Machine(attributes, linear);
        noNegativeCoefficients = Arrays.stream(coefficients).allMatch(c -> c >= 0);
        int pairs = pairs();
        int supports = starts[labels.count()];
        boolean fits = linear
                ? rho.length > 0
                : rho.length >= pairs && coefficients.length >= (long) (labels.count() - 1) * supports;
        if (!fits || probA.length != probB.length || probA.length > 0 && probA.length < pairs) {
            throw attributes.invalid("has " + rho.length + " rho, " + coefficients.length + " coefficients and "
                    + probA.length + " probabilities for " + supports + " support vectors of " + labels.count()
                    + " classes");
        }
    }

    static Kernel create(KernelRequest request, KernelPool pool) {
        return new SvmClassifierKernel(new MlAttributes(request.node()), pool);
    }

    private int pairs() {
        return labels.count() * (labels.count() - 1) / 2;
    }

    @Override
    public void execute(KernelContext context) {
        Tensor x = context.input(0);
        int size = (int) x.dim(-1);
        int rows = x.rank() == 1 ? 1 : (int) x.dim(0);
        int count = labels.count();
        long needed = (long) size * (linear ? count : starts[count]);
        if ((linear ? coefficients.length : vectors.length) < needed) {
            throw Shapes.invalid("X is " + x + " and the machine was trained on fewer features");
        }
        int width = linear || probA.length > 0 ? count : Math.max(2, pairs());
        Tensor z = context.output(1, DataType.FLOAT, rows, width);
        int[] classes = new int[rows];
        pool.run(rows, row -> {
            double[] values = Work.mine().doubles(0, size);
            double[] scores = Work.mine().doubles(1, Math.max(width, pairs()));
            TensorIo.load(x, row * size, values, 0, size);
            classes[row] = linear ? byModels(values, size, scores) : byPairs(values, size, scores);
            TensorIo.store(scores, 0, z, row * width, width);
        });
        labels.write(context, classes);
    }

    /** Without support vectors: one linear model a class. */
    private int byModels(double[] x, int size, double[] scores) {
        int count = labels.count();
        int best = 0;
        for (int c = 0; c < count; c++) {
            scores[c] = machine.value(x, coefficients, c * size, size) + rho[0];
            best = scores[c] > scores[best] ? c : best;
        }
        double largest = scores[best];
        transform.apply(scores, count);
        boolean second = count == 2 && probA.length == 0 && (noNegativeCoefficients ? largest >= 0.5 : largest > 0);
        return second ? 1 : best;
    }

    private int byPairs(double[] x, int size, double[] scores) {
        int count = labels.count();
        int supports = starts[count];
        double[] similarity = Work.mine().doubles(2, supports);
        for (int s = 0; s < supports; s++) {
            similarity[s] = machine.value(x, vectors, s * size, size);
        }
        int[] votes = new int[count];
        int pair = 0;
        for (int i = 0; i < count; i++) {
            for (int j = i + 1; j < count; j++) {
                double sum = weighted(similarity, (j - 1) * supports, i) + weighted(similarity, i * supports, j);
                scores[pair] = sum + rho[pair];
                votes[scores[pair++] > 0 ? i : j]++;
            }
        }
        int best = 0;
        for (int c = 1; c < count; c++) {
            best = votes[c] > votes[best] ? c : best;
        }
        if (probA.length > 0) {
            System.arraycopy(coupled(scores), 0, scores, 0, count);
            transform.apply(scores, count);
        } else if (count == 2) {
            transform.spread(scores, transform != PostTransform.NONE);
        } else {
            transform.apply(scores, pairs());
        }
        return best;
    }

    /** Similarities to the vectors of a class, weighted by the row of coefficients that begins at {@code offset}. */
    private double weighted(double[] similarity, int offset, int c) {
        double sum = 0;
        for (int s = starts[c]; s < starts[c + 1]; s++) {
            sum += coefficients[offset + s] * similarity[s];
        }
        return sum;
    }

    /** Probabilities of the classes from the margins of the pairs. */
    private double[] coupled(double[] margins) {
        int count = labels.count();
        double[][] wins = new double[count][count];
        int pair = 0;
        for (int i = 0; i < count; i++) {
            for (int j = i + 1; j < count; j++, pair++) {
                double p = UnaryKernels.sigmoid(-(margins[pair] * probA[pair] + probB[pair]));
                wins[i][j] = Math.max(1e-7, Math.min(1 - 1e-7, p));
                wins[j][i] = 1 - wins[i][j];
            }
        }
        double[][] q = new double[count][count];
        double[] p = new double[count];
        for (int i = 0; i < count; i++) {
            p[i] = 1.0 / count;
            for (int j = 0; j < count; j++) {
                q[i][i] += j == i ? 0 : wins[j][i] * wins[j][i];
                q[i][j] = j == i ? q[i][i] : -wins[j][i] * wins[i][j];
            }
        }
        fixedPoint(q, p);
        return p;
    }

    /** Iterates {@code p} towards the minimum of pᵀQp on the simplex, as libsvm does. */
    private static void fixedPoint(double[][] q, double[] p) {
        int count = p.length;
        double[] qp = new double[count];
        for (int loop = 0; loop < 100; loop++) {
            double pqp = 0;
            for (int i = 0; i < count; i++) {
                qp[i] = 0;
                for (int j = 0; j < count; j++) {
                    qp[i] += q[i][j] * p[j];
                }
                pqp += p[i] * qp[i];
            }
            double error = 0;
            for (int i = 0; i < count; i++) {
                error = Math.max(error, Math.abs(qp[i] - pqp));
            }
            if (error < 0.005 / count) {
                return;
            }
            for (int i = 0; i < count; i++) {
                double step = (pqp - qp[i]) / q[i][i];
                p[i] += step;
                pqp = (pqp + step * (step * q[i][i] + 2 * qp[i])) / (1 + step) / (1 + step);
                for (int j = 0; j < count; j++) {
                    qp[j] = (qp[j] + step * q[i][j]) / (1 + step);
                    p[j] /= 1 + step;
                }
            }
        }
    }
}
