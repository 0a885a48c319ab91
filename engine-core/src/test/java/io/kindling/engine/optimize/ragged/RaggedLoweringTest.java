package io.kindling.engine.optimize.ragged;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.metadata.DecoderIo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** One attention layer of 2 heads of 4 over a table of 10 tokens; each test changes what lies between table and attention. */
class RaggedLoweringTest {
    private static final DecoderIo IO = new DecoderIo(
            "ids",
            Optional.of("mask"),
            Optional.empty(),
            Optional.empty(),
            "logits",
            List.of(
                    new DecoderIo.State("past.key", "present.key", DecoderIo.Kind.KEY, 0, 2, List.of(1L, 2L, 0L, 4L)),
                    new DecoderIo.State(
                            "past.value", "present.value", DecoderIo.Kind.VALUE, 0, 2, List.of(1L, 2L, 0L, 4L))));

    private static RaggedLowering.Outcome lower(Consumer<Graph.Builder> between) {
        return lower(between, List.of("qkv", "", "", "past.key", "past.value", "seqlens", "total"));
    }

    private static RaggedLowering.Outcome lower(Consumer<Graph.Builder> between, List<String> attention) {
        Graph.Builder graph = Graph.builder("g");
        input(graph, "ids", DataType.INT64, "batch", "sequence");
        input(graph, "mask", DataType.INT64, "batch", "total");
        input(graph, "past.key", DataType.FLOAT, "batch", "heads", "past", "size");
        input(graph, "past.value", DataType.FLOAT, "batch", "heads", "past", "size");
        graph.initializers().put("one", TensorData.ofLongs(new long[] {1}, 1));
        graph.initializers().put("second", TensorData.ofLongs(new long[] {}, 1));
        graph.initializers().put("table", TensorData.ofFloats(new long[] {10, 24}, new float[240]));
        graph.initializers().put("head", TensorData.ofFloats(new long[] {8, 10}, new float[80]));
        node(graph, "ReduceSum", List.of("mask", "one"), "rows", Map.of("keepdims", Attribute.of(0L)));
        node(graph, "Sub", List.of("rows", "one"), "seqlens", Map.of());
        node(graph, "Shape", List.of("mask"), "shape", Map.of());
        node(graph, "Gather", List.of("shape", "second"), "total", Map.of());
        node(graph, "Gather", List.of("table", "ids"), "embedded", Map.of());
        between.accept(graph);
        graph.nodes()
                .add(new Node(
                        "attention",
                        "com.microsoft",
                        "GroupQueryAttention",
                        attention,
                        List.of("attended", "present.key", "present.value"),
                        Map.of("num_heads", Attribute.of(2L), "kv_num_heads", Attribute.of(2L))));
        node(graph, "MatMul", List.of("attended", "head"), "logits", Map.of());
        return RaggedLowering.lower(
                new OnnxModel("m", 10, Map.of("", 21L, "com.microsoft", 1L), graph.build(), List.of(), Map.of()), IO);
    }

    private static void input(Graph.Builder graph, String name, DataType type, String... dims) {
        List<Dimension> shape = List.of(dims).stream().map(Dimension::of).toList();
        graph.inputs().add(new ValueInfo(name, ValueType.TensorType.of(type, shape)));
    }

    private static void node(
            Graph.Builder graph, String op, List<String> inputs, String output, Map<String, Attribute> attributes) {
        graph.nodes().add(new Node(output + ".node", "", op, inputs, List.of(output), attributes));
    }

    private static void plain(Graph.Builder graph) {
        node(graph, "Relu", List.of("embedded"), "qkv", Map.of());
    }

    @Test
    void attentionGoesToPagesAndTheMaskFallsAway() {
        RaggedModel lowered = lower(RaggedLoweringTest::plain).lowered().orElseThrow();
        Graph graph = lowered.model().graph();
        assertThat(graph.inputs().stream().map(ValueInfo::name))
                .containsExactly(
                        "ids",
                        RaggedModel.BLOCK_TABLE,
                        RaggedModel.TOKEN_SEQUENCE,
                        RaggedModel.TOKEN_POSITION,
                        RaggedModel.SAMPLE_ROWS,
                        "kindling.key_pages.0",
                        "kindling.value_pages.0");
        assertThat(graph.nodes().stream().map(Node::operator))
                .containsExactly("Gather", "Relu", "kindling::PagedAttention", "Gather", "MatMul");
        assertThat(graph.nodes().get(3).inputs()).containsExactly("attended", RaggedModel.SAMPLE_ROWS);
        assertThat(graph.outputs().stream().map(ValueInfo::name)).containsExactly("logits");
        assertThat(lowered.layers())
                .containsExactly(
                        new RaggedModel.Layer("kindling.key_pages.0", "kindling.value_pages.0", 2, 4, DataType.FLOAT));
    }

