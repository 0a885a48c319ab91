package io.kindling.engine.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every instruction set this machine runs, against double arithmetic, around the vector length of 16. */
class NativeElementwiseTest extends NativeLevels {
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

    /** Shapes of two operands around the given size, and how the second repeats. */
    @ParameterizedTest
    @MethodSource("levelsAndSizes")
    void operandsBroadcast(String level, int size) {
        float[] x = gaussians(7, 6 * size);
        float[] y = gaussians(8, 6 * size);
        long[] whole = {2, 3, size};
        broadcast(level, size, whole, new long[] {size}, x, y, (b, r, i) -> i);
        broadcast(level, size, whole, new long[] {3, size}, x, y, (b, r, i) -> r * size + i);
        broadcast(level, size, whole, new long[] {2, 1, size}, x, y, (b, r, i) -> b * size + i);
        broadcast(level, size, whole, new long[] {2, 3, 1}, x, y, (b, r, i) -> b * 3 + r);
        broadcast(level, size, whole, new long[] {3, 1}, x, y, (b, r, i) -> r);
        broadcast(level, size, whole, new long[] {1}, x, y, (b, r, i) -> 0);
    }

    private interface Place {
        int of(int batch, int row, int column);
    }

    private static void broadcast(
            String level, int size, long[] whole, long[] part, float[] x, float[] y, Place place) {
        Tensor a = Tensor.ofFloats(whole, x);
        Tensor b = Tensor.ofFloats(part, Arrays.copyOf(y, (int) Tensor.count(part)));
        float[] ab = OneNode.floats(run(level, OneNode.of("", 17, "Sub"), a, b).get(0));
        float[] ba = OneNode.floats(run(level, OneNode.of("", 17, "Div"), b, a).get(0));
        for (int k = 0; k < x.length; k++) {
            float other = y[place.of(k / (3 * size), k / size % 3, k % size)];
            assertThat(ab[k]).isEqualTo(x[k] - other);
            assertThat(ba[k]).isEqualTo(other / x[k]);
        }
    }

    /** Against the double functions of the reference kernels, on values of every size. */
    @ParameterizedTest
    @MethodSource("levelsAndSizes")
    void activationsAreThoseOfTheReference(String level, int size) {
        float[] x = gaussians(9, 3 * size);
        for (int i = 0; i < x.length; i += 5) {
            x[i] *= (float) Math.pow(10, i % 7 - 5);
        }
        x[0] = -0.0f;
        Tensor a = Tensor.ofFloats(new long[] {3, size}, x);
        Tensor bias = Tensor.ofFloats(new long[] {size}, gaussians(10, size));
        equalToReference(level, OneNode.of("", 17, "Relu"), 0, a);
        equalToReference(level, OneNode.of("", 17, "Tanh"), 5e-7, a);
        equalToReference(level, OneNode.of("", 17, "Erf"), 2e-7, a);
        equalToReference(level, OneNode.of("", 20, "Gelu"), 3e-7, a);
        equalToReference(level, OneNode.of("", 20, "Gelu").with("approximate", Attribute.of("tanh")), 1e-6, a);
        equalToReference(level, OneNode.of("com.microsoft", 1, "Gelu"), 3e-7, a);
        equalToReference(level, OneNode.of("com.microsoft", 1, "BiasGelu"), 3e-7, a, bias);
        equalToReference(level, OneNode.of("com.microsoft", 1, "FastGelu"), 1e-6, a, bias);
        equalToReference(level, OneNode.of("com.microsoft", 1, "FastGelu"), 1e-6, a);
    }

    @ParameterizedTest
    @MethodSource("levels")
    void valuesThatAreNoNumbersStaySuch(String level) {
        float infinite = Float.POSITIVE_INFINITY;
        Tensor a = Tensor.ofFloats(new long[] {8}, Float.NaN, infinite, -infinite, 1, -1, 0, 100, -100);
        for (String op : List.of("Relu", "Tanh", "Erf")) {
            equalToReference(level, OneNode.of("", 17, op), 1e-6, a);
        }
    }
}
