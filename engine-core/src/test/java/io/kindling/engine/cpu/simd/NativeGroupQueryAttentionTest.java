package io.kindling.engine.cpu.simd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.kindling.engine.cpu.OneNode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.PagedAttention;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.provider.Precision;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import io.kindling.engine.session.GraphBinding;
import io.kindling.engine.session.GraphSession;
import io.kindling.engine.session.SessionOptions;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every instruction set this machine runs, against the Java kernel and, in bits, against native attention over pages. */
class NativeGroupQueryAttentionTest {
    private record Form(
            int heads,
            int kvHeads,
            int head,
            int window,
            float softcap,
            int rotary,
            boolean interleaved,
            boolean sink,
            boolean smooth,
            boolean packed) {}

    private static final List<Form> FORMS = List.of(
            new Form(1, 1, 16, -1, 0, 0, false, false, false, true),
            new Form(9, 3, 64, -1, 0, 64, false, false, false, false),
            new Form(4, 2, 80, 20, 0, 32, true, false, true, true),
            new Form(8, 1, 32, 5, 3, 0, false, true, false, false),
            new Form(3, 3, 256, 1, 0, 128, false, true, false, true));

    private static final int TOKENS = 49;
    private static final int[][] CHUNKS = {{1, 15, 16, 17}, {33, 1, 15}, {16, 33}, {7, 1, 9, 31, 1}};

    static Stream<Arguments> levelsAndForms() {
        return KernelSet.all().stream().flatMap(set -> FORMS.stream().map(form -> Arguments.of(set.level(), form)));
    }

    static {
        assertThat(NativeLibrary.unavailableReason()).isEmpty();
    }

    /** Queries, keys and values of two sequences, and what a run keeps between chunks. */
    private static final class Case {
        private final Form form;
        private final float[][] query = new float[2][];
        private final float[][] key = new float[2][];
        private final float[][] value = new float[2][];
        private final Tensor cos;
        private final Tensor sin;
        private final Tensor sinks;
        private Tensor pastKey;
        private Tensor pastValue;

        Case(Form form) {
            Random random = new Random(5);
            this.form = form;
            for (int s = 0; s < 2; s++) {
                query[s] = gaussians(random, TOKENS * form.heads * form.head);
                key[s] = gaussians(random, TOKENS * form.kvHeads * form.head);
                value[s] = gaussians(random, TOKENS * form.kvHeads * form.head);
            }
            int half = Math.max(1, form.rotary / 2);
            float[] cosines = new float[64 * half];
            float[] sines = new float[64 * half];
            for (int i = 0; i < cosines.length; i++) {
                double angle = i / half * Math.pow(0.7, i % half);
                cosines[i] = (float) Math.cos(angle);
                sines[i] = (float) Math.sin(angle);
            }
            cos = form.rotary == 0 ? null : Tensor.ofFloats(new long[] {64, half}, cosines);
            sin = form.rotary == 0 ? null : Tensor.ofFloats(new long[] {64, half}, sines);
            sinks = form.sink ? Tensor.ofFloats(new long[] {form.heads}, gaussians(random, form.heads)) : null;
        }

        private static float[] gaussians(Random random, int count) {
            float[] values = new float[count];
            for (int i = 0; i < count; i++) {
                values[i] = (float) random.nextGaussian();
            }
            return values;
        }

        OneNode node(String domain, String op) {
            return OneNode.of(domain, 1, op)
                    .with("num_heads", form.heads)
                    .with("kv_num_heads", form.kvHeads)
                    .with("local_window_size", form.window)
                    .with("softcap", Attribute.of(form.softcap))
                    .with("smooth_softmax", form.smooth ? 1 : 0)
                    .with("do_rotary", form.rotary > 0 ? 1 : 0)
                    .with("rotary_interleaved", form.interleaved ? 1 : 0);
        }

        OneNode dense() {
            return node("com.microsoft", "GroupQueryAttention").outputs(3);
        }

        /** Tokens {@code from[s]} on of each sequence given, {@code length} of them, zeros past the last. */
        private Tensor rows(float[][] source, int[] from, int length, int heads) {
            int width = heads * form.head;
            float[] values = new float[from.length * length * width];
            for (int s = 0; s < from.length; s++) {
                int count = Math.min(length, TOKENS - from[s]) * width;
                System.arraycopy(source[s], from[s] * width, values, s * length * width, count);
            }
            return Tensor.ofFloats(new long[] {from.length, length, width}, values);
        }

