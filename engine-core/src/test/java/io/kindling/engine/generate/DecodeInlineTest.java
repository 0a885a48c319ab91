package io.kindling.engine.generate;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.DeviceBinding;
import io.kindling.engine.EngineOptions;
import io.kindling.engine.OptionTable;
import io.kindling.engine.Session;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.generate.Decoder.Slice;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.metadata.DecoderIo;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.session.GraphSession;
import io.kindling.engine.session.ModelWeights;
import io.kindling.engine.session.SessionOptions;
import io.kindling.engine.shape.ShapeInference;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sibling of the {@code scan} form of src/test/python/make_hybrid_models.py: six state pairs beside a pair of keys and values. */
class DecodeInlineTest {
    private static final int[] PROMPT = {5, 40, 17, 80, 3, 66, 9};
    private static final int STEPS = 8;

    @TempDir
    private static Path folder;

    private static OnnxModel model;
    private static DecoderIo io;

    private final Provider provider = Generations.openCpu();
    private final ModelWeights weights = new ModelWeights(provider);
    private final List<OnnxModel> planned = new ArrayList<>();

    @BeforeAll
    static void makeModel() throws Exception {
        HybridModel.make(folder);
        HybridModel scan = HybridModel.open(folder, "scan");
        model = scan.graph();
        io = scan.io();
    }

    @AfterEach
    void close() {
        weights.close();
        provider.close();
    }

    private Session plan(OnnxModel graph) {
        planned.add(graph);
        return GraphSession.create(graph, weights, SessionOptions.defaults());
    }

    private static OnnxModel sibling() {
        return DecodeInline.sibling(model).orElseThrow();
    }

    /** Logits of a prompt and of steps behind it, one row each. */
    private List<FloatBuffer> decode(DecodeInline inline, int[] prompt) {
        List<FloatBuffer> rows = new ArrayList<>();
        try (DenseDecoder decoder = new DenseDecoder(plan(model), inline, io, provider, 1 << 20)) {
            DecoderSequence sequence =
                    decoder.admit(prompt, prompt.length + STEPS).orElseThrow();
            int[] ids = Arrays.copyOf(prompt, prompt.length + STEPS);
            decoder.run(List.of(new Slice(sequence, ids, 0, prompt.length, true)));
            rows.add(FloatBuffer.wrap(decoder.logits().row(0).clone()));
            for (int step = 0; step < STEPS; step++) {
                ids[prompt.length + step] = 7 * step + 4;
                decoder.run(List.of(new Slice(sequence, ids, prompt.length + step, 1, true)));
                rows.add(FloatBuffer.wrap(decoder.logits().row(0).clone()));
            }
            sequence.close();
        }
        return rows;
    }

    @Test
    void decode_inline_sibling_none_for_dense_graph() {
        assertThat(DecodeInline.sibling(TinyDecoder.model())).isEmpty();
        DecodeInline inline = DecodeInline.enable(TinyDecoder.model(), TinyDecoder.io(), this::plan);
        assertThat(inline.route(1)).isEmpty();
        assertThat(inline.isReady()).isFalse();
        assertThat(planned).isEmpty();
    }

    @Test
    void decode_inline_sibling_is_byte_exact_with_scan_and_preserves_state() {
        assertThat(model.graph().nodes())
                .filteredOn(node -> node.is("", "Scan"))
                .hasSize(3);
        assertThat(sibling().graph().nodes()).noneMatch(node -> node.is("", "Scan"));
        List<Map.Entry<String, ByteBuffer>> scanned = step(plan(model));
        long bytes = weights.weightBytes();
        List<Map.Entry<String, ByteBuffer>> inlined = step(plan(sibling()));
        assertThat(inlined).isEqualTo(scanned);
        assertThat(weights.weightBytes()).as("weights are shared").isEqualTo(bytes);
    }

