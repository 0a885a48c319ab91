package io.kindling.engine.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Precision;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MatMulNBitsKernelTest {
    private final Random random = new Random(7);

    private record Case(
            int m, int n, int k, int bits, int block, float[] a, byte[] codes, float[] scales, float[] zeros) {
        int blocks() {
            return (k + block - 1) / block;
        }

        double weight(int column, int row) {
            int blob = block * bits / 8;
            int inBlock = row % block;
            int octet = codes[(column * blocks() + row / block) * blob + inBlock * bits / 8] & 0xff;
            int code = octet >> inBlock * bits % 8 & (1 << bits) - 1;
            int at = column * blocks() + row / block;
            return ((double) code - (zeros == null ? 1 << bits - 1 : zeros[at])) * scales[at];
        }

        double product(int row, int column) {
            double sum = 0;
            for (int i = 0; i < k; i++) {
                sum += a[row * k + i] * weight(column, i);
            }
            return sum;
        }

        OneNode node() {
            return OneNode.of("com.microsoft", 1, "MatMulNBits")
                    .with("K", k)
                    .with("N", n)
                    .with("bits", bits)
                    .with("block_size", block);
        }

        Tensor[] inputs(int firstRow, int rows) {
            Tensor packed = Tensor.allocateHost(DataType.UINT8, n, blocks(), block * bits / 8);
            packed.bytes().put(0, codes);
            float[] some = Arrays.copyOfRange(a, firstRow * k, (firstRow + rows) * k);
            return new Tensor[] {
                Tensor.ofFloats(new long[] {rows, k}, some),
                packed,
                Tensor.ofFloats(new long[] {n, blocks()}, scales),
                zeros == null ? null : Tensor.ofFloats(new long[] {n, blocks()}, zeros)
            };
        }
    }

    private Case random(int m, int n, int k, int bits, int block, boolean floatZeros) {
        int blocks = (k + block - 1) / block;
        byte[] codes = new byte[n * blocks * block * bits / 8];
        random.nextBytes(codes);
        return new Case(
                m,
                n,
                k,
                bits,
                block,
                gaussians(m * k),
                codes,
                gaussians(n * blocks),
                floatZeros ? gaussians(n * blocks) : null);
    }

    private float[] gaussians(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, 16, 4, 16, false",
        "3, 65, 31, 4, 32, false",
        "2, 130, 97, 4, 32, true",
        "1, 7, 64, 8, 16, false",
        "67, 5, 33, 8, 64, true",
        "2, 64, 300, 2, 128, false"
    })
    void exactProductsAreThoseOfTheDequantisedWeights(int m, int n, int k, int bits, int block, boolean floatZeros) {
        Case test = random(m, n, k, bits, block, floatZeros);
        float[] exact = OneNode.floats(test.node().run(test.inputs(0, m)));
        float[] quantised =
                OneNode.floats(test.node().precision(Precision.BALANCED).run(test.inputs(0, m)));
        for (int row = 0; row < m; row++) {
            for (int column = 0; column < n; column++) {
                double want = test.product(row, column);
                double magnitude = 1e-30;
                double error = 0;
                for (int i = 0; i < k; i++) {
                    magnitude += Math.abs(test.a[row * k + i] * test.weight(column, i));
                    // Half a quantisation step of an activation whose largest neighbour is below 6.
                    error += Math.abs(test.weight(column, i)) * 6 / 127 / 2;
                }
                assertThat((double) exact[row * n + column]).isCloseTo(want, within(magnitude * 1e-6));
                assertThat((double) quantised[row * n + column]).isCloseTo(want, within(error + magnitude * 1e-6));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"EXACT", "BALANCED"})
    void aRowHasTheSameBitsForEveryNumberOfRowsAndThreads(Precision precision) {
        Case test = random(131, 70, 67, 4, 32, false);
        float[] together = run(test, precision, 2, 0, 131);
        for (int row : new int[] {0, 1, 63, 64, 130}) {
            float[] alone = run(test, precision, 1, row, 1);
            assertThat(alone).isEqualTo(Arrays.copyOfRange(together, row * 70, row * 70 + 70));
        }
        assertThat(run(test, precision, 3, 5, 7)).isEqualTo(Arrays.copyOfRange(together, 5 * 70, 12 * 70));
    }

    private static float[] run(Case test, Precision precision, int threads, int row, int rows) {
        try (Provider provider = OneNode.javaProvider(threads)) {
            return OneNode.floats(test.node()
                    .precision(precision)
                    .runOn(provider, test.inputs(row, rows))
                    .get(0));
        }
    }
}