    @Test
    void normalisingHeadsThroughAReshapeKeepsTokensApart() {
        RaggedLowering.Outcome outcome = lower(graph -> {
            graph.initializers().put("split", TensorData.ofLongs(new long[] {3}, 0, -1, 4));
            graph.initializers().put("join", TensorData.ofLongs(new long[] {3}, 0, -1, 24));
            graph.initializers().put("weight", TensorData.ofFloats(new long[] {4}, 1, 1, 1, 1));
            node(graph, "Reshape", List.of("embedded", "split"), "parts", Map.of());
            node(graph, "SimplifiedLayerNormalization", List.of("parts", "weight"), "normed", Map.of());
            node(graph, "Reshape", List.of("normed", "join"), "qkv", Map.of());
        });
        assertThat(outcome.reason()).isEmpty();
        assertThat(outcome.lowered()).isPresent();
    }

    @Test
    void sumAlongTokensIsRefused() {
        assertThat(lower(graph -> node(graph, "CumSum", List.of("embedded", "second"), "qkv", Map.of())))
                .isEqualTo(refused("CumSum (node 'qkv.node') is not known to leave tokens apart"));
    }

    @Test
    void softmaxOverTokensIsRefused() {
        assertThat(lower(graph -> node(graph, "Softmax", List.of("embedded"), "qkv", Map.of("axis", Attribute.of(1L)))))
                .isEqualTo(refused("Softmax (node 'qkv.node') works along the token axis"));
    }

    @Test
    void reshapeThatCutsAcrossTokensIsRefused() {
        RaggedLowering.Outcome outcome = lower(graph -> {
            graph.initializers().put("shape24", TensorData.ofLongs(new long[] {3}, 24, -1, 1));
            graph.initializers().put("back", TensorData.ofLongs(new long[] {3}, 1, -1, 24));
            node(graph, "Reshape", List.of("embedded", "shape24"), "cut", Map.of());
            node(graph, "Reshape", List.of("cut", "back"), "qkv", Map.of());
        });
        assertThat(outcome)
                .isEqualTo(refused("Reshape (node 'cut.node') reshapes [1, S, 24] to [24, S, 1], which mixes tokens"));
    }

    @Test
    void readingThePastOutsideAttentionIsRefused() {
        RaggedLowering.Outcome outcome = lower(graph -> {
            node(graph, "ReduceMax", List.of("past.key"), "peak", Map.of("keepdims", Attribute.of(0L)));
            node(graph, "Add", List.of("embedded", "peak"), "qkv", Map.of());
        });
        assertThat(outcome)
                .isEqualTo(
                        refused(
                                "ReduceMax (node 'peak.node') does something with cached keys or values that attention on pages does not"));
    }

    private static RaggedLowering.Outcome refused(String reason) {
        return new RaggedLowering.Outcome(
                Optional.empty(),
                "com.microsoft::GroupQueryAttention (node 'attention') has an input 0 that is not [1, tokens, features]: "
                        + reason);
    }

    @Test
    void repetitionOffTheTokenAxisKeepsTokensApart() {
        assertThat(lower(graph -> {
                            graph.initializers().put("half", TensorData.ofLongs(new long[] {3}, 1, 1, 2));
                            graph.initializers()
                                    .put("narrow", TensorData.ofFloats(new long[] {24, 12}, new float[288]));
                            node(graph, "MatMul", List.of("embedded", "narrow"), "small", Map.of());
                            node(graph, "Tile", List.of("small", "half"), "qkv", Map.of());
                        })
                        .reason())
                .isEmpty();
        assertThat(lower(graph -> {
                            graph.initializers().put("twice", TensorData.ofLongs(new long[] {3}, 1, 2, 1));
                            node(graph, "Tile", List.of("embedded", "twice"), "qkv", Map.of());
                        })
                        .reason())
                .endsWith("Tile (node 'qkv.node') works along the token axis");
    }

