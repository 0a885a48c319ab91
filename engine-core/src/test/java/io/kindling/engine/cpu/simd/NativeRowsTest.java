package io.kindling.engine.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.provider.Tensor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Normalisations and softmax of every instruction set this machine runs. */
class NativeRowsTest extends NativeLevels {
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

    @ParameterizedTest
    @MethodSource("levelsAndSizes")
    void rowsAreNormalisedAsByTheReference(String level, int size) {
        Tensor x = Tensor.ofFloats(new long[] {5, size}, gaussians(11, 5 * size));
        Tensor skip = Tensor.ofFloats(new long[] {5, size}, gaussians(12, 5 * size));
        Tensor scale = Tensor.ofFloats(new long[] {size}, gaussians(13, size));
        Tensor shift = Tensor.ofFloats(new long[] {size}, gaussians(14, size));
        Tensor bias = Tensor.ofFloats(new long[] {size}, gaussians(15, size));
        // One value alone has no variance: only epsilon keeps the quotient finite.
        Attribute epsilon = Attribute.of(1e-3f);
        OneNode layer = OneNode.of("", 17, "LayerNormalization").with("epsilon", epsilon);
        OneNode skipLayer =
                OneNode.of("com.microsoft", 1, "SkipLayerNormalization").with("epsilon", epsilon);
        equalToReference(level, layer, 2e-5, x, scale);
        equalToReference(level, layer, 2e-5, x, scale, shift);
        equalToReference(level, skipLayer, 2e-5, x, skip, scale, shift, bias);
    }

    @ParameterizedTest
    @MethodSource("levelsAndSizes")
    void softmaxIsThatOfTheReference(String level, int size) {
        Tensor x = Tensor.ofFloats(new long[] {2, 3, size}, gaussians(16, 6 * size));
        equalToReference(level, OneNode.of("", 17, "Softmax"), 5e-7, x);
        equalToReference(level, OneNode.of("", 11, "Softmax"), 5e-7, x);
        equalToReference(level, OneNode.of("", 11, "Softmax").with("axis", 0), 5e-7, x);
    }

    /** Masked places have no share; a row of nothing else, or with a NaN, is NaN. */
    @ParameterizedTest
    @MethodSource("levels")
    void softmaxOfMaskedRows(String level) {
        float masked = Float.NEGATIVE_INFINITY;
        Tensor x = Tensor.ofFloats(new long[] {3, 3}, masked, 0, 1, masked, masked, masked, Float.NaN, 1, 2);
        equalToReference(level, OneNode.of("", 17, "Softmax"), 1e-6, x);
    }
}
