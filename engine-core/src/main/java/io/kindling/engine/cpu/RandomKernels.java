package io.kindling.engine.cpu;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Kernel;
import io.kindling.engine.provider.KernelContext;
import io.kindling.engine.provider.KernelRequest;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.random.Philox;
import java.util.Optional;

/**
 * Random tensors. A number follows from the seed (the node's, else the session's together with the node's name), how many
 * bodies have begun in the run, and the element's place: every run of a graph gives the same, every iteration of a loop
 * its own.
 */
final class RandomKernels {
    private RandomKernels() {}

    static void register(CpuKernels.Registrar registrar) {
        registrar.register("", "RandomUniform", 1, request -> shaped(request, uniform(request.node())));
        registrar.register("", "RandomNormal", 1, request -> shaped(request, normal(request.node())));
        registrar.register("", "RandomUniformLike", 1, request -> like(request, uniform(request.node())));
        registrar.register("", "RandomNormalLike", 1, request -> like(request, normal(request.node())));
        registrar.register("", "Bernoulli", 15, RandomKernels::bernoulli);
        registrar.register("", "Multinomial", 7, RandomKernels::multinomial);
    }

    /** The numbers of one execution of a node. */
    record Draws(long seed, long bodyRuns) {
        /** In [0, 1). */
        double uniform(long index) {
            return Philox.uniform(seed, bodyRuns, index);
        }

        /** Of mean 0 and deviation 1, from two uniform numbers by Box and Muller's transform (1958). */
        double normal(long index) {
            double radius = Math.sqrt(-2 * Math.log(1 - uniform(2 * index)));
            return radius * Math.cos(2 * Math.PI * uniform(2 * index + 1));
        }
    }

    private interface Distribution {
        double value(Draws draws, int index);
    }

    private static Distribution uniform(Node node) {
        double low = node.floatAttribute("low", 0);
        double high = node.floatAttribute("high", 1);
        return (draws, index) -> low + draws.uniform(index) * (high - low);
    }

    private static Distribution normal(Node node) {
        double mean = node.floatAttribute("mean", 0);
        double scale = node.floatAttribute("scale", 1);
        return (draws, index) -> mean + scale * draws.normal(index);
    }

    /** The seed of a node that names none: nodes of one session draw different numbers. */
    static long sessionSeed(KernelRequest request) {
        return request.seed() ^ (long) request.node().name().hashCode() << 32;
    }

    private static long seed(KernelRequest request) {
        return request.node().attribute("seed").orElse(null) instanceof Attribute.FloatValue seed
                ? Float.floatToIntBits(seed.value())
                : sessionSeed(request);
    }

    private static Optional<DataType> type(Node node) {
        return DataType.ofCode((int) node.intAttribute("dtype", 0));
    }

    private static Kernel shaped(KernelRequest request, Distribution distribution) {
        long[] shape =
                request.node().intsAttribute("shape").orElseThrow(() -> Shapes.invalid("attribute shape is missing"));
        DataType type = type(request.node()).orElse(DataType.FLOAT);
        long seed = seed(request);
        return context -> fill(context, type, shape, seed, distribution);
    }

    private static Kernel like(KernelRequest request, Distribution distribution) {
        Optional<DataType> wanted = type(request.node());
        long seed = seed(request);
        return context -> {
            Tensor x = context.input(0);
            fill(context, wanted.orElse(x.type()), x.shape(), seed, distribution);
        };
    }

    private static void fill(KernelContext context, DataType type, long[] shape, long seed, Distribution distribution) {
        Tensor y = context.output(0, type, shape);
        Draws draws = new Draws(seed, context.bodyRuns());
        for (int k = 0; k < y.elementCount(); k++) {
            TensorIo.putNumber(y, k, distribution.value(draws, k));
        }
    }

    private static Kernel bernoulli(KernelRequest request) {
        Optional<DataType> wanted = type(request.node());
        long seed = seed(request);
        return context -> {
            Tensor x = context.input(0);
            fill(
                    context,
                    wanted.orElse(x.type()),
                    x.shape(),
                    seed,
                    (draws, index) -> draws.uniform(index) < TensorIo.getDouble(x, index) ? 1 : 0);
        };
    }

    /** Classes drawn by the softmax of each row of {@code [batch, classes]}. */
    private static Kernel multinomial(KernelRequest request) {
        DataType type = type(request.node()).orElse(DataType.INT32);
        int samples = (int) request.node().intAttribute("sample_size", 1);
        long seed = seed(request);
        return context -> {
            Tensor x = context.input(0);
            int classes = (int) x.dim(1);
            double[] sums = new double[Math.toIntExact(x.elementCount())];
            for (int row = 0; row < x.dim(0); row++) {
                double max = Double.NEGATIVE_INFINITY;
                for (int k = 0; k < classes; k++) {
                    max = Math.max(max, TensorIo.getDouble(x, row * classes + k));
                }
                double sum = 0;
                for (int k = 0; k < classes; k++) {
                    sum += Math.exp(TensorIo.getDouble(x, row * classes + k) - max);
                    sums[row * classes + k] = sum;
                }
            }
            fill(context, type, new long[] {x.dim(0), samples}, seed, (draws, index) -> {
                int first = index / samples * classes;
                double point = draws.uniform(index) * sums[first + classes - 1];
                int chosen = 0;
                while (chosen < classes - 1 && sums[first + chosen] <= point) {
                    chosen++;
                }
                return chosen;
            });
        };
    }
}
