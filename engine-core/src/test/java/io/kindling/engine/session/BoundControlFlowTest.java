package io.kindling.engine.session;

import static io.kindling.engine.ir.DataType.BOOL;
import static io.kindling.engine.ir.DataType.FLOAT;
import static io.kindling.engine.ir.DataType.INT64;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.provider.Provider;
import io.kindling.engine.provider.ProviderFactory;
import io.kindling.engine.provider.ProviderOptions;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Control flow over persistent buffers: one buffer bound as input X and output Y, so that every run adds one to it. */
class BoundControlFlowTest {
    private static Provider provider;

    @BeforeAll
    static void openCpu() {
        provider = ServiceLoader.load(ProviderFactory.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(factory -> factory.deviceKind().equals("cpu"))
                .findFirst()
                .orElseThrow()
                .open(new ProviderOptions(ProviderOptions.Kernels.JAVA, 1, 0));
    }

    @AfterAll
    static void closeCpu() {
        provider.close();
    }

    private static ValueInfo port(String name, DataType type, long... shape) {
        List<Dimension> dimensions =
                Arrays.stream(shape).mapToObj(Dimension::of).toList();
        return new ValueInfo(name, ValueType.TensorType.of(type, dimensions));
    }

    private static Node node(String op, List<String> inputs, List<String> outputs, Map<String, Attribute> attributes) {
        return new Node(op + outputs, "", op, inputs, outputs, attributes);
    }

    private static Graph addOne(String input, String output) {
        Graph.Builder graph = Graph.builder("body");
        graph.initializers().put("one_" + output, TensorData.ofFloats(new long[] {1}, 1));
        graph.nodes().add(node("Add", List.of(input, "one_" + output), List.of(output), Map.of()));
        graph.outputs().add(port(output, FLOAT, 2));
        return graph.build();
    }

    private static OnnxModel model(Graph.Builder graph) {
        return new OnnxModel("fixture", 10, Map.of("", 21L), graph.build(), List.of(), Map.of());
    }

    private static Graph.Builder mainGraph() {
        Graph.Builder graph = Graph.builder("main");
        graph.inputs().add(port("X", FLOAT, 2));
        graph.outputs().add(port("Y", FLOAT, 2));
        return graph;
    }

    private static OnnxModel ifModel() {
        Graph.Builder graph = mainGraph();
        graph.inputs().add(0, port("cond", BOOL));
        graph.nodes()
                .add(node(
                        "If",
                        List.of("cond"),
                        List.of("Y"),
                        Map.of(
                                "then_branch", new Attribute.GraphValue(addOne("X", "t")),
                                "else_branch", new Attribute.GraphValue(addOne("X", "e")))));
        return model(graph);
    }

    /** A loop of {@code trips} trips whose carried value starts as X. */
    private static OnnxModel loopModel(long trips) {
        Graph.Builder body = Graph.builder("body");
        body.inputs().addAll(List.of(port("i", INT64), port("c", BOOL), port("v", FLOAT, 2)));
        body.initializers().put("one", TensorData.ofFloats(new long[] {1}, 1));
        body.nodes().add(node("Identity", List.of("c"), List.of("c_out"), Map.of()));
        body.nodes().add(node("Add", List.of("v", "one"), List.of("v_out"), Map.of()));
        body.outputs().addAll(List.of(port("c_out", BOOL), port("v_out", FLOAT, 2)));
        Graph.Builder graph = mainGraph();
        graph.initializers().put("trips", TensorData.ofLongs(new long[] {}, trips));
        graph.nodes()
                .add(node(
                        "Loop",
                        List.of("trips", "", "X"),
                        List.of("Y"),
                        Map.of("body", new Attribute.GraphValue(body.build()))));
        return model(graph);
    }

    private static OnnxModel scanModel() {
        Graph.Builder body = Graph.builder("body");
        body.inputs().addAll(List.of(port("s", FLOAT, 2), port("x", FLOAT, 2)));
        body.nodes().add(node("Add", List.of("s", "x"), List.of("s_out"), Map.of()));
        body.outputs().add(port("s_out", FLOAT, 2));
        Graph.Builder graph = mainGraph();
        graph.initializers().put("ones", TensorData.ofFloats(new long[] {1, 2}, 1, 1));
        graph.nodes()
                .add(node(
                        "Scan",
                        List.of("X", "ones"),
                        List.of("Y"),
                        Map.of("body", new Attribute.GraphValue(body.build()), "num_scan_inputs", Attribute.of(1L))));
        return model(graph);
    }

    private static void addsOnePerRun(OnnxModel model) {
        try (GraphSession session = GraphSession.create(model, provider, SessionOptions.defaults());
                GraphBinding binding = session.newBinding()) {
            Tensor buffer = Tensor.ofFloats(new long[] {2}, 5, 9);
            if (session.inputs().size() == 2) {
                Tensor condition = Tensor.allocateHost(BOOL);
                condition.bytes().put(0, (byte) 1);
                binding.bindInput("cond", condition);
            }
            binding.bindInput("X", buffer);
            binding.bindOutput("Y", buffer);
            binding.run();
            assertThat(floats(buffer)).containsExactly(6, 10);
            binding.run();
            assertThat(floats(buffer)).containsExactly(7, 11);
        }
    }

    private static float[] floats(Tensor tensor) {
        float[] values = new float[(int) tensor.elementCount()];
        tensor.floats().get(0, values);
        return values;
    }

    @Test
    void if_materializes_outer_capture_from_persistent_device_input() {
        addsOnePerRun(ifModel());
    }

    @Test
    void loopCarriesABoundBuffer() {
        addsOnePerRun(loopModel(1));
    }

    @Test
    void scanStateIsABoundBuffer() {
        addsOnePerRun(scanModel());
    }

    @Test
    void aLoopRunsAsOftenAsItsTripCountSays() {
        for (long trips : new long[] {0, 1, 2, 7}) {
            try (GraphSession session = GraphSession.create(loopModel(trips), provider, SessionOptions.defaults())) {
                Tensor y = (Tensor) session.run(Map.of("X", Tensor.ofFloats(new long[] {2}, 5, 9)))
                        .get("Y");
                assertThat(floats(y)).containsExactly(5 + trips, 9 + trips);
            }
        }
    }

    @Test
    void aBindingThatIsTooSmallOrOfAnotherTypeIsRefused() {
        try (GraphSession session = GraphSession.create(loopModel(1), provider, SessionOptions.defaults());
                GraphBinding binding = session.newBinding()) {
            binding.bindInput("X", Tensor.ofFloats(new long[] {2}, 5, 9));
            binding.bindOutput("Y", Tensor.allocateHost(FLOAT, 1));
            assertThatThrownBy(binding::run)
                    .isInstanceOfSatisfying(KindlingException.class, fault -> assertThat(fault.code())
                            .isEqualTo(ErrorCode.SHAPE_OR_TYPE))
                    .hasMessage("device binding 'Y' needs 8 bytes for float[2], allocation has 4 bytes of float");
            binding.bindOutput("Y", Tensor.allocateHost(INT64, 2));
            assertThatThrownBy(binding::run).hasMessageContaining("allocation has 16 bytes of int64");
        }
    }

    @Test
    void aNameOfASubgraphDoesNotLeakOut() {
        Graph.Builder graph = ifModel().graph().toBuilder();
        graph.outputs().add(port("t", FLOAT, 2));
        assertThatThrownBy(() -> GraphSession.create(model(graph), provider, SessionOptions.defaults()))
                .hasMessageContaining("value 't'")
                .hasMessageContaining("no node, input or initializer");
    }

    @Test
    void takenOutputsOutliveTheNextRun() {
        try (GraphSession session = GraphSession.create(ifModel(), provider, SessionOptions.defaults());
                GraphBinding binding = session.newBinding()) {
            binding.bindInput("cond", Tensor.allocateHost(BOOL));
            binding.bindInput("X", Tensor.ofFloats(new long[] {2}, 1, 2));
            binding.run();
            try (Tensor first = binding.takeOutput("Y")) {
                binding.bindInput("X", Tensor.ofFloats(new long[] {2}, 10, 20));
                binding.run();
                assertThat(floats(first)).containsExactly(2, 3);
                assertThat(floats((Tensor) binding.output("Y"))).containsExactly(11, 21);
            }
        }
    }

    @Test
    void unknownOperatorsAreListedTogether() {
        Graph.Builder graph = mainGraph();
        graph.nodes().add(node("Frobnicate", List.of("X"), List.of("a"), Map.of()));
        graph.nodes().add(node("Defrobnicate", List.of("a"), List.of("Y"), Map.of()));
        assertThatThrownBy(() -> GraphSession.create(model(graph), provider, SessionOptions.defaults()))
                .isInstanceOfSatisfying(KindlingException.class, fault -> assertThat(fault.code())
                        .isEqualTo(ErrorCode.UNSUPPORTED))
                .hasMessageContaining("no kernel on cpu for Defrobnicate (opset 21), Frobnicate (opset 21)");
    }

    @Test
    void inputsAreCheckedAgainstTheirPorts() {
        try (GraphSession session = GraphSession.create(loopModel(1), provider, SessionOptions.defaults())) {
            assertThatThrownBy(() -> session.run(Map.of())).hasMessageContaining("inputs [X] are not bound");
            assertThatThrownBy(() -> session.run(Map.of("Z", Tensor.allocateHost(FLOAT, 2))))
                    .hasMessageContaining("'Z'")
                    .hasMessageContaining("[X]");
            assertThatThrownBy(() -> session.run(Map.of("X", Tensor.allocateHost(FLOAT, 3))))
                    .hasMessage("input 'X' must be float[2], found float[3]");
            assertThatThrownBy(() -> session.run(Map.of("X", Tensor.allocateHost(INT64, 2))))
                    .hasMessage("input 'X' must be float[2], found int64[2]");
        }
    }
}
