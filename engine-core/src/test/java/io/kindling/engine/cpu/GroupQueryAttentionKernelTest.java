package io.kindling.engine.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.PagedAttention;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GroupQueryAttentionKernelTest {
    private static final int HEADS = 4;
    private static final int KV = 2;
    private static final int HEAD = 6;
    private static final int TOKENS = 37;
    private static final int WIDTH = (HEADS + 2 * KV) * HEAD;
    private static final int POSITIONS = 64;

    private final float[] packed = gaussians(TOKENS * WIDTH, 1);
    private final float[] cos = new float[POSITIONS * HEAD / 2];
    private final float[] sin = new float[POSITIONS * HEAD / 2];

    GroupQueryAttentionKernelTest() {
        for (int p = 0; p < POSITIONS; p++) {
            for (int k = 0; k < HEAD / 2; k++) {
                double angle = p * Math.pow(10000, -2.0 * k / HEAD);
                cos[p * HEAD / 2 + k] = (float) Math.cos(angle);
                sin[p * HEAD / 2 + k] = (float) Math.sin(angle);
            }
        }
    }

    private static float[] gaussians(int count, long seed) {
        Random random = new Random(seed);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    private OneNode node(String domain, String op, long window) {
        return OneNode.of(domain, 1, op)
                .with("num_heads", HEADS)
                .with("kv_num_heads", KV)
                .with("do_rotary", 1)
                .with("local_window_size", window)
                .with("softcap", Attribute.of(3f));
    }

    private Tensor table(float[] values) {
        return Tensor.ofFloats(new long[] {POSITIONS, HEAD / 2}, values);
    }

    /** Feeds the tokens in chunks of the given sizes through a growing cache; the concatenated outputs. */
    private float[] dense(long window, int... chunks) {
        OneNode node = node("com.microsoft", "GroupQueryAttention", window).outputs(3);
        Value pastKey = Tensor.allocateHost(DataType.FLOAT, 1, KV, 0, HEAD);
        Value pastValue = Tensor.allocateHost(DataType.FLOAT, 1, KV, 0, HEAD);
        float[] outputs = new float[TOKENS * HEADS * HEAD];
        int done = 0;
        for (int chunk : chunks) {
            float[] some = Arrays.copyOfRange(packed, done * WIDTH, (done + chunk) * WIDTH);
            List<Value> results = node.runAll(
                    Tensor.ofFloats(new long[] {1, chunk, WIDTH}, some),
                    null,
                    null,
                    pastKey,
                    pastValue,
                    Tensor.ofInts(new long[] {1}, done + chunk - 1),
                    Tensor.ofInts(new long[] {}, done + chunk),
                    table(cos),
                    table(sin));
            System.arraycopy(OneNode.floats(results.get(0)), 0, outputs, done * HEADS * HEAD, chunk * HEADS * HEAD);
            pastKey = results.get(1);
            pastValue = results.get(2);
            done += chunk;
        }
        assertThat(done).isEqualTo(TOKENS);
        return outputs;
    }

    /** The textbook formula in double. */
    private double[] expected(int window) {
        double[] outputs = new double[TOKENS * HEADS * HEAD];
        for (int t = 0; t < TOKENS; t++) {
            for (int h = 0; h < HEADS; h++) {
                double[] weights = new double[t + 1];
                double sum = 0;
                int first = window < 0 ? 0 : Math.max(0, t - window + 1);
                for (int p = first; p <= t; p++) {
                    double dot = 0;
                    for (int d = 0; d < HEAD; d++) {
                        dot += rotated(t, h, d) * rotated(p, HEADS + h / (HEADS / KV), d);
                    }
                    weights[p] = Math.exp(3 * Math.tanh(dot / Math.sqrt(HEAD) / 3));
                    sum += weights[p];
                }
                for (int p = first; p <= t; p++) {
                    for (int d = 0; d < HEAD; d++) {
                        int value = p * WIDTH + (HEADS + KV + h / (HEADS / KV)) * HEAD + d;
                        outputs[(t * HEADS + h) * HEAD + d] += weights[p] / sum * packed[value];
                    }
                }
            }
        }
        return outputs;
    }

    private double rotated(int token, int head, int d) {
        int half = HEAD / 2;
        int at = token * WIDTH + head * HEAD;
        double c = cos[token * half + d % half];
        double s = sin[token * half + d % half];
        return d < half
                ? packed[at + d] * c - packed[at + d + half] * s
                : packed[at + d] * c + packed[at + d - half] * s;
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1, 5, 16, 100})
    void agreesWithTheFormula(int window) {
        float[] got = dense(window, TOKENS);
        double[] want = expected(window);
        for (int k = 0; k < want.length; k++) {
            assertThat((double) got[k]).isCloseTo(want[k], within(2e-6));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 5, 20})
    void chunksAndPagesHaveTheBitsOfTheWholePrompt(int window) {
        float[] whole = dense(window, TOKENS);
        int[] single = new int[TOKENS];
        Arrays.fill(single, 1);
        assertThat(dense(window, single)).isEqualTo(whole);
        assertThat(dense(window, 7, 16, 13, 1)).isEqualTo(whole);
        assertThat(paged(window, TOKENS)).isEqualTo(whole);
        assertThat(paged(window, 5, 1, 16, 15)).isEqualTo(whole);
    }

    /** The same tokens, as the second of two sequences that share each step, through scattered pages. */
    private float[] paged(long window, int... chunks) {
        OneNode node = node(PagedAttention.DOMAIN, PagedAttention.OP_TYPE, window);
        Tensor keyPages = Tensor.allocateHost(DataType.FLOAT, 9, KV, HEAD, PagedAttention.PAGE_TOKENS);
        Tensor valuePages = Tensor.allocateHost(DataType.FLOAT, 9, KV, PagedAttention.PAGE_TOKENS, HEAD);
        float[] other = gaussians(chunks.length * WIDTH, 2);
        Tensor blocks = Tensor.ofInts(new long[] {2, 3}, 4, -1, -1, 7, 0, 5);
        float[] outputs = new float[TOKENS * HEADS * HEAD];
        int done = 0;
        for (int step = 0; step < chunks.length; step++) {
            int tokens = chunks[step] + 1;
            float[] some = Arrays.copyOf(Arrays.copyOfRange(other, step * WIDTH, (step + 1) * WIDTH), tokens * WIDTH);
            System.arraycopy(packed, done * WIDTH, some, WIDTH, chunks[step] * WIDTH);
            int[] sequences = new int[tokens];
            int[] positions = new int[tokens];
            positions[0] = step;
            for (int k = 1; k < tokens; k++) {
                sequences[k] = 1;
                positions[k] = done + k - 1;
            }
            Tensor result = node.run(
                    Tensor.ofFloats(new long[] {1, tokens, WIDTH}, some),
                    null,
                    null,
                    keyPages,
                    valuePages,
                    blocks,
                    Tensor.ofInts(new long[] {tokens}, sequences),
                    Tensor.ofInts(new long[] {tokens}, positions),
                    table(cos),
                    table(sin));
            int row = HEADS * HEAD;
            System.arraycopy(OneNode.floats(result), row, outputs, done * row, chunks[step] * row);
            done += chunks[step];
        }
        return outputs;
    }

    @Test
    void rightPaddingOfAPromptChangesNoBitOfItsTokens() {
        float[] whole = dense(-1, TOKENS);
        List<Value> inputs = new ArrayList<>();
        inputs.add(Tensor.ofFloats(new long[] {1, TOKENS, WIDTH}, packed));
        inputs.add(null);
        inputs.add(null);
        inputs.add(Tensor.allocateHost(DataType.FLOAT, 1, KV, 0, HEAD));
        inputs.add(Tensor.allocateHost(DataType.FLOAT, 1, KV, 0, HEAD));
        inputs.add(Tensor.ofInts(new long[] {1, 1}, 10));
        inputs.add(Tensor.ofInts(new long[] {1}, TOKENS));
        inputs.add(table(cos));
        inputs.add(table(sin));
        float[] padded = OneNode.floats(
                node("com.microsoft", "GroupQueryAttention", -1).outputs(3).run(inputs.toArray(Value[]::new)));
        int valid = 11 * HEADS * HEAD;
        assertThat(Arrays.copyOf(padded, valid)).isEqualTo(Arrays.copyOf(whole, valid));
    }
}