        /** Query, key and value as the form wants them. */
        private Tensor[] fresh(int[] from, int length) {
            Tensor q = rows(query, from, length, form.heads);
            Tensor k = rows(key, from, length, form.kvHeads);
            Tensor v = rows(value, from, length, form.kvHeads);
            return form.packed ? new Tensor[] {joined(q, k, v), null, null} : new Tensor[] {q, k, v};
        }

        private static Tensor joined(Tensor... parts) {
            int width = Arrays.stream(parts).mapToInt(part -> (int) part.dim(2)).sum();
            Tensor first = parts[0];
            Tensor result = Tensor.allocateHost(DataType.FLOAT, first.dim(0), first.dim(1), width);
            int at = 0;
            for (int row = 0; row < first.dim(0) * first.dim(1); row++) {
                for (Tensor part : parts) {
                    int size = (int) part.dim(2);
                    result.floats().put(at, part.floats(), row * size, size);
                    at += size;
                }
            }
            return result;
        }

        /** One step of {@code totals.length} sequences that then have {@code totals} positions. */
        List<Value> step(Provider provider, OneNode node, int[] from, int length, int[] totals) {
            Tensor[] fresh = fresh(from, length);
            int[] last = IntStream.of(totals).map(total -> total - 1).toArray();
            List<Value> results = node.runOn(
                    provider,
                    fresh[0],
                    fresh[1],
                    fresh[2],
                    pastKey,
                    pastValue,
                    Tensor.ofInts(new long[] {totals.length, 1}, last),
                    Tensor.ofInts(new long[] {1}, IntStream.of(totals).max().orElseThrow()),
                    cos,
                    sin,
                    null,
                    null,
                    sinks);
            pastKey = (Tensor) results.get(1);
            pastValue = (Tensor) results.get(2);
            return results;
        }

        /** All tokens of sequence 0 in chunks, one after the other; the outputs. */
        float[] inChunks(Provider provider, String variant, int... chunks) {
            pastKey = null;
            pastValue = null;
            float[] outputs = new float[TOKENS * form.heads * form.head];
            int done = 0;
            for (int chunk : chunks) {
                OneNode node = dense();
                float[] part = OneNode.floats(step(provider, node, new int[] {done}, chunk, new int[] {done + chunk})
                        .get(0));
                assertThat(node.variant()).isEqualTo(variant);
                System.arraycopy(part, 0, outputs, done * form.heads * form.head, part.length);
                done += chunk;
            }
            assertThat(done).isEqualTo(TOKENS);
            return outputs;
        }

        /** All tokens of sequence 0, each step packed with a token of sequence 1, over pages. */
        float[] paged(Provider provider, String variant, int... chunks) {
            int row = form.heads * form.head;
            float[] outputs = new float[TOKENS * row];
            Tensor keyPages = Tensor.allocateHost(DataType.FLOAT, 9, form.kvHeads, form.head, 16);
            Tensor valuePages = Tensor.allocateHost(DataType.FLOAT, 9, form.kvHeads, 16, form.head);
            Tensor table = Tensor.ofInts(new long[] {2, 4}, 7, 2, 8, 4, 1, 0, 3, 5);
            int done = 0;
            for (int step = 0; step < chunks.length; step++) {
                int tokens = chunks[step] + 1;
                int[] sequences = new int[tokens];
                int[] positions = IntStream.range(done, done + tokens).toArray();
                sequences[tokens - 1] = 1;
                positions[tokens - 1] = step;
                int chunk = chunks[step];
                int from = done;
                Tensor[] mixed = new Tensor[3];
                Tensor[] mine = fresh(new int[] {from}, chunk);
                Tensor[] both = fresh(new int[] {0, step}, 1);
                for (int k = 0; k < 3 && mine[k] != null; k++) {
                    int width = (int) mine[k].dim(2);
                    mixed[k] = Tensor.allocateHost(DataType.FLOAT, 1, tokens, width);
                    mixed[k].floats().put(0, mine[k].floats(), 0, chunk * width);
                    mixed[k].floats().put(chunk * width, both[k].floats(), width, width);
                }
                OneNode node = node(PagedAttention.DOMAIN, PagedAttention.OP_TYPE);
                float[] part = OneNode.floats(node.runOn(
                                provider,
                                mixed[0],
                                mixed[1],
                                mixed[2],
                                keyPages,
                                valuePages,
                                table,
                                Tensor.ofInts(new long[] {tokens}, sequences),
                                Tensor.ofInts(new long[] {tokens}, positions),
                                cos,
                                sin,
                                sinks)
                        .get(0));
                assertThat(node.variant()).isEqualTo(variant);
                System.arraycopy(part, 0, outputs, done * row, chunk * row);
                done += chunk;
            }
            return outputs;
        }
    }

