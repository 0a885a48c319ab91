package io.kindling.engine.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** What tests of float32 products have in common: operands, and sums in double arithmetic. */
abstract class GemmLevels extends NativeLevels {
    static Stream<Arguments> levelsAndPacking() {
        return levels().flatMap(level -> Stream.of(Arguments.of(level, true), Arguments.of(level, false)));
    }

    static float[] values(int count, int seed) {
        Random random = new Random(seed);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    static Tensor tensor(float[] values, long... shape) {
        return Tensor.ofFloats(shape, Arrays.copyOf(values, (int) Tensor.count(shape)));
    }

    static String variant(String level, boolean packed) {
        return "native " + level + (packed ? " packed" : "");
    }

    static Tensor run(OneNode node, Provider provider, Tensor... inputs) {
        return (Tensor) node.runOn(provider, inputs).get(0);
    }

    static void assertSum(
            float got, float[] a, int startA, int stepA, float[] b, int startB, int stepB, int k, double start) {
        assertSum(got, a, startA, stepA, b, startB, stepB, k, start, 2e-6);
    }

    /** @param tolerance error in proportion to the sum of all magnitudes */
    static void assertSum(
            float got,
            float[] a,
            int startA,
            int stepA,
            float[] b,
            int startB,
            int stepB,
            int k,
            double start,
            double tolerance) {
        double sum = start;
        double magnitude = Math.abs(start) + 1e-30;
        for (int i = 0; i < k; i++) {
            double term = (double) a[startA + i * stepA] * b[startB + i * stepB];
            sum += term;
            magnitude += Math.abs(term);
        }
        assertThat(Math.abs(got - sum)).isLessThanOrEqualTo(tolerance * magnitude);
    }
}
