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
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** One layer of 2 heads of 4 as Optimum writes attention out; each test changes how the mask is made. */
class WrittenAttentionTest {
    private static final DecoderIo IO = new DecoderIo(
            "ids",
            Optional.of("mask"),
            Optional.empty(),
            Optional.empty(),
            "logits",
            List.of(state("key", DecoderIo.Kind.KEY), state("value", DecoderIo.Kind.VALUE)));

    private static DecoderIo.State state(String name, DecoderIo.Kind kind) {
        return new DecoderIo.State("past." + name, "present." + name, kind, 0, 2, List.of(1L, 2L, 0L, 4L));
    }

    private static RaggedLowering.Outcome lower(Consumer<Graph.Builder> mask) {
        Graph.Builder graph = Graph.builder("g");
        input(graph, "ids", DataType.INT64, "batch", "sequence");
        input(graph, "mask", DataType.INT64, "batch", "total");
        input(graph, "past.key", DataType.FLOAT, "batch", "heads", "past", "size");
        input(graph, "past.value", DataType.FLOAT, "batch", "heads", "past", "size");
        graph.initializers().put("table", TensorData.ofFloats(new long[] {10, 8}, new float[80]));
        graph.initializers().put("head", TensorData.ofFloats(new long[] {8, 10}, new float[80]));
        graph.initializers().put("split", TensorData.ofLongs(new long[] {4}, 0, 0, 2, 4));
        graph.initializers().put("join", TensorData.ofLongs(new long[] {3}, 0, 0, -1));
        graph.initializers().put("half", TensorData.ofFloats(new long[0], 0.5f));
        graph.initializers().put("hidden", TensorData.ofFloats(new long[0], Float.NEGATIVE_INFINITY));
        graph.initializers().put("nothing", TensorData.ofFloats(new long[0], 0));
        number(graph, "zero", 0);
        number(graph, "one", 1);
        number(graph, "two", 2);
        number(graph, "three", 3);
        node(graph, "Gather", List.of("table", "ids"), "embedded", Map.of());
        node(graph, "Reshape", List.of("embedded", "split"), "parts", Map.of());
        Map<String, Attribute> swap = Map.of("perm", Attribute.of(0L, 2L, 1L, 3L));
        node(graph, "Transpose", List.of("parts"), "heads", swap);
        Map<String, Attribute> behind = Map.of("axis", Attribute.of(-2L));
        node(graph, "Concat", List.of("past.key", "heads"), "present.key", behind);
        node(graph, "Concat", List.of("past.value", "heads"), "present.value", behind);
        node(graph, "Transpose", List.of("present.key"), "keys", Map.of("perm", Attribute.of(0L, 1L, 3L, 2L)));
        node(graph, "MatMul", List.of("heads", "keys"), "products", Map.of());
        node(graph, "Mul", List.of("products", "half"), "scores", Map.of());
        node(graph, "Shape", List.of("past.key"), "past_shape", Map.of());
        node(graph, "Gather", List.of("past_shape", "two"), "past", Map.of());
        node(graph, "Shape", List.of("ids"), "ids_shape", Map.of());
        node(graph, "Gather", List.of("ids_shape", "one"), "fed", Map.of());
        node(graph, "Add", List.of("past", "fed"), "total", Map.of());
        node(graph, "Range", List.of("past", "total", "one"), "queries", Map.of());
        node(graph, "Range", List.of("zero", "total", "one"), "columns", Map.of());
        unsqueeze(graph, "queries", "rows", 0, 1, 3);
        unsqueeze(graph, "columns", "cols", 0, 1, 2);
        mask.accept(graph);
        node(graph, "Where", List.of("allowed", "nothing", "hidden"), "bias", Map.of());
        node(graph, "Add", List.of("scores", "bias"), "masked", Map.of());
        node(graph, "Softmax", List.of("masked"), "weights", Map.of("axis", Attribute.of(-1L)));
        node(graph, "IsNaN", List.of("weights"), "broken", Map.of());
        node(graph, "Where", List.of("broken", "nothing", "weights"), "guarded", Map.of());
        node(graph, "MatMul", List.of("guarded", "present.value"), "attended", Map.of());
        node(graph, "Transpose", List.of("attended"), "back", swap);
        node(graph, "Reshape", List.of("back", "join"), "flat", Map.of());
        node(graph, "MatMul", List.of("flat", "head"), "logits", Map.of());
        graph.outputs().add(new ValueInfo("logits", ValueType.UNKNOWN));
        return RaggedLowering.lower(new OnnxModel("m", 10, Map.of("", 18L), graph.build(), List.of(), Map.of()), IO);
    }

    private static void number(Graph.Builder graph, String name, long value) {
        graph.initializers().put(name, TensorData.ofLongs(new long[0], value));
    }

    private static void unsqueeze(Graph.Builder graph, String from, String to, long... axes) {
        graph.initializers().put(to + ".axes", TensorData.ofLongs(new long[] {axes.length}, axes));
        node(graph, "Unsqueeze", List.of(from, to + ".axes"), to, Map.of());
    }

