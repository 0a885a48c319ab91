package io.kindling.engine.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Products on every instruction set this machine runs, against double arithmetic. */
class NativeGemmTest extends GemmLevels {
    private static final int[] COLUMNS = {1, 15, 16, 17, 47, 48, 49, 100};
    private static final int[] DEPTHS = {0, 1, 3, 16, 65, 257};
    private static final int[] ROWS = {0, 1, 2, 7, 8, 9, 33};

    private static OneNode matMul(boolean constant) {
        OneNode node = OneNode.of("", 13, "MatMul");
        return constant ? node.constants(1) : node;
    }

    private static float[] product(
            Provider provider, String level, boolean packed, float[] a, float[] b, int m, int n, int k) {
        OneNode node = matMul(packed);
        Tensor c = run(node, provider, tensor(a, m, k), tensor(b, k, n));
        assertThat(node.variant()).isEqualTo(variant(level, packed && n * k > 0));
        assertThat(c.shape()).containsExactly(m, n);
        return OneNode.floats(c);
    }

    @ParameterizedTest
    @MethodSource("levelsAndPacking")
    void productsOfAwkwardSizesAreThoseOfDoubleArithmetic(String level, boolean packed) {
        try (Provider provider = OneNode.provider(2, new NativeBackend(level))) {
            for (int k : DEPTHS) {
                float[] a = values(33 * k, 1);
                for (int n : COLUMNS) {
                    float[] b = values(k * n, 2);
                    for (int m : ROWS) {
                        float[] c = product(provider, level, packed, a, b, m, n, k);
                        for (int i = 0; i < m * n; i++) {
                            assertSum(c[i], a, i / n * k, 1, b, i % n, n, k, 0);
                        }
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndPacking")
    void elementsAreFusedSumsInAscendingOrder(String level, boolean packed) {
        int m = 11;
        int n = 83;
        int k = 530;
        float[] a = values(m * k, 17);
        float[] b = values(k * n, 18);
        float[] expected = new float[m * n];
        for (int i = 0; i < m * n; i++) {
            float sum = 0;
            for (int j = 0; j < k && !level.equals("amx"); j++) {
                float x = a[i / n * k + j];
                float y = b[j * n + i % n];
                // The plainest set of x86 alone has no fused operation. The reference has none anywhere.
                sum = level.equals("sse2") ? sum + x * y : Math.fma(x, y, sum);
            }
            expected[i] = level.equals("amx") ? TileArithmetic.dot(a, i / n * k, b, i % n, n, k) : sum;
        }
        try (Provider provider = OneNode.provider(2, new NativeBackend(level))) {
            assertThat(product(provider, level, packed, a, b, m, n, k)).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndPacking")
    void infinityAndNanSpoilTheirOwnElementsOnly(String level, boolean packed) {
        int m = 37;
        int n = 53;
        int k = 70;
        float[] a = values(m * k, 19);
        float[] b = values(k * n, 20);
        try (Provider provider = OneNode.provider(2, new NativeBackend(level))) {
            float[] finite = product(provider, level, packed, a, b, m, n, k);
            a[3 * k + 5] = Float.POSITIVE_INFINITY;
            a[20 * k + 69] = Float.NaN;
            a[36 * k] = -Float.MAX_VALUE;
            b[7 * n + 40] = Float.NEGATIVE_INFINITY;
            b[8 * n + 1] = Float.MAX_VALUE;
            float[] c = product(provider, level, packed, a, b, m, n, k);
            for (int i = 0; i < m * n; i++) {
                int row = i / n;
                int column = i % n;
                boolean oddRow = row == 3 || row == 20 || row == 36;
                if (oddRow && column == 1) {
                    continue; // sums of infinities, whose order decides
                }
                if (oddRow || column == 40 || column == 1) {
                    double sum = 0;
                    for (int j = 0; j < k; j++) {
                        sum += (double) a[row * k + j] * b[j * n + column];
                    }
                    if (Float.isFinite((float) sum)) {
                        assertThat((double) c[i]).isCloseTo(sum, within(1e-5 * Math.abs(sum) + 1e-4));
                    } else {
                        assertThat(c[i]).as("row %s, column %s", row, column).isEqualTo(Float.valueOf((float) sum));
                    }
                } else if (column / 16 % 2 == 1) {
                    // Columns 1 and 40 may have made their panels change from tiles to vectors.
                    assertThat(c[i]).isEqualTo(finite[i]);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levels")
    void aRowHasTheSameBitsForEveryNumberOfRowsAndThreadsPackedOrNot(String level) {
        int most = 133;
        int k = 600;
        for (int n : new int[] {1, 17, 49, 310}) {
            float[] a = values(most * k, 3);
            float[] b = values(k * n, 4);
            float[] together = null;
            for (int threads = 1; threads <= 3; threads++) {
                try (Provider provider = OneNode.provider(threads, new NativeBackend(level))) {
                    for (boolean packed : new boolean[] {true, false}) {
                        float[] all = product(provider, level, packed, a, b, most, n, k);
                        together = together == null ? all : together;
                        assertThat(all).isEqualTo(together);
                        for (int[] part : new int[][] {{0, 1}, {32, 1}, {132, 1}, {5, 2}, {1, 7}, {3, 33}}) {
                            float[] some = Arrays.copyOfRange(a, part[0] * k, (part[0] + part[1]) * k);
                            assertThat(product(provider, level, packed, some, b, part[1], n, k))
                                    .isEqualTo(Arrays.copyOfRange(together, part[0] * n, (part[0] + part[1]) * n));
                        }
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levels")
    void stacksBroadcast(String level) {
        int m = 5;
        int n = 19;
        int k = 7;
        float[] a = values(6 * m * k, 5);
        float[] b = values(6 * k * n, 6);
        long[][][] shapes = {
            // stack of A, stack of B, stack of the result
            {{2, 3}, {2, 3}, {2, 3}},
            {{2, 3}, {}, {2, 3}},
            {{2, 3}, {1, 1}, {2, 3}},
            {{2, 1}, {3}, {2, 3}},
            {{}, {2, 3}, {2, 3}},
            {{1}, {3, 2}, {3, 2}},
            {{0}, {1}, {0}},
        };
        try (Provider provider = OneNode.provider(3, new NativeBackend(level))) {
            for (long[][] stacks : shapes) {
                OneNode node = matMul(false);
                Tensor left = tensor(a, with(stacks[0], m, k));
                Tensor right = tensor(b, with(stacks[1], k, n));
                Tensor c = run(node, provider, left, right);
                assertThat(node.variant()).isEqualTo(variant(level, false));
                assertThat(c.shape()).containsExactly(with(stacks[2], m, n));
                float[] got = OneNode.floats(c);
                for (int i = 0; i < got.length; i++) {
                    int stack = i / (m * n);
                    int fromA = repeated(stack, stacks[0], stacks[2]) * m * k + i / n % m * k;
                    int fromB = repeated(stack, stacks[1], stacks[2]) * k * n + i % n;
                    assertSum(got[i], a, fromA, 1, b, fromB, n, k, 0);
                }
            }
        }
    }

    private static long[] with(long[] stack, long rows, long columns) {
        long[] shape = Arrays.copyOf(stack, stack.length + 2);
        shape[stack.length] = rows;
        shape[stack.length + 1] = columns;
        return shape;
    }

    /** Which matrix of an operand's stack belongs to a place of the result's, of two axes at most. */
    private static int repeated(int place, long[] stack, long[] result) {
        int last = (int) result[result.length - 1];
        int outer = stack.length == 2 && stack[0] > 1 ? place / last : 0;
        int lastOfStack = stack.length > 0 ? (int) stack[stack.length - 1] : 1;
        return outer * lastOfStack + (lastOfStack > 1 ? place % last : 0);
    }

    @ParameterizedTest
    @MethodSource("levelsAndPacking")
    void vectorsAreMultipliedAsRowsAndColumns(String level, boolean packed) {
        float[] a = values(3 * 20, 7);
        float[] b = values(20 * 18, 8);
        try (Provider provider = OneNode.provider(2, new NativeBackend(level))) {
            OneNode node = matMul(packed);
            Tensor row = run(node, provider, tensor(a, 20), tensor(b, 20, 18));
            assertThat(node.variant()).isEqualTo(variant(level, packed));
            assertThat(row.shape()).containsExactly(18);
            for (int column = 0; column < 18; column++) {
                assertSum(OneNode.floats(row)[column], a, 0, 1, b, column, 18, 20, 0);
            }
            Tensor column = run(node, provider, tensor(a, 3, 20), tensor(b, 20));
            assertThat(column.shape()).containsExactly(3);
            for (int r = 0; r < 3; r++) {
                assertSum(OneNode.floats(column)[r], a, r * 20, 1, b, 0, 1, 20, 0);
            }
            Tensor scalar = run(node, provider, tensor(a, 20), tensor(b, 20));
            assertThat(scalar.shape()).isEmpty();
            assertSum(OneNode.floats(scalar)[0], a, 0, 1, b, 0, 1, 20, 0);
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndPacking")
    void notANumberStaysInItsRow(String level, boolean packed) {
        int n = 50;
        int k = 40;
        float[] a = values(9 * k, 15);
        a[4 * k + 5] = Float.NaN;
        float[] b = values(k * n, 16);
        try (Provider provider = OneNode.provider(1, new NativeBackend(level))) {
            float[] c = product(provider, level, packed, a, b, 9, n, k);
            for (int i = 0; i < c.length; i++) {
                assertThat(Float.isNaN(c[i])).isEqualTo(i / n == 4);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void otherTypesAreLeftToTheReference(boolean constant) {
        Tensor a = Tensor.allocateHost(DataType.DOUBLE, 1, 2);
        a.doubles().put(0, 3).put(1, 5);
        Tensor b = Tensor.allocateHost(DataType.DOUBLE, 2, 1);
        b.doubles().put(0, 7).put(1, 11);
        try (Provider provider = OneNode.provider(2, new NativeBackend())) {
            OneNode node = matMul(constant);
            assertThat(run(node, provider, a, b).doubles().get(0)).isCloseTo(76, within(0.0));
            assertThat(node.variant()).isEqualTo(constant ? "java" : variant(bestLevel(), false));
        }
    }

    private static String bestLevel() {
        return levels().reduce((worse, better) -> better).orElseThrow();
    }

    @Test
    void shapesThatDoNotFitAreRefused() {
        try (Provider provider = OneNode.provider(2, new NativeBackend())) {
            for (long[][] shapes : new long[][][] {{{2, 3}, {4, 5}}, {{2, 1, 3}, {3, 3, 3}}, {{}, {1, 1}}}) {
                Tensor a = tensor(new float[64], shapes[0]);
                Tensor b = tensor(new float[64], shapes[1]);
                assertThatThrownBy(() -> run(matMul(false), provider, a, b))
                        .isInstanceOfSatisfying(KindlingException.class, problem -> assertThat(problem.code())
                                .isEqualTo(ErrorCode.SHAPE_OR_TYPE));
            }
        }
    }
}
