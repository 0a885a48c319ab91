package io.kindling.engine.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Precision;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every instruction set this machine runs, against double arithmetic over the dequantised weights. */
class NativeMatMulNBitsTest {
    private enum Zeros {
        NONE,
        BYTES,
        FLOATS
    }

    private record Shape(int m, int n, int k, int bits, int block, Zeros zeros, boolean halfScales, boolean bias) {}

    private static final List<Shape> SHAPES = List.of(
            new Shape(1, 1, 16, 4, 16, Zeros.NONE, false, false),
            new Shape(3, 65, 31, 4, 32, Zeros.NONE, true, true),
            new Shape(2, 130, 97, 4, 32, Zeros.FLOATS, false, false),
            new Shape(9, 33, 100, 4, 64, Zeros.BYTES, true, false),
            new Shape(13, 48, 90, 4, 16, Zeros.BYTES, false, true),
            new Shape(5, 7, 64, 8, 16, Zeros.NONE, true, false),
            new Shape(19, 17, 257, 8, 128, Zeros.BYTES, false, false),
            new Shape(7, 16, 33, 8, 32, Zeros.FLOATS, true, true));

    private static List<String> levels() {
        assertThat(NativeLibrary.unavailableReason()).isEmpty();
        return KernelSet.all().stream().map(KernelSet::level).toList();
    }

    static Stream<Arguments> levelsAndShapes() {
        return levels().stream().flatMap(level -> SHAPES.stream().map(shape -> Arguments.of(level, shape)));
    }

    static Stream<Arguments> levelsAndPrecisions() {
        return levels().stream().flatMap(level -> Stream.of(Precision.EXACT, Precision.BALANCED)
                .map(precision -> Arguments.of(level, precision)));
    }

    /** Random operands of one shape. */
    private static final class Operands {
        private final Random random = new Random(11);
        private final Shape shape;
        private final int blocks;
        private final float[] a;
        private final byte[] codes;
        private final float[] scales;
        private final byte[] zeroBytes;
        private final float[] zeroFloats;
        private final float[] bias;

        Operands(Shape shape) {
            this.shape = shape;
            blocks = (shape.k + shape.block - 1) / shape.block;
            a = floats(shape.m * shape.k);
            codes = bytes(shape.n * blocks * shape.block * shape.bits / 8);
            scales = floats(shape.n * blocks);
            for (int i = 0; i < scales.length; i++) {
                // Twelve bits are exact in float16; the rest of a float is not.
                scales[i] = shape.halfScales ? Math.round(scales[i] * 256) / 256f : scales[i];
            }
            zeroBytes = bytes(shape.n * ((blocks * shape.bits + 7) / 8));
            zeroFloats = floats(shape.n * blocks);
            bias = floats(shape.n);
        }

        private float[] floats(int count) {
            float[] values = new float[count];
            for (int i = 0; i < count; i++) {
                values[i] = (float) random.nextGaussian();
            }
            return values;
        }

        private byte[] bytes(int count) {
            byte[] values = new byte[count];
            random.nextBytes(values);
            return values;
        }

        private int field(byte[] packed, int rowBytes, int row, int index) {
            int bit = index * shape.bits;
            return (packed[row * rowBytes + bit / 8] & 0xff) >> bit % 8 & (1 << shape.bits) - 1;
        }

        double weight(int column, int row) {
            int block = row / shape.block;
            double zero =
                    switch (shape.zeros) {
                        case NONE -> 1 << shape.bits - 1;
                        case BYTES -> field(zeroBytes, (blocks * shape.bits + 7) / 8, column, block);
                        case FLOATS -> zeroFloats[column * blocks + block];
                    };
            int code = field(codes, blocks * shape.block * shape.bits / 8, column, row);
            return (code - zero) * scales[column * blocks + block];
        }

        Tensor[] inputs(int first, int rows) {
            Tensor packed = Tensor.allocateHost(DataType.UINT8, shape.n, blocks, shape.block * shape.bits / 8);
            packed.bytes().put(0, codes);
            Tensor zeros =
                    switch (shape.zeros) {
                        case NONE -> null;
                        case BYTES -> {
                            Tensor tensor = Tensor.allocateHost(DataType.UINT8, zeroBytes.length);
                            tensor.bytes().put(0, zeroBytes);
                            yield tensor;
                        }
                        case FLOATS -> Tensor.ofFloats(new long[] {shape.n, blocks}, zeroFloats);
                    };
            return new Tensor[] {
                Tensor.ofFloats(
                        new long[] {rows, shape.k}, Arrays.copyOfRange(a, first * shape.k, (first + rows) * shape.k)),
                packed,
                Tensor.ofFloats(new long[] {shape.n, blocks}, scales),
                zeros,
                null,
                shape.bias ? Tensor.ofFloats(new long[] {shape.n}, bias) : null
            };
        }

