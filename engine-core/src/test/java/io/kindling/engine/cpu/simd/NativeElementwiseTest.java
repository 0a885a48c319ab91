package io.kindling.engine.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every instruction set this machine runs, against double arithmetic, around the vector length of 16. */
class NativeElementwiseTest {
    private static final int[] SIZES = {1, 7, 15, 16, 17, 31, 67};

    static Stream<Arguments> levelsAndSizes() {
        assertThat(NativeLibrary.unavailableReason()).isEmpty();
        return KernelSet.all().stream()
                .flatMap(set -> java.util.Arrays.stream(SIZES).mapToObj(size -> Arguments.of(set.level(), size)));
    }

    private static float[] gaussians(int seed, int count) {
        Random random = new Random(seed);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian() * 5;
        }
        return values;
    }

    private static List<Value> run(String level, OneNode node, Tensor... inputs) {
        try (Provider provider = OneNode.provider(2, new NativeBackend(level))) {
            List<Value> result = node.runOn(provider, inputs);
            assertThat(node.variant()).isEqualTo("native " + level);
            return result;
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndSizes")
    void arithmeticIsThatOfFloats(String level, int size) {
        float[] x = gaussians(1, 3 * size);
        float[] y = gaussians(2, 3 * size);
        for (String op : List.of("Add", "Sub", "Mul", "Div", "Sigmoid")) {
            Tensor a = Tensor.ofFloats(new long[] {3, size}, x);
            Tensor b = Tensor.ofFloats(new long[] {3, size}, y);
            OneNode node = OneNode.of("", 17, op);
            float[] got = OneNode.floats((op.equals("Sigmoid") ? run(level, node, a) : run(level, node, a, b)).get(0));
            for (int i = 0; i < x.length; i++) {
                double want =
                        switch (op) {
                            case "Add" -> x[i] + y[i];
                            case "Sub" -> x[i] - y[i];
                            case "Mul" -> x[i] * y[i];
                            case "Div" -> x[i] / y[i];
                            default -> 1 / (1 + Math.exp(-x[i]));
                        };
                double tolerance = op.equals("Sigmoid") ? want * 5e-7 : 0;
                assertThat((double) got[i]).isCloseTo(want, within(tolerance));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndSizes")
    void rowsAreDividedByTheirRootMeanSquare(String level, int size) {
        float[] x = gaussians(3, 5 * size);
        float[] skip = gaussians(4, 5 * size);
        float[] scale = gaussians(5, size);
        float[] bias = gaussians(6, size);
        long[] shape = {5, size};
        OneNode plain = OneNode.of("", 17, "SimplifiedLayerNormalization").with("epsilon", Attribute.of(1e-3f));
        OneNode skipping = OneNode.of("com.microsoft", 1, "SkipSimplifiedLayerNormalization")
                .with("epsilon", Attribute.of(1e-3f));
        Tensor scales = Tensor.ofFloats(new long[] {size}, scale);
        float[] normal = OneNode.floats(
                run(level, plain, Tensor.ofFloats(shape, x), scales).get(0));
        float[] skipped = OneNode.floats(run(
                        level,
                        skipping,
                        Tensor.ofFloats(shape, x),
                        Tensor.ofFloats(shape, skip),
                        scales,
                        Tensor.ofFloats(new long[] {size}, bias))
                .get(0));
        for (int row = 0; row < 5; row++) {
            double squares = 0;
            double skippedSquares = 0;
            for (int i = row * size; i < (row + 1) * size; i++) {
                squares += (double) x[i] * x[i];
                skippedSquares += Math.pow(x[i] + skip[i] + bias[i % size], 2);
            }
            for (int i = row * size; i < (row + 1) * size; i++) {
                double want = x[i] / Math.sqrt(squares / size + 1e-3) * scale[i % size];
                double total = x[i] + skip[i] + bias[i % size];
                double wantSkipped = total / Math.sqrt(skippedSquares / size + 1e-3) * scale[i % size];
                assertThat((double) normal[i]).isCloseTo(want, within(1e-6 * (1 + Math.abs(want))));
                assertThat((double) skipped[i]).isCloseTo(wantSkipped, within(1e-5));
            }
        }
    }
}
