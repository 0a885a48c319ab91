package io.kindling.engine.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.PagedAttention;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every instruction set this machine runs, against double arithmetic over whole sequences. */
class NativePagedAttentionTest {
    private record Form(
            int heads,
            int kvHeads,
            int head,
            int window,
            float softcap,
            int rotary,
            boolean interleaved,
            boolean sink) {}

    private static final List<Form> FORMS = List.of(
            new Form(1, 1, 16, -1, 0, 0, false, false),
            new Form(9, 3, 64, -1, 0, 64, false, false),
            new Form(4, 2, 80, 20, 0, 32, true, false),
            new Form(8, 1, 32, 5, 3, 0, false, true),
            new Form(3, 3, 128, -1, 0, 128, false, true));

    /** Two sequences: lengths past several pages, and within one. */
    private static final int[] LENGTHS = {45, 7};

    private static final int PAGES = 8;
    private static final int[] BLOCK_TABLE = {5, 2, 7, 1, -1, -1};

    static Stream<Arguments> levelsAndForms() {
        return KernelSet.all().stream().flatMap(set -> FORMS.stream().map(form -> Arguments.of(set.level(), form)));
    }

    static {
        assertThat(NativeLibrary.unavailableReason()).isEmpty();
    }

    /** Queries, keys and values of both sequences, and pages that a case fills. */
    private static final class Case {
        private final Form form;
        private final String level;
        private final float[][] query = new float[2][];
        private final float[][] key = new float[2][];
        private final float[][] value = new float[2][];
        private final float[] sinks;
        private final float[] cos;
        private final float[] sin;
        private final Tensor keyPages;
        private final Tensor valuePages;

        Case(String level, Form form) {
            Random random = new Random(3);
            this.level = level;
            this.form = form;
            for (int s = 0; s < 2; s++) {
                query[s] = gaussians(random, 48 * form.heads * form.head);
                key[s] = gaussians(random, 48 * form.kvHeads * form.head);
                value[s] = gaussians(random, 48 * form.kvHeads * form.head);
            }
            sinks = gaussians(random, form.heads);
            cos = new float[64 * form.rotary / 2];
            sin = new float[cos.length];
            for (int i = 0; i < cos.length; i++) {
                double angle = i / Math.max(1, form.rotary / 2) * Math.pow(0.7, i % Math.max(1, form.rotary / 2));
                cos[i] = (float) Math.cos(angle);
                sin[i] = (float) Math.sin(angle);
            }
            keyPages = Tensor.ofFloats(
                    new long[] {PAGES, form.kvHeads, form.head, 16}, filled(PAGES * form.kvHeads * form.head * 16));
            valuePages = Tensor.ofFloats(
                    new long[] {PAGES, form.kvHeads, 16, form.head}, filled(PAGES * form.kvHeads * form.head * 16));
        }

        /** What nobody wrote must not be read. */
        private static float[] filled(int count) {
            float[] values = new float[count];
            Arrays.fill(values, Float.NaN);
            return values;
        }

        private static float[] gaussians(Random random, int count) {
            float[] values = new float[count];
            for (int i = 0; i < count; i++) {
                values[i] = (float) random.nextGaussian();
            }
            return values;
        }

        /** Runs tokens {@code from[s]} to {@code to[s] − 1} of both sequences in one pass; their outputs, packed. */
        float[] run(int threads, int[] from, int[] to) {
            int tokens = to[0] - from[0] + to[1] - from[1];
            int[] sequence = new int[tokens];
            int[] position = new int[tokens];
            int at = 0;
            for (int s = 0; s < 2; s++) {
                for (int p = from[s]; p < to[s]; p++, at++) {
                    sequence[at] = s;
                    position[at] = p;
                }
            }
            OneNode node = OneNode.of(PagedAttention.DOMAIN, 1, PagedAttention.OP_TYPE)
                    .with("num_heads", form.heads)
                    .with("kv_num_heads", form.kvHeads)
                    .with("local_window_size", form.window)
                    .with("softcap", Attribute.of(form.softcap))
                    .with("do_rotary", form.rotary > 0 ? 1 : 0)
                    .with("rotary_interleaved", form.interleaved ? 1 : 0);
            long[] table = {64, form.rotary / 2};
            try (Provider provider = OneNode.provider(threads, new NativeBackend(level))) {
                float[] result = OneNode.floats(node.runOn(
                                provider,
                                packed(query, from, to, form.heads),
                                packed(key, from, to, form.kvHeads),
                                packed(value, from, to, form.kvHeads),
                                keyPages,
                                valuePages,
                                Tensor.ofInts(new long[] {2, 3}, BLOCK_TABLE),
                                Tensor.ofInts(new long[] {tokens}, sequence),
                                Tensor.ofInts(new long[] {tokens}, position),
                                form.rotary > 0 ? Tensor.ofFloats(table, cos) : null,
                                form.rotary > 0 ? Tensor.ofFloats(table, sin) : null,
                                form.sink ? Tensor.ofFloats(new long[] {form.heads}, sinks) : null)
                        .get(0));
                assertThat(node.variant()).isEqualTo("native " + level);
                return result;
            }
        }