    private static int[] ones() {
        int[] ones = new int[TOKENS];
        Arrays.fill(ones, 1);
        return ones;
    }

    private static void assertClose(float[] got, float[] want) {
        assertThat(got).hasSameSizeAs(want);
        for (int k = 0; k < want.length; k++) {
            assertThat(got[k]).isCloseTo(want[k], within(1e-5f));
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndForms")
    void agreesWithTheJavaKernel(String level, Form form) {
        Case test = new Case(form);
        try (Provider java = OneNode.javaProvider(1);
                Provider fast = OneNode.provider(2, new NativeBackend(level))) {
            for (int[] chunks : CHUNKS) {
                float[] want = test.inChunks(java, "java", chunks);
                float[] wantKeys = OneNode.floats(test.pastKey);
                float[] wantValues = OneNode.floats(test.pastValue);
                assertClose(test.inChunks(fast, "native " + level, chunks), want);
                assertClose(OneNode.floats(test.pastKey), wantKeys);
                assertThat(OneNode.floats(test.pastValue)).isEqualTo(wantValues);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndForms")
    void denseAndPagedHaveTheSameBitsInAnyChunks(String level, Form form) {
        Case test = new Case(form);
        String variant = "native " + level;
        try (Provider provider = OneNode.provider(3, new NativeBackend(level))) {
            float[] whole = test.inChunks(provider, variant, TOKENS);
            assertThat(test.inChunks(provider, variant, ones())).isEqualTo(whole);
            assertThat(test.paged(provider, variant, TOKENS)).isEqualTo(whole);
            assertThat(test.paged(provider, variant, ones())).isEqualTo(whole);
            for (int[] chunks : CHUNKS) {
                assertThat(test.inChunks(provider, variant, chunks)).isEqualTo(whole);
                assertThat(test.paged(provider, variant, chunks)).isEqualTo(whole);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndForms")
    void sequencesOfDifferentLengthsAndTheirPaddingAgreeWithTheJavaKernel(String level, Form form) {
        Case want = new Case(form);
        Case got = new Case(form);
        int row = form.heads * form.head;
        try (Provider java = OneNode.javaProvider(1);
                Provider fast = OneNode.provider(2, new NativeBackend(level))) {
            float[] alone = new Case(form).inChunks(fast, "native " + level, TOKENS);
            int[][] totals = {{33, 15}, {34, 16}, {49, 31}};
            int[] done = {0, 0};
            for (int[] ends : totals) {
                int length = Math.max(ends[0] - done[0], ends[1] - done[1]);
                OneNode plain = want.dense();
                OneNode node = got.dense();
                float[] expected = OneNode.floats(
                        want.step(java, plain, done, length, ends).get(0));
                float[] outputs =
                        OneNode.floats(got.step(fast, node, done, length, ends).get(0));
                assertThat(plain.variant()).isEqualTo("java");
                assertThat(node.variant()).isEqualTo("native " + level);
                assertClose(outputs, expected);
                assertThat(Arrays.copyOf(outputs, length * row))
                        .isEqualTo(Arrays.copyOfRange(alone, done[0] * row, ends[0] * row));
                if (done[1] == 0) {
                    assertThat(Arrays.copyOfRange(outputs, (length + ends[1]) * row, 2 * length * row))
                            .containsOnly(0);
                }
                done = ends;
            }
        }
    }

    @ParameterizedTest
    @MethodSource("levelsAndForms")
    void oneBufferForPastAndPresentIsAppendedToInPlace(String level, Form form) {
        Case test = new Case(form);
        Map<String, Attribute> attributes = Map.of(
                "num_heads", Attribute.of((long) form.heads),
                "kv_num_heads", Attribute.of((long) form.kvHeads),
                "local_window_size", Attribute.of((long) form.window),
                "softcap", Attribute.of(form.softcap),
                "smooth_softmax", Attribute.of(form.smooth ? 1L : 0L),
                "do_rotary", Attribute.of(form.rotary > 0 ? 1L : 0L),
                "rotary_interleaved", Attribute.of(form.interleaved ? 1L : 0L));
        String[] names = {"q", "k", "v", "pastK", "pastV", "last", "total", "cos", "sin", "", "", "sink"};
        Tensor keys = Tensor.allocateHost(DataType.FLOAT, 1, form.kvHeads, 61, form.head);
        Tensor values = Tensor.allocateHost(DataType.FLOAT, 1, form.kvHeads, 61, form.head);
        int row = form.heads * form.head;
        try (Provider provider = OneNode.provider(2, new NativeBackend(level))) {
            float[] whole = new Case(form).inChunks(provider, "native " + level, TOKENS);
            int done = 0;
            for (int chunk : CHUNKS[0]) {
                Tensor[] fresh = test.fresh(new int[] {done}, chunk);
                Tensor last = Tensor.ofInts(new long[] {1}, done + chunk - 1);
                Tensor total = Tensor.ofInts(new long[] {}, done + chunk);
                Tensor[] inputs = {
                    fresh[0], fresh[1], fresh[2], keys, values, last, total, test.cos, test.sin, null, null, test.sinks
                };
                List<String> given = IntStream.range(0, inputs.length)
                        .mapToObj(k -> inputs[k] == null ? "" : names[k])
                        .toList();
                Graph.Builder graph = Graph.builder("in place");
                given.stream().filter(name -> !name.isEmpty()).forEach(name -> graph.inputs()
                        .add(new ValueInfo(name, ValueType.UNKNOWN)));
                List<String> outputs = List.of("y", "keys", "values");
                outputs.forEach(name -> graph.outputs().add(new ValueInfo(name, ValueType.UNKNOWN)));
                graph.nodes().add(new Node("n", "com.microsoft", "GroupQueryAttention", given, outputs, attributes));
                OnnxModel model =
                        new OnnxModel("t", 10, Map.of("com.microsoft", 1L), graph.build(), List.of(), Map.of());
                try (GraphSession session =
                                GraphSession.create(model, provider, new SessionOptions(Precision.EXACT, 0));
                        GraphBinding binding = session.newBinding()) {
                    assertThat(session.kernelVariants()).containsEntry("n", "native " + level);
                    IntStream.range(0, inputs.length)
                            .filter(k -> inputs[k] != null)
                            .forEach(k -> binding.bindInput(names[k], inputs[k]));
                    binding.bindOutput("keys", keys);
                    binding.bindOutput("values", values);
                    binding.run();
                    assertThat(OneNode.floats(binding.output("y")))
                            .isEqualTo(Arrays.copyOfRange(whole, done * row, (done + chunk) * row));
                }
                done += chunk;
            }
            assertThat(done).isEqualTo(TOKENS);
        }
    }

    @Test
    void whatIsNotCoveredIsLeftToTheReference() {
        Case test = new Case(FORMS.get(0));
        try (Provider provider = OneNode.provider(1, new NativeBackend(""))) {
            for (String attribute : List.of("causal", "local_window_size")) {
                OneNode node = test.dense().with(attribute, 0);
                if (attribute.equals("causal")) {
                    node.with("local_window_size", -1);
                }
                test.pastKey = null;
                test.pastValue = null;
                test.step(provider, node, new int[] {0}, 3, new int[] {3});
                assertThat(node.variant()).isEqualTo("java");
            }
        }
    }

    @Test
    void lengthsOutsideTheCacheAreRefused() {
        Case test = new Case(FORMS.get(0));
        try (Provider provider = OneNode.provider(1, new NativeBackend(""))) {
            assertThatThrownBy(() -> test.step(provider, test.dense(), new int[] {0}, 1, new int[] {9}))
                    .isInstanceOf(KindlingException.class)
                    .hasMessageContaining("sequence 0 has 9 positions, 1 of them new; the cache holds 0");
        }
    }
}