    private static void input(Graph.Builder graph, String name, DataType type, String... dims) {
        List<Dimension> shape = List.of(dims).stream().map(Dimension::of).toList();
        graph.inputs().add(new ValueInfo(name, ValueType.TensorType.of(type, shape)));
    }

    private static void node(
            Graph.Builder graph, String op, List<String> inputs, String output, Map<String, Attribute> attributes) {
        graph.nodes().add(new Node(output + ".node", "", op, inputs, List.of(output), attributes));
    }

    private static Node call(RaggedLowering.Outcome outcome) {
        assertThat(outcome.reason()).isEmpty();
        return outcome.lowered().orElseThrow().model().graph().nodes().stream()
                .filter(node -> node.opType().equals("PagedAttention"))
                .findFirst()
                .orElseThrow();
    }

    private static void causal(Graph.Builder graph) {
        node(graph, "LessOrEqual", List.of("cols", "rows"), "allowed", Map.of());
    }

    @Test
    void attentionThatIsWrittenOutGoesToPages() {
        RaggedLowering.Outcome outcome = lower(WrittenAttentionTest::causal);
        Node call = call(outcome);
        assertThat(call.attributes())
                .isEqualTo(Map.of(
                        "num_heads", Attribute.of(2L),
                        "kv_num_heads", Attribute.of(2L),
                        "scale", Attribute.of(0.5f),
                        "local_window_size", Attribute.of(-1L)));
        Graph graph = outcome.lowered().orElseThrow().model().graph();
        assertThat(graph.inputs().stream().map(ValueInfo::name)).doesNotContain("mask", "past.key", "past.value");
        assertThat(graph.nodes().stream().map(Node::opType)).doesNotContain("Softmax", "Range", "Where", "Transpose");
    }

    @Test
    void aWindowBecomesTheWindowOfTheCall() {
        Node call = call(lower(graph -> {
            node(graph, "LessOrEqual", List.of("cols", "rows"), "before", Map.of());
            node(graph, "Sub", List.of("rows", "three"), "edge", Map.of());
            node(graph, "Greater", List.of("cols", "edge"), "near", Map.of());
            node(graph, "And", List.of("before", "near"), "allowed", Map.of());
        }));
        assertThat(call.intAttribute("local_window_size", 0)).isEqualTo(3);
    }

    @Test
    void masksThatAreNotCausalAreRefused() {
        List<Consumer<Graph.Builder>> others = List.of(
                // sees what comes after
                graph -> node(graph, "GreaterOrEqual", List.of("cols", "rows"), "allowed", Map.of()),
                // does not see itself
                graph -> node(graph, "Less", List.of("cols", "rows"), "allowed", Map.of()),
                // counts from the first token that is fed, not from the first of all
                graph -> {
                    node(graph, "Range", List.of("zero", "fed", "one"), "counted", Map.of());
                    unsqueeze(graph, "counted", "local", 0, 1, 3);
                    node(graph, "LessOrEqual", List.of("cols", "local"), "allowed", Map.of());
                },
                // sees one token too many at the far end only
                graph -> {
                    number(graph, "far", 5000);
                    node(graph, "Add", List.of("cols", "far"), "moved", Map.of());
                    node(graph, "LessOrEqual", List.of("cols", "rows"), "before", Map.of());
                    node(graph, "Equal", List.of("moved", "rows"), "hole", Map.of());
                    node(graph, "Not", List.of("hole"), "whole", Map.of());
                    node(graph, "And", List.of("before", "whole"), "allowed", Map.of());
                });
        for (Consumer<Graph.Builder> mask : others) {
            assertThat(lower(mask).reason()).contains("masked.node").contains("not proven to be causal");
        }
    }

    /** Assigning to a slice that is the whole tensor, with a grid of all its indices; {@code first} is where they begin on the last axis. */
    private static void assigned(Graph.Builder graph, String first) {
        node(graph, "LessOrEqual", List.of("cols", "rows"), "seen", Map.of());
        node(graph, "Cast", List.of("seen"), "values", Map.of("to", Attribute.of((long) DataType.FLOAT.code())));
        node(graph, "Shape", List.of("values"), "values_shape", Map.of());
        node(graph, "ConstantOfShape", List.of("values_shape"), "data", Map.of());
        for (int axis = 0; axis < 4; axis++) {
            String k = ".axis" + axis;
            number(graph, "number" + k, axis);
            node(graph, "Gather", List.of("values_shape", "number" + k), "size" + k, Map.of());
            String from = axis == 3 ? first : "zero";
            node(graph, "Add", List.of("size" + k, from), "end" + k, Map.of());
            node(graph, "Range", List.of(from, "end" + k, "one"), "range" + k, Map.of());
            long[] shape = new long[4 - axis];
            Arrays.fill(shape, 1);
            shape[0] = -1;
            graph.initializers().put("turned" + k, TensorData.ofLongs(new long[] {shape.length}, shape));
            node(graph, "Reshape", List.of("range" + k, "turned" + k), "column" + k, Map.of());
            node(graph, "Expand", List.of("column" + k, "values_shape"), "grid" + k, Map.of());
            unsqueeze(graph, "grid" + k, "part" + k, 4);
        }
        Map<String, Attribute> last = Map.of("axis", Attribute.of(-1L));
        List<String> parts = List.of("part.axis0", "part.axis1", "part.axis2", "part.axis3");
        node(graph, "Concat", parts, "indices", last);
        node(graph, "ScatterND", List.of("data", "indices", "values"), "scattered", Map.of());
        node(graph, "Cast", List.of("scattered"), "allowed", Map.of("to", Attribute.of((long) DataType.BOOL.code())));
    }