    /** One token on random states: every output, in the graph's order. */
    private List<Map.Entry<String, ByteBuffer>> step(Session session) {
        Random random = new Random(4);
        List<Map.Entry<String, ByteBuffer>> outputs = new ArrayList<>();
        try (session;
                DeviceBinding binding = session.newBinding()) {
            binding.bindInput(io.tokenInput(), Tensor.ofLongs(new long[] {1, 1}, 33));
            binding.bindInput(io.attentionMask().orElseThrow(), Tensor.ofLongs(new long[] {1, 4}, 1, 1, 1, 1));
            for (DecoderIo.State state : io.states()) {
                binding.bindInput(state.input(), randomState(state, random));
            }
            binding.run();
            for (ValueInfo output : session.outputs()) {
                outputs.add(Map.entry(output.name(), bytes((Tensor) binding.output(output.name()))));
            }
        }
        return outputs;
    }

    private static Tensor randomState(DecoderIo.State state, Random random) {
        long[] shape = state.initialShape().stream().mapToLong(Long::longValue).toArray();
        if (state.sequenceAxis() >= 0) {
            shape[state.sequenceAxis()] = 3;
        }
        Tensor tensor = Tensor.allocateHost(DataType.FLOAT, shape);
        for (int k = 0; k < tensor.elementCount(); k++) {
            tensor.floats().put(k, (float) random.nextGaussian());
        }
        return tensor;
    }

    /** A copy, equal to others of the same bits. */
    private static ByteBuffer bytes(Tensor tensor) {
        byte[] bytes = new byte[(int) tensor.byteSize()];
        tensor.bytes().get(0, bytes);
        return ByteBuffer.wrap(bytes);
    }

    @Test
    void decode_inline_sibling_preserves_persistent_state_across_prefill_handoff() {
        DecodeInline inline = DecodeInline.enable(model, io, this::plan);
        List<FloatBuffer> alone = decode(DecodeInline.off(), PROMPT);
        assertThat(decode(inline, PROMPT)).isEqualTo(alone);
        assertThat(planned).hasSize(3);
    }

    /** One allocation is a state's input and output in both executors: prefill fills it, the sibling goes on from there. */
    @Test
    void decode_inline_sibling_goes_on_in_the_buffers_that_prefill_filled() {
        List<ByteBuffer> results = new ArrayList<>();
        for (OnnxModel decoding : List.of(model, sibling())) {
            List<DecoderIo.State> fixed = io.states().stream()
                    .filter(state -> state.sequenceAxis() < 0)
                    .toList();
            Map<String, Tensor> buffers = new TreeMap<>();
            fixed.forEach(state -> buffers.put(state.input(), randomState(state, new Random(1))));
            try (Session prefill = plan(model);
                    Session decode = plan(decoding);
                    DeviceBinding first = prefill.newBinding();
                    DeviceBinding then = decode.newBinding()) {
                for (DeviceBinding binding : List.of(first, then)) {
                    fixed.forEach(state -> {
                        binding.bindInput(state.input(), buffers.get(state.input()));
                        binding.bindOutput(state.output(), buffers.get(state.input()));
                    });
                }
                feed(first, 0, 5, 6, 7);
                io.states().stream()
                        .filter(state -> state.sequenceAxis() >= 0)
                        .forEach(state -> then.bindInput(state.input(), first.output(state.output())));
                feed(then, 3, 8);
                buffers.values().forEach(buffer -> results.add(bytes(buffer)));
            }
        }
        int half = results.size() / 2;
        assertThat(results.subList(half, 2 * half)).isEqualTo(results.subList(0, half));
    }

    private static void feed(DeviceBinding binding, int past, long... ids) {
        binding.bindInput(io.tokenInput(), Tensor.ofLongs(new long[] {1, ids.length}, ids));
        long[] ones = new long[past + ids.length];
        Arrays.fill(ones, 1);
        binding.bindInput(io.attentionMask().orElseThrow(), Tensor.ofLongs(new long[] {1, ones.length}, ones));
        for (DecoderIo.State state : io.states()) {
            if (state.sequenceAxis() >= 0 && past == 0) {
                long[] shape =
                        state.initialShape().stream().mapToLong(Long::longValue).toArray();
                binding.bindInput(state.input(), Tensor.allocateHost(DataType.FLOAT, shape));
            }
        }
        binding.run();
    }