    @Test
    void expansionOfTheTokenAxisIsRefused() {
        assertThat(lower(graph -> {
                            graph.initializers().put("wider", TensorData.ofLongs(new long[] {4}, 2, 1, 1, 24));
                            graph.initializers().put("flat", TensorData.ofLongs(new long[] {3}, 1, -1, 24));
                            node(graph, "Expand", List.of("embedded", "wider"), "wide", Map.of());
                            node(graph, "Reshape", List.of("wide", "flat"), "qkv", Map.of());
                        })
                        .reason())
                .contains("which mixes tokens");
    }

    @Test
    void tableEntriesAreGatheredByPositionAlone() {
        Consumer<Graph.Builder> gathered = graph -> {
            graph.initializers().put("entries", TensorData.ofFloats(new long[] {1, 10, 24}, new float[240]));
            graph.initializers().put("row", TensorData.ofLongs(new long[] {3}, 1, -1, 1));
            graph.initializers().put("features", TensorData.ofLongs(new long[] {3}, 1, 1, 24));
            node(graph, "Reshape", List.of("ids", "row"), "column", Map.of());
            node(graph, "Expand", List.of("column", "features"), "indices", Map.of());
        };
        for (long axis : new long[] {1, 2}) {
            RaggedLowering.Outcome outcome = lower(gathered.andThen(graph -> node(
                    graph,
                    "GatherElements",
                    List.of("entries", "indices"),
                    "qkv",
                    Map.of("axis", Attribute.of(axis)))));
            assertThat(outcome.reason())
                    .endsWith(axis == 1 ? "" : "GatherElements (node 'qkv.node') gathers across tokens");
            assertThat(outcome.lowered().isPresent()).isEqualTo(axis == 1);
        }
    }

    @Test
    void placesAreGatheredOffTheTokenAxisAlone() {
        for (boolean acrossTokens : new boolean[] {false, true}) {
            RaggedLowering.Outcome outcome = lower(graph -> {
                graph.initializers().put("places", TensorData.ofLongs(new long[] {24, 2}, new long[48]));
                graph.initializers().put("column", TensorData.ofFloats(new long[] {24, 12}, new float[288]));
                node(graph, "MatMul", List.of("embedded", "column"), "small", Map.of());
                long[] order = acrossTokens ? new long[] {1, 2, 0} : new long[] {2, 0, 1};
                node(graph, "Transpose", List.of("small"), "turned", Map.of("perm", Attribute.of(order)));
                node(graph, "Unsqueeze", List.of("turned", "one"), "doubled", Map.of());
                graph.initializers().put("twice", TensorData.ofLongs(new long[] {4}, 1, 2, 1, 1));
                node(graph, "Tile", List.of("doubled", "twice"), "pairs", Map.of());
                node(graph, "GatherND", List.of("pairs", "places"), "picked", Map.of());
                node(graph, "Transpose", List.of("picked"), "qkv", Map.of("perm", Attribute.of(1L, 2L, 0L)));
            });
            if (acrossTokens) {
                assertThat(outcome.reason()).endsWith("GatherND (node 'picked.node') gathers across tokens");
            } else {
                assertThat(outcome.reason()).isEmpty();
                assertThat(outcome.lowered()).isPresent();
            }
        }
    }

    @Test
    void normsOfQueriesAndKeysStandBeforeTheCall() {
        List<String> inputs = new ArrayList<>(List.of("qkv", "", "", "past.key", "past.value", "seqlens", "total"));
        inputs.addAll(List.of("", "", "", "", "", "", "", "norm", "norm"));
        RaggedLowering.Outcome outcome = lower(
                graph -> {
                    graph.initializers().put("norm", TensorData.ofFloats(new long[] {4}, 1, 2, 3, 4));
                    plain(graph);
                },
                inputs);
        assertThat(outcome.reason()).isEmpty();
        List<Node> nodes = outcome.lowered().orElseThrow().model().graph().nodes();
        assertThat(nodes.stream().map(Node::opType))
                .containsExactly(
                        "Gather",
                        "Relu",
                        "Split",
                        "Reshape",
                        "SimplifiedLayerNormalization",
                        "Reshape",
                        "Reshape",
                        "SimplifiedLayerNormalization",
                        "Reshape",
                        "PagedAttention",
                        "Gather",
                        "MatMul");
        assertThat(nodes.get(4).inputs()).containsExactly("attended/kindling.query.heads", "norm");
        assertThat(nodes.get(9).inputs().subList(0, 3))
                .containsExactly(
                        "attended/kindling.query.joined", "attended/kindling.key.joined", "attended/kindling.value");
    }
}