    @Test
    void maskThatIsAssignedToAWholeSliceIsFollowed() {
        assertThat(call(lower(graph -> assigned(graph, "zero"))).intAttribute("local_window_size", 0))
                .isEqualTo(-1);
        assertThat(lower(graph -> assigned(graph, "one")).reason()).isNotEmpty();
    }

    /** As OPT counts: a triangle from the first token that is fed, and those of them that lie behind the token itself. */
    @Test
    void testThatFollowsFromTheDistanceDoesNotHideTheMask() {
        Node call = call(lower(graph -> {
            node(graph, "Range", List.of("zero", "fed", "one"), "counted", Map.of());
            unsqueeze(graph, "counted", "local", 0, 1, 3);
            node(graph, "Greater", List.of("cols", "local"), "triangle", Map.of());
            node(graph, "Greater", List.of("cols", "rows"), "later", Map.of());
            node(graph, "And", List.of("triangle", "later"), "hidden_ones", Map.of());
            node(graph, "Not", List.of("hidden_ones"), "allowed", Map.of());
        }));
        assertThat(call.intAttribute("local_window_size", 0)).isEqualTo(-1);
    }

    /** The graph with other nodes in place of some. */
    private static RaggedLowering.Outcome changed(UnaryOperator<List<Node>> change) {
        return lower(graph -> {
            causal(graph);
            List<Node> nodes = change.apply(List.copyOf(graph.nodes()));
            graph.nodes().clear();
            graph.nodes().addAll(nodes);
        });
    }

    /** GPT-J casts what it keeps to the type that it has. */
    @Test
    void stateThatIsCastToItsOwnTypeIsReturned() {
        for (DataType type : List.of(DataType.FLOAT, DataType.FLOAT16)) {
            RaggedLowering.Outcome outcome = changed(nodes -> {
                List<Node> cast = new ArrayList<>();
                for (Node node : nodes) {
                    if (node.outputs().contains("present.key")) {
                        cast.add(new Node(
                                node.name(), "", node.opType(), node.inputs(), List.of("joined"), node.attributes()));
                        cast.add(new Node(
                                "cast",
                                "",
                                "Cast",
                                List.of("joined"),
                                List.of("present.key"),
                                Map.of("to", Attribute.of((long) type.code()))));
                    } else {
                        cast.add(node);
                    }
                }
                return cast;
            });
            assertThat(outcome.reason().isEmpty()).as(outcome.reason()).isEqualTo(type == DataType.FLOAT);
        }
    }

    private static void table(Graph.Builder graph, int window, String rowStart) {
        byte[] seen = new byte[16 * 16];
        for (int i = 0; i < 16; i++) {
            for (int j = Math.max(0, i - window + 1); j <= i; j++) {
                seen[i * 16 + j] = 1;
            }
        }
        TensorData.Inline bytes = new TensorData.Inline(ByteBuffer.wrap(seen));
        graph.initializers().put("square", new TensorData(DataType.BOOL, new long[] {1, 1, 16, 16}, bytes));
        graph.initializers().put("minus", TensorData.ofLongs(new long[] {1}, -3));
        graph.initializers().put("row_axis", TensorData.ofLongs(new long[] {1}, 2));
        graph.initializers().put("column_axis", TensorData.ofLongs(new long[] {1}, 3));
        graph.initializers().put("start", TensorData.ofLongs(new long[] {1}, 0));
        unsqueeze(graph, "past", "first_row", 0);
        unsqueeze(graph, "total", "end", 0);
        node(graph, "Slice", List.of("square", rowStart, "end", "row_axis"), "cut_rows", Map.of());
        node(graph, "Slice", List.of("cut_rows", "start", "end", "column_axis"), "allowed", Map.of());
    }

    @Test
    void aMaskIsCutOutOfATable() {
        Node all = call(lower(graph -> table(graph, 16, "first_row")));
        assertThat(all.attributes()).containsEntry("local_window_size", Attribute.of(-1L));
        Node near = call(lower(graph -> table(graph, 5, "first_row")));
        assertThat(near.attributes()).containsEntry("local_window_size", Attribute.of(5L));
    }

    @Test
    void piecesOfATableThatDependOnItsSizeAreRefused() {
        assertThat(lower(graph -> table(graph, 16, "minus")).lowered()).isEmpty();
        assertThat(lower(graph -> table(graph, 16, "start")).lowered()).isEmpty();
    }
}
