package io.kindling.engine.cpu;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.KindlingException;
import io.kindling.engine.provider.Tensor;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the cases of ONNX Runtime do not have: faults. */
class MultiHeadAttentionKernelTest {
    @ParameterizedTest
    @CsvSource({"3, 1, 1, 4", "1, 3, 1, 4", "1, 1, 5, 4", "1, 1, 1, 6"})
    void aBiasThatWouldEnlargeTheScoresIsRefused(int batch, int heads, int queries, int keys) {
        Tensor q = Tensor.ofFloats(new long[] {1, 2, 8}, new float[16]);
        Tensor k = Tensor.ofFloats(new long[] {1, 4, 8}, new float[32]);
        Tensor bias =
                Tensor.ofFloats(new long[] {batch, heads, queries, keys}, new float[batch * heads * queries * keys]);
        assertThatThrownBy(() -> OneNode.of("com.microsoft", 1, "MultiHeadAttention")
                        .with("num_heads", 2)
                        .run(q, k, k, null, null, bias))
                .isInstanceOf(KindlingException.class)
                .hasMessageContaining("attention_bias")
                .hasMessageContaining("[1, 2, 2, 4]");
    }
}
