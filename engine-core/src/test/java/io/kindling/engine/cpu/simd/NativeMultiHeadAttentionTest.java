package io.kindling.engine.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Tensor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Attention of encoders on every instruction set this machine runs, with as many keys as the sizes say. */
class NativeMultiHeadAttentionTest extends NativeLevels {
    private static final int HEADS = 3;
    private static final int BATCH = 2;
    private static final int QUERIES = 5;

    private static OneNode node() {
        return OneNode.of("com.microsoft", 1, "MultiHeadAttention").with("num_heads", HEADS);
    }

    private static Tensor rows(int seed, int rows, int size) {
        float[] values = gaussians(seed, BATCH * rows * HEADS * size);
        for (int k = 0; k < values.length; k++) {
            values[k] /= 5;
        }
        return Tensor.ofFloats(new long[] {BATCH, rows, HEADS * size}, values);
    }

    private static Tensor bias(int seed, long... shape) {
        return Tensor.ofFloats(shape, gaussians(seed, (int) Tensor.count(shape)));
    }

    @ParameterizedTest
    @MethodSource("levelsAndSizes")
    void headsAttendAsTheReferenceSays(String level, int keys) {
        Tensor q = rows(1, QUERIES, 8);
        Tensor k = rows(2, keys, 8);
        Tensor v = rows(3, keys, 6);
        equalToReference(level, node(), 2e-6, q, k, v);
        equalToReference(level, node().with("scale", Attribute.of(0.7f)), 2e-6, q, k, v);
        for (long[] shape : new long[][] {
            {BATCH, HEADS, QUERIES, keys}, {1, HEADS, QUERIES, keys}, {BATCH, 1, 1, keys}, {1, 1, QUERIES, keys}
        }) {
            equalToReference(level, node(), 4e-6, q, k, v, null, null, bias(4, shape));
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndSizes")
    void paddingIsHidden(String level, int keys) {
        int[] kept = new int[BATCH * keys];
        for (int p = 0; p < kept.length; p++) {
            kept[p] = p % keys <= keys / (1 + p / keys) ? 1 : 0;
        }
        Tensor mask = Tensor.ofInts(new long[] {BATCH, keys}, kept);
        equalToReference(level, node(), 2e-6, rows(5, QUERIES, 16), rows(6, keys, 16), rows(7, keys, 16), null, mask);
    }

    @ParameterizedTest
    @MethodSource("levels")
    void moreQueriesThanAreTakenAtOnceAttendAlike(String level) {
        int rows = HeadsJob.QUERIES_AT_ONCE + 19;
        Tensor q = rows(8, rows, 16);
        equalToReference(
                level, node(), 2e-6, q, rows(9, 37, 16), rows(10, 37, 16), null, null, bias(11, 1, HEADS, rows, 37));
    }

    @ParameterizedTest
    @MethodSource("levels")
    void halvesAreTheReferences(String level) {
        Tensor q = Tensor.allocateHost(DataType.FLOAT16, 1, 2, HEADS * 4L);
        assertThat(OneNode.floats(run(level, node(), q, q, q).get(0))).containsOnly(0f);
    }

    private static Tensor shaped(Tensor rows, long... shape) {
        return Tensor.of(DataType.FLOAT, shape, rows.buffer());
    }

    @ParameterizedTest
    @MethodSource("levelsAndSizes")
    void keysAndValuesWithTheirHeadsFirst(String level, int keys) {
        Tensor k = shaped(rows(12, keys, 8), BATCH, HEADS, keys, 8);
        Tensor v = shaped(rows(13, keys, 6), BATCH, HEADS, keys, 6);
        equalToReference(level, node(), 2e-6, rows(14, QUERIES, 8), k, v, null, null, bias(15, BATCH, 1, 1, keys));
    }

    @ParameterizedTest
    @MethodSource("levelsAndSizes")
    void allInOneTensor(String level, int tokens) {
        Tensor packed = shaped(rows(16, tokens, 3 * 16), BATCH, tokens, HEADS, 3, 16);
        equalToReference(level, node(), 2e-6, packed);
        equalToReference(level, node(), 2e-6, packed, null, null, null, null, bias(17, 1, HEADS, tokens, tokens));
    }
}
