package io.kindling.engine.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Products of bytes and quantisation on every instruction set this machine runs: the very bits of integer arithmetic and the reference. */
class NativeIntegerTest extends IntegerLevels {
    private static final String MICROSOFT = "com.microsoft";
    private static final int[] ROWS = {1, 3, 4, 17, 66};
    private static final int[] COLUMNS = {1, 31, 49};
    private static final int[] DEPTHS = {1, 66, 131};

    static Stream<Arguments> levelsAndTargets() {
        return levels().flatMap(
                        level -> Stream.of(DataType.UINT8, DataType.INT8).map(type -> Arguments.of(level, type)));
    }

    private static int at(Tensor tensor, int index) {
        byte value = tensor.bytes().get(index);
        return tensor.type() == DataType.INT8 ? value : value & 0xff;
    }

    private static int[] product(Tensor a, Tensor zeroA, Tensor b, Tensor zeroB) {
        int k = (int) a.dim(-1);
        int n = (int) b.dim(-1);
        int[] sums = new int[(int) a.elementCount() / k * n];
        for (int i = 0; i < sums.length; i++) {
            int left = at(zeroA, zeroA.elementCount() == 1 ? 0 : i / n);
            int right = at(zeroB, zeroB.elementCount() == 1 ? 0 : i % n);
            for (int j = 0; j < k; j++) {
                sums[i] += (at(a, i / n * k + j) - left) * (at(b, j * n + i % n) - right);
            }
        }
        return sums;
    }

    private static int[] ints(Value value) {
        int[] values = new int[(int) ((Tensor) value).elementCount()];
        ((Tensor) value).ints().get(values);
        return values;
    }

    @ParameterizedTest
    @MethodSource("levelsAndTypes")
    void sumsOfAwkwardSizesAreExact(String level, DataType left, DataType right) {
        for (int k : DEPTHS) {
            for (int n : COLUMNS) {
                Tensor b = bytes(right, 2, k, n);
                for (int m : ROWS) {
                    Tensor a = bytes(left, 1, m, k);
                    Tensor zeroA = bytes(left, 3, m % 2 == 0 ? 1 : m);
                    Tensor zeroB = bytes(right, 4, n % 2 == 0 ? 1 : n);
                    boolean constant = m % 2 == 0;
                    OneNode node = OneNode.of("", 17, "MatMulInteger");
                    String variant = "native " + level + (constant ? " packed" : "");
                    node = constant ? node.constants(1) : node;
                    int[] got =
                            ints(run(variant, level, node, a, b, zeroA, zeroB).get(0));
                    assertThat(got).as("%d x %d x %d", m, k, n).isEqualTo(product(a, zeroA, b, zeroB));
                }
            }
        }
    }

