package io.kindling.engine.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.provider.Precision;
import io.kindling.engine.session.SessionOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Products of float32 whose operands may lose bits: on tiles they do, elsewhere nothing changes. */
class RoundedProductsTest extends GemmLevels {
    private static float[] product(
            String level, boolean packed, Precision precision, float[] a, float[] b, int m, int n) {
        OneNode node = OneNode.of("", 13, "MatMul").precision(precision);
        node = packed ? node.constants(1) : node;
        boolean rounded = level.equals("amx") && precision == Precision.FAST;
        String variant = variant(level, packed) + (rounded ? " rounded" : "");
        int k = b.length / n;
        return OneNode.floats(
                run(variant, level, node, tensor(a, m, k), tensor(b, k, n)).get(0));
    }

    @ParameterizedTest
    @MethodSource("levelsAndPacking")
    void operandsOnTilesKeepTwoPartsAndAllOthersStayAsTheyAre(String level, boolean packed) {
        for (int k : new int[] {1, 31, 33, 530}) {
            for (int n : new int[] {1, 17, 32, 83}) {
                float[] a = values(37 * k, 1);
                float[] b = values(k * n, 2);
                for (int m : new int[] {1, 16, 37}) {
                    float[] got = product(level, packed, Precision.FAST, a, b, m, n);
                    float[] expected = product(level, packed, Precision.BALANCED, a, b, m, n);
                    for (int i = 0; i < m * n && level.equals("amx"); i++) {
                        expected[i] = TileArithmetic.roundedDot(a, i / n * k, b, i % n, n, k);
                    }
                    assertThat(got).isEqualTo(expected);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndPacking")
    void anErrorIsAtMostThreeTimesTheSixteenthBit(String level, boolean packed) {
        int m = 40;
        int n = 100;
        int k = 384;
        float[] a = values(m * k, 3);
        float[] b = values(k * n, 4);
        float[] c = product(level, packed, Precision.FAST, a, b, m, n);
        for (int i = 0; i < m * n; i++) {
            assertSum(c[i], a, i / n * k, 1, b, i % n, n, k, 0, 3.0 / (1 << 16) + 2e-6);
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndPacking")
    void infinityAndNanStayInTheirRows(String level, boolean packed) {
        int m = 37;
        int n = 53;
        int k = 70;
        float[] a = values(m * k, 5);
        float[] b = values(k * n, 6);
        float[] finite = product(level, packed, Precision.FAST, a, b, m, n);
        a[3 * k + 5] = Float.POSITIVE_INFINITY;
        a[20 * k + 69] = Float.NaN;
        float[] c = product(level, packed, Precision.FAST, a, b, m, n);
        for (int i = 0; i < m * n; i++) {
            float infinite = Math.copySign(Float.POSITIVE_INFINITY, b[5 * n + i % n]);
            float want = i / n == 3 ? infinite : i / n == 20 ? Float.NaN : finite[i];
            assertThat(c[i]).as("element %s", i).isEqualTo(Float.valueOf(want));
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndPacking")
    void aWeightTooLargeForTilesSpoilsNoOther(String level, boolean packed) {
        int m = 5;
        int n = 53;
        int k = 70;
        float[] a = values(m * k, 7);
        float[] b = values(k * n, 8);
        float[] usual = product(level, packed, Precision.FAST, a, b, m, n);
        b[8 * n + 1] = Float.MAX_VALUE;
        float[] c = product(level, packed, Precision.FAST, a, b, m, n);
        for (int i = 0; i < m * n; i++) {
            float huge = a[i / n * k + 8] * Float.MAX_VALUE;
            if (i % n == 1) {
                assertThat(c[i]).isEqualTo(huge);
            } else if (i % n >= 16) {
                assertThat(c[i]).isEqualTo(usual[i]);
            }
        }
    }

    @Test
    void encodersRoundUnlessExactlyIsAskedForAndOtherGraphsOnlyWhereTheFastestIs() {
        for (Precision precision : Precision.values()) {
            assertThat(SessionOptions.ofEncoder(precision, 0).roundedFloats()).isEqualTo(precision != Precision.EXACT);
            assertThat(new SessionOptions(precision, 0).roundedFloats()).isEqualTo(precision == Precision.FAST);
        }
    }
}
