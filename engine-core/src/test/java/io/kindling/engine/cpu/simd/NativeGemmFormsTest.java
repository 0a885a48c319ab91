package io.kindling.engine.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code Gemm} and the fused forms of products on every instruction set this machine runs. */
class NativeGemmFormsTest extends GemmLevels {
    @ParameterizedTest
    @MethodSource("levelsAndPacking")
    void gemmTransposesScalesAndAddsEveryShapeOfAddend(String level, boolean packed) {
        int n = 35;
        int k = 270;
        float alpha = 0.75f;
        float beta = -1.5f;
        float[] b = values(k * n, 10);
        try (Provider provider = OneNode.provider(2, new NativeBackend(level))) {
            for (int m : new int[] {1, 21}) {
                float[] a = values(m * k, 9);
                float[] d = values(m * n, 11);
                long[][] addends = {null, {}, {1}, {n}, {1, n}, {m, 1}, {m, n}};
                for (int turn = 0; turn < 4; turn++) {
                    boolean transA = turn % 2 == 1;
                    boolean transB = turn / 2 == 1;
                    for (long[] addend : addends) {
                        OneNode node = OneNode.of("", 13, "Gemm")
                                .with("transA", transA ? 1 : 0)
                                .with("transB", transB ? 1 : 0)
                                .with("alpha", Attribute.of(alpha))
                                .with("beta", Attribute.of(beta));
                        node = packed ? node.constants(1) : node;
                        Tensor c = run(
                                node,
                                provider,
                                transA ? tensor(a, k, m) : tensor(a, m, k),
                                transB ? tensor(b, n, k) : tensor(b, k, n),
                                addend == null ? null : tensor(d, addend));
                        assertThat(node.variant()).isEqualTo(variant(level, packed));
                        float[] got = OneNode.floats(c);
                        assertThat(got).hasSize(m * n);
                        for (int i = 0; i < got.length; i++) {
                            int row = i / n;
                            int column = i % n;
                            double add = addend == null ? 0 : beta * (double) d[index(addend, row, column)];
                            assertSum(
                                    got[i] / alpha,
                                    a,
                                    transA ? row : row * k,
                                    transA ? m : 1,
                                    b,
                                    transB ? column * k : column,
                                    transB ? 1 : n,
                                    k,
                                    add / alpha);
                        }
                    }
                }
            }
        }
    }

    private static int index(long[] addend, int row, int column) {
        long columns = addend.length > 0 ? addend[addend.length - 1] : 1;
        int start = addend.length > 1 && addend[0] > 1 ? (int) (row * columns) : 0;
        return start + (columns > 1 ? column : 0);
    }

    @ParameterizedTest
    @MethodSource("levels")
    void aProductOverNoValuesIsTheAddend(String level) {
        float[] d = values(18, 12);
        try (Provider provider = OneNode.provider(2, new NativeBackend(level))) {
            OneNode node = OneNode.of("", 13, "Gemm");
            Tensor c = run(node, provider, tensor(d, 4, 0), tensor(d, 0, 18), tensor(d, 18));
            assertThat(node.variant()).isEqualTo(variant(level, false));
            for (int i = 0; i < 4 * 18; i++) {
                assertThat(OneNode.floats(c)[i]).isEqualTo(d[i % 18]);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndPacking")
    void fusedMatMulTransposesInsideStacksAndScales(String level, boolean packed) {
        int m = 17;
        int n = 21;
        int k = 6;
        float[] a = values(2 * m * k, 13);
        float[] b = values(2 * k * n, 14);
        int stackB = packed ? 0 : 1;
        try (Provider provider = OneNode.provider(2, new NativeBackend(level))) {
            OneNode node = OneNode.of("com.microsoft", 1, "FusedMatMul")
                    .with("transA", 1)
                    .with("transB", 1)
                    .with("alpha", Attribute.of(0.5f));
            node = packed ? node.constants(1) : node;
            Tensor c = run(node, provider, tensor(a, 2, k, m), packed ? tensor(b, n, k) : tensor(b, 2, n, k));
            assertThat(node.variant()).isEqualTo(variant(level, packed));
            assertThat(c.shape()).containsExactly(2, m, n);
            for (int i = 0; i < 2 * m * n; i++) {
                int stack = i / (m * n);
                int startB = stack * stackB * n * k + i % n * k;
                assertSum(2 * OneNode.floats(c)[i], a, stack * m * k + i / n % m, m, b, startB, 1, k, 0);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndPacking")
    void activationsFollowTheBias(String level, boolean packed) {
        for (String activation : new String[] {"", "Relu", "Sigmoid", "Tanh", "Gelu", "FastGelu", "LeakyRelu"}) {
            for (int n : new int[] {1, 17, 100}) {
                OneNode node = OneNode.of("com.microsoft", 1, "FusedGemm");
                if (!activation.isEmpty()) {
                    node.with("activation", Attribute.of(activation));
                }
                Tensor a = tensor(values(2 * 40 * 9, 1), 2, 40, 9);
                Tensor b = tensor(values(9 * n, 2), 9, n);
                Tensor bias = tensor(values(n, 3), n);
                Tensor want = node.run(a, b, bias);
                assertThat(want.shape()).containsExactly(2, 40, n);
                Tensor got;
                try (Provider provider = OneNode.provider(2, new NativeBackend(level))) {
                    got = run(packed ? node.constants(1) : node, provider, a, b, bias);
                }
                assertThat(node.variant().startsWith("native"))
                        .as(activation)
                        .isEqualTo(!activation.equals("LeakyRelu"));
                assertThat(OneNode.floats(got))
                        .as(activation)
                        .usingComparatorWithPrecision(1e-5f)
                        .containsExactly(OneNode.floats(want));
            }
        }
    }
}