        private Tensor packed(float[][] rows, int[] from, int[] to, int heads) {
            int width = heads * form.head;
            int first = (to[0] - from[0]) * width;
            int second = (to[1] - from[1]) * width;
            float[] values = Arrays.copyOf(Arrays.copyOfRange(rows[0], from[0] * width, to[0] * width), first + second);
            System.arraycopy(rows[1], from[1] * width, values, first, second);
            return Tensor.ofFloats(new long[] {1, (first + second) / width, width}, values);
        }

        private double[] rotated(float[] rows, int heads, int position, int h) {
            double[] vector = new double[form.head];
            for (int d = 0; d < form.head; d++) {
                vector[d] = rows[(position * heads + h) * form.head + d];
            }
            int half = form.rotary / 2;
            double[] result = vector.clone();
            for (int i = 0; i < half; i++) {
                int x = form.interleaved ? 2 * i : i;
                int y = form.interleaved ? 2 * i + 1 : i + half;
                double c = cos[position * half + i];
                double s = sin[position * half + i];
                result[x] = vector[x] * c - vector[y] * s;
                result[y] = vector[x] * s + vector[y] * c;
            }
            return result;
        }

        double[] expected(int s, int position, int h) {
            int kv = h / (form.heads / form.kvHeads);
            double[] q = rotated(query[s], form.heads, position, h);
            double sum = form.sink ? Math.exp(sinks[h]) : 0;
            double[] result = new double[form.head];
            int first = form.window < 0 ? 0 : Math.max(0, position - form.window + 1);
            for (int p = first; p <= position; p++) {
                double[] k = rotated(key[s], form.kvHeads, p, kv);
                double score = 0;
                for (int d = 0; d < form.head; d++) {
                    score += q[d] * k[d];
                }
                score /= Math.sqrt(form.head);
                score = form.softcap == 0 ? score : Math.tanh(score / form.softcap) * form.softcap;
                double weight = Math.exp(score);
                sum += weight;
                for (int d = 0; d < form.head; d++) {
                    result[d] += weight * value[s][(p * form.kvHeads + kv) * form.head + d];
                }
            }
            double total = sum;
            return Arrays.stream(result).map(x -> x / total).toArray();
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndForms")
    void everyTokenAttendsToItsOwnSequence(String level, Form form) {
        Case test = new Case(level, form);
        float[] output = test.run(2, new int[2], LENGTHS);
        int row = 0;
        for (int s = 0; s < 2; s++) {
            for (int p = 0; p < LENGTHS[s]; p++, row++) {
                for (int h = 0; h < form.heads; h++) {
                    double[] expected = test.expected(s, p, h);
                    for (int d = 0; d < form.head; d++) {
                        assertThat((double) output[(row * form.heads + h) * form.head + d])
                                .isCloseTo(expected[d], within(1e-5));
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndForms")
    void aTokenHasTheSameBitsHoweverTokensArePacked(String level, Form form) {
        float[] together = new Case(level, form).run(1, new int[2], LENGTHS);
        Case chunked = new Case(level, form);
        int width = form.heads * form.head;
        int[][] ends = {{1, 0}, {4, 0}, {21, 6}, {22, 7}, {45, 7}};
        int[] from = {0, 0};
        for (int[] to : ends) {
            float[] part = chunked.run(3, from, to);
            int first = (to[0] - from[0]) * width;
            assertThat(Arrays.copyOf(part, first))
                    .isEqualTo(Arrays.copyOfRange(together, from[0] * width, to[0] * width));
            assertThat(Arrays.copyOfRange(part, first, part.length))
                    .isEqualTo(
                            Arrays.copyOfRange(together, (LENGTHS[0] + from[1]) * width, (LENGTHS[0] + to[1]) * width));
            from = to;
        }
    }

    @Test
    void placesOutsideTheTablesAreRefused() {
        Case test = new Case("", FORMS.get(0));
        assertThatThrownBy(() -> test.run(1, new int[] {44, 0}, new int[] {45, 17}))
                .isInstanceOf(KindlingException.class)
                .hasMessageContaining("page -1 of sequence 1 is none of 8");
    }
}