    @Test
    void decode_inline_sibling_preserves_state_output_order_and_resolves_shapes() {
        Graph graph = sibling().graph();
        assertThat(graph.inputs()).isEqualTo(model.graph().inputs());
        assertThat(graph.outputs()).isEqualTo(model.graph().outputs());
        Map<String, ValueType> types = ShapeInference.infer(graph);
        List<DecoderIo.State> recurrent = io.states().stream()
                .filter(state -> state.input().endsWith("recurrent"))
                .toList();
        assertThat(recurrent).hasSize(3);
        for (DecoderIo.State state : recurrent) {
            Node producer = graph.nodes().stream()
                    .filter(node -> node.outputs().contains(state.output()))
                    .findFirst()
                    .orElseThrow();
            assertThat(producer.opType()).isEqualTo("Add");
            assertThat(types.get(state.output())).isEqualTo(types.get(state.input()));
        }
    }

    @Test
    void decode_inline_flag_defaults_off_and_parses_truthy() {
        assertThat(EngineOptions.defaults().decodeInline()).isFalse();
        for (String word : List.of("1", "true", "YES", "on")) {
            assertThat(parsed(word)).as(word).isTrue();
        }
        for (String word : List.of("0", "false", "no", "Off")) {
            assertThat(parsed(word)).as(word).isFalse();
        }
    }

    private static boolean parsed(String word) {
        return OptionTable.standard()
                .parse(Map.of("decode_inline", word))
                .engine()
                .decodeInline();
    }

    @Test
    void decode_inline_routes_only_single_token_when_enabled() {
        DecodeInline inline = DecodeInline.enable(model, io, this::plan);
        assertThat(inline.route(2)).isEmpty();
        assertThat(inline.isReady()).isFalse();
        assertThat(planned).isEmpty();
        Optional<DeviceBinding> binding = inline.route(1);
        assertThat(binding).isPresent();
        assertThat(inline.isReady()).isTrue();
        assertThat(inline.route(7)).isEmpty();
        assertThat(inline.route(1)).containsSame(binding.get());
        assertThat(planned).hasSize(1);
        inline.close();
    }

    @Test
    void decode_inline_never_routes_when_disabled_or_unbuilt() {
        assertThat(DecodeInline.off().route(1)).isEmpty();
        List<OnnxModel> tried = new ArrayList<>();
        DecodeInline unbuilt = DecodeInline.enable(model, io, graph -> {
            tried.add(graph);
            throw new KindlingException(ErrorCode.OUT_OF_MEMORY, "no room for a second plan");
        });
        assertThat(unbuilt.route(1)).isEmpty();
        assertThat(unbuilt.route(1)).isEmpty();
        assertThat(unbuilt.isReady()).isFalse();
        assertThat(tried).hasSize(1);
        assertThat(decode(unbuilt, PROMPT)).hasSize(1 + STEPS);
    }

    @Test
    void decode_inline_never_routes_when_decoder_has_eager_step_inputs() {
        DecoderIo merged = new DecoderIo(
                io.tokenInput(),
                io.attentionMask(),
                io.positionIds(),
                Optional.of("use_cache_branch"),
                io.logits(),
                io.states());
        DecodeInline inline = DecodeInline.enable(model, merged, this::plan);
        assertThat(inline.route(1)).isEmpty();
        assertThat(planned).isEmpty();
    }

    /** A sibling that is wrong about the trips of a Scan costs no answer. */
    @Test
    void step_that_fails_on_the_sibling_runs_on_the_graph_itself() {
        List<FloatBuffer> alone = decode(DecodeInline.off(), PROMPT);
        DecodeInline broken = DecodeInline.enable(model, io, graph -> plan(withFailingState(graph)));
        assertThat(decode(broken, PROMPT)).isEqualTo(alone);
        assertThat(broken.isReady()).isFalse();
    }

    private static OnnxModel withFailingState(OnnxModel inlined) {
        Graph.Builder graph = inlined.graph().toBuilder();
        // Squeezes an axis that is 8 long, as an inlined Scan of 8 trips would.
        graph.nodes()
                .replaceAll(node ->
                        node.opType().equals("Squeeze") && node.inputs().get(0).endsWith("v_heads_first")
                                ? new Node(
                                        node.name(),
                                        "",
                                        "Squeeze",
                                        node.inputs(),
                                        node.outputs(),
                                        Map.of("axes", Attribute.of(new long[] {3})))
                                : node);
        return new OnnxModel(
                inlined.source(),
                inlined.irVersion(),
                inlined.opsetImports(),
                graph.build(),
                inlined.functions(),
                inlined.metadata());
    }
}