    /** The largest products over many values of k, and sums that wrap as 32 bits do. */
    @ParameterizedTest
    @MethodSource("levelsAndTypes")
    void extremesDoNotSaturate(String level, DataType left, DataType right) {
        int m = 3;
        int k = 70000;
        int n = 4;
        byte[] a = new byte[m * k];
        byte[] b = new byte[k * n];
        byte[] ends = {(byte) 0x80, 0x7f, (byte) 0xff, 0};
        for (int i = 0; i < a.length; i++) {
            a[i] = ends[i / k];
        }
        for (int i = 0; i < b.length; i++) {
            b[i] = ends[i % n];
        }
        Tensor x = tensor(left, a, m, k);
        Tensor y = tensor(right, b, k, n);
        for (byte zero : new byte[] {0, 0x7f, (byte) 0x80}) {
            Tensor zeroA = tensor(left, new byte[] {zero});
            Tensor zeroB = tensor(right, new byte[] {(byte) (zero + 1)});
            List<Value> got = run(level, OneNode.of("", 17, "MatMulInteger"), x, y, zeroA, zeroB);
            assertThat(ints(got.get(0))).isEqualTo(product(x, zeroA, y, zeroB));
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndTypes")
    void stacksVectorsAndAbsentZeroPointsAreThoseOfTheReference(String level, DataType left, DataType right) {
        OneNode node = OneNode.of("", 17, "MatMulInteger");
        sameAsReference(level, "", node, bytes(left, 1, 2, 3, 35, 20), bytes(right, 2, 2, 3, 20, 18));
        sameAsReference(level, "", node, bytes(left, 3, 3, 35, 20), bytes(right, 4, 20, 18));
        sameAsReference(level, "", node, bytes(left, 5, 20), bytes(right, 6, 20, 33));
        Tensor zeros = bytes(right, 8, 18);
        sameAsReference(level, "", node, bytes(left, 7, 2, 5, 20), bytes(right, 4, 20, 18), bytes(left, 9), zeros);
        // Zero points of the rows of each matrix of a stack are left to the reference.
        run("java", level, node, bytes(left, 7, 2, 5, 20), bytes(right, 4, 20, 18), bytes(left, 9, 2, 5, 1), zeros);
    }

    @ParameterizedTest
    @MethodSource("levels")
    void stacksRepeatAsInNumpy(String level) {
        int m = 3;
        int k = 5;
        int n = 4;
        DataType type = DataType.UINT8;
        Tensor a = bytes(type, 1, 2, 1, m, k);
        Tensor b = bytes(type, 2, 3, k, n);
        Tensor none = tensor(type, new byte[1]);
        int[] wanted = IntStream.range(0, 6)
                .flatMap(i -> Arrays.stream(product(
                        tensor(type, Arrays.copyOfRange(content(a), i / 3 * m * k, (i / 3 + 1) * m * k), m, k),
                        none,
                        tensor(type, Arrays.copyOfRange(content(b), i % 3 * k * n, (i % 3 + 1) * k * n), k, n),
                        none)))
                .toArray();
        OneNode node = OneNode.of("", 17, "MatMulInteger");
        assertThat(ints(run(level, node, a, b).get(0))).isEqualTo(wanted);
        assertThat(ints(node.run(a, b))).isEqualTo(wanted);
        assertThat(node.run(a, b).shape()).containsExactly(2, 3, m, n);
        Tensor row = tensor(type, Arrays.copyOf(content(a), k), k);
        Tensor column = tensor(type, Arrays.copyOf(content(b), k), k);
        assertThat(node.run(row, column).shape()).isEmpty();
        Tensor columns = tensor(type, content(column), k, 1);
        assertThat(ints(node.run(row, column))).isEqualTo(product(row, none, columns, none));
    }

    @ParameterizedTest
    @MethodSource("levelsAndTypes")
    void scaledSumsHaveTheBitsOfTheReference(String level, DataType left, DataType right) {
        int k = 70;
        for (int n : new int[] {1, 33}) {
            for (int m : new int[] {1, 6, 37}) {
                Tensor a = bytes(left, 1, m, k);
                Tensor b = bytes(right, 2, k, n);
                Tensor bias = floats(new long[] {n}, gaussians(5, n));
                OneNode scaled =
                        OneNode.of(MICROSOFT, 1, "MatMulIntegerToFloat").constants(1);
                sameAsReference(
                        level,
                        " packed",
                        scaled,
                        a,
                        b,
                        scales(1, 1),
                        scales(2, n),
                        bytes(left, 3),
                        bytes(right, 4, n),
                        bias);
                sameAsReference(level, " packed", scaled, a, b, scales(1, 1), scales(2, 1));
                Tensor x = floats(new long[] {m, k}, gaussians(6, m * k));
                OneNode dynamic = OneNode.of(MICROSOFT, 1, "DynamicQuantizeMatMul");
                sameAsReference(level, "", dynamic, x, b, scales(2, n), bytes(right, 4, n), bias);
                sameAsReference(level, "", dynamic, x, b, scales(2, 1));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndTypes")
    void requantisedSumsHaveTheBitsOfTheReference(String level, DataType left, DataType right) {
        int m = 37;
        int k = 70;
        int n = 33;
        Tensor a = bytes(left, 1, m, k);
        Tensor b = bytes(right, 2, k, n);
        Tensor zeroA = bytes(left, 3);
        Tensor zeroB = bytes(right, 4, n);
        Tensor zeroY = bytes(left, 5);
        Tensor large = floats(new long[0], 40);
        OneNode node = OneNode.of("", 21, "QLinearMatMul").constants(3);
        Tensor one = scales(1, 1);
        sameAsReference(level, " packed", node, a, one, zeroA, b, scales(2, n), zeroB, large, zeroY);
        sameAsReference(level, " packed", node, a, scales(1, m), zeroA, b, scales(2, 1), bytes(right, 4), large, zeroY);
        run("java", level, node, a, scales(1, m), zeroA, b, scales(2, n), zeroB, large, zeroY);
        Tensor target = floats(new long[0], 3);
        for (Tensor c : new Tensor[] {null, ints(7, n), ints(8, 1, n), ints(9, m, 1), ints(10, m, n)}) {
            OneNode gemm = OneNode.of(MICROSOFT, 1, "QGemm").with("alpha", Attribute.of(0.7f));
            sameAsReference(level, "", gemm, a, one, zeroA, b, scales(2, n), zeroB, c, target, zeroY);
            sameAsReference(level, "", gemm, a, one, zeroA, b, scales(2, n), zeroB, c);
        }
        OneNode turned = OneNode.of(MICROSOFT, 1, "QGemm")
                .with("transA", 1)
                .with("transB", 1)
                .constants(3);
        Tensor aTurned = bytes(left, 11, k, m);
        Tensor bTurned = bytes(right, 12, n, k);
        sameAsReference(
                level, " packed", turned, aTurned, one, zeroA, bTurned, one, bytes(right, 4), ints(7, n), target);
    }

    @ParameterizedTest
    @MethodSource("levelsAndTargets")
    void quantisationHasTheBitsOfTheReference(String level, DataType type) {
        for (int size : new int[] {1, 17, 1100}) {
            float[] values = gaussians(1, 6 * size);
            for (int i = 0; i < values.length; i += 3) {
                values[i] = (float) Math.rint(values[i] * 8) / 16; // among them halves of the scale
            }
            values[0] = Float.NaN;
            values[size] = Float.POSITIVE_INFINITY;
            values[2 * size] = -3e38f;
            Tensor x = floats(new long[] {2, 3, size}, values);
            Tensor codes = bytes(type, 2, 2, 3, size);
            for (int axis : new int[] {-1, 1, 2}) {
                int count = axis == 1 ? 3 : size;
                Tensor zero = bytes(type, 3, count);
                OneNode quantize = OneNode.of("", 19, "QuantizeLinear").with("axis", axis);
                OneNode dequantize = OneNode.of("", 19, "DequantizeLinear").with("axis", axis);
                sameAsReference(level, "", quantize, x, scales(4, count), zero);
                sameAsReference(level, "", dequantize, codes, scales(4, count), zero);
                sameAsReference(level, "", dequantize, codes, scales(4, count));
            }
            Tensor eighth = floats(new long[0], 0.125f);
            sameAsReference(level, "", OneNode.of("", 19, "QuantizeLinear"), x, eighth, bytes(type, 5));
            sameAsReference(level, "", OneNode.of("", 19, "QuantizeLinear"), x, eighth);
            sameAsReference(level, "", OneNode.of("", 19, "DequantizeLinear"), codes, eighth, bytes(type, 5));
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndSizes")
    void dynamicQuantisationHasTheBitsOfTheReference(String level, int size) {
        OneNode node = OneNode.of("", 17, "DynamicQuantizeLinear").outputs(3);
        float[] values = gaussians(size, 300 * size);
        sameAsReference(level, "", node, floats(new long[] {300, size}, values));
        for (int i = 0; i < values.length; i++) {
            values[i] = -Math.abs(values[i]);
        }
        sameAsReference(level, "", node, floats(new long[] {300, size}, values));
        sameAsReference(level, "", node, floats(new long[] {size}, new float[size]));
        float[] odd = Arrays.copyOf(values, size);
        odd[size / 2] = Float.NaN;
        sameAsReference(level, "", node, floats(new long[] {size}, odd));
        odd[size / 2] = Float.POSITIVE_INFINITY;
        sameAsReference(level, "", node, floats(new long[] {size}, odd));
        odd[0] = Float.NEGATIVE_INFINITY;
        sameAsReference(level, "", node, floats(new long[] {size}, odd));
    }

    /** What C does not cover is left to the reference, which then says what it is. */
    @ParameterizedTest
    @MethodSource("levels")
    void otherTypesAreLeftToTheReference(String level) {
        Tensor codes = Tensor.ofInts(new long[] {4}, 1, -2, 3, 4);
        List<Value> got = run("java", level, OneNode.of("", 19, "DequantizeLinear"), codes, scales(1, 1));
        assertThat(OneNode.floats(got.get(0))).hasSize(4);
    }
}