        float[] run(String level, Precision precision, int threads, int first, int rows) {
            OneNode node = OneNode.of("com.microsoft", 1, "MatMulNBits")
                    .with("K", shape.k)
                    .with("N", shape.n)
                    .with("bits", shape.bits)
                    .with("block_size", shape.block)
                    .precision(precision)
                    .constants(1, 2, 3, 5);
            try (Provider provider = OneNode.provider(threads, new NativeBackend(level))) {
                float[] result =
                        OneNode.floats(node.runOn(provider, inputs(first, rows)).get(0));
                assertThat(node.variant())
                        .isEqualTo("native " + level + (precision == Precision.EXACT ? " float" : " int8 activations"));
                return result;
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndShapes")
    void productsAreThoseOfTheDequantisedWeights(String level, Shape shape) {
        Operands operands = new Operands(shape);
        float[] exact = operands.run(level, Precision.EXACT, 2, 0, shape.m);
        float[] quantised = operands.run(level, Precision.BALANCED, 2, 0, shape.m);
        for (int row = 0; row < shape.m; row++) {
            for (int column = 0; column < shape.n; column++) {
                double sum = shape.bias ? operands.bias[column] : 0;
                double quantisedSum = sum;
                double magnitude = 1e-30 + Math.abs(sum);
                for (int start = 0; start < shape.k; start += 32) {
                    int end = Math.min(start + 32, shape.k);
                    float max = 0;
                    for (int i = start; i < end; i++) {
                        max = Math.max(max, Math.abs(operands.a[row * shape.k + i]));
                    }
                    float inverse = 127f / max;
                    for (int i = start; i < end; i++) {
                        double weight = operands.weight(column, i);
                        float value = operands.a[row * shape.k + i];
                        sum += value * weight;
                        quantisedSum += (float) Math.rint(value * inverse) * (double) (max / 127f) * weight;
                        magnitude += Math.abs(value * weight);
                    }
                }
                int at = row * shape.n + column;
                // Float zero points cancel codes that are up to 15 or 255 times as large as the difference.
                double error = magnitude * (shape.zeros == Zeros.FLOATS ? 2e-5 : 1e-6);
                assertThat((double) exact[at]).isCloseTo(sum, within(magnitude * 1e-6));
                assertThat((double) quantised[at]).isCloseTo(quantisedSum, within(error));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndPrecisions")
    void aRowHasTheSameBitsForEveryNumberOfRowsAndThreads(String level, Precision precision) {
        for (int bits : new int[] {4, 8}) {
            int n = 310;
            Operands operands = new Operands(new Shape(35, n, 131, bits, 32, Zeros.NONE, false, false));
            float[] together = operands.run(level, precision, 1, 0, 35);
            for (int row : new int[] {0, 1, 31, 33, 34}) {
                assertThat(operands.run(level, precision, 2, row, 1))
                        .isEqualTo(Arrays.copyOfRange(together, row * n, row * n + n));
            }
            assertThat(operands.run(level, precision, 3, 1, 33)).isEqualTo(Arrays.copyOfRange(together, n, 34 * n));
            assertThat(operands.run(level, precision, 2, 5, 7)).isEqualTo(Arrays.copyOfRange(together, 5 * n, 12 * n));
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndPrecisions")
    void zerosGiveZerosAndNaNStaysInItsRow(String level, Precision precision) {
        Operands operands = new Operands(new Shape(3, 20, 64, 4, 32, Zeros.NONE, false, false));
        Arrays.fill(operands.a, 0, 64, 0);
        operands.a[64 + 5] = Float.NaN;
        float[] result = operands.run(level, precision, 1, 0, 3);
        for (int column = 0; column < 20; column++) {
            assertThat(result[column]).isZero();
            assertThat(result[20 + column]).isNaN();
            assertThat(result[40 + column]).isFinite();
        }
    }
}
