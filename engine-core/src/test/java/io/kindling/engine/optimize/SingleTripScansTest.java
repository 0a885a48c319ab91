package io.kindling.engine.optimize;

import static io.kindling.engine.optimize.Graphs.graph;
import static io.kindling.engine.optimize.Graphs.node;
import static io.kindling.engine.optimize.Graphs.show;
import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.shape.ShapeInference;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Scans of a body whose state becomes {@code state * decay + x} and which gives that out as well. */
class SingleTripScansTest {
    private static final GraphPass PASS = new SingleTripScans();

    private static ValueInfo tensor(String name, Object... shape) {
        List<Dimension> dimensions = List.of(shape).stream()
                .map(size -> size instanceof Integer known ? Dimension.of(known) : Dimension.of((String) size))
                .toList();
        return new ValueInfo(name, ValueType.TensorType.of(DataType.FLOAT, dimensions));
    }

    private static Graph.Builder body() {
        Graph.Builder body = graph(
                "s,x", "s_out,y", node("s,decay -> Mul -> m"), node("m,x -> Add -> s_out"), node("s_out -> Relu -> y"))
                .toBuilder();
        body.initializers().put("decay", TensorData.ofFloats(new long[0], 0.5f));
        return body;
    }

    private static Node scan(String text, Graph body, Map<String, Attribute> more) {
        Map<String, Attribute> attributes = new HashMap<>(more);
        attributes.put("body", new Attribute.GraphValue(body));
        attributes.putIfAbsent("num_scan_inputs", Attribute.of(1L));
        return node(text, attributes);
    }

    /** With state [2, 4] and a scan input of the given shape. */
    private static Graph parent(Object[] scanned, Node... nodes) {
        Graph.Builder graph = graph("", "state_out,out", nodes).toBuilder();
        graph.inputs().add(tensor("state", 2, 4));
        graph.inputs().add(tensor("input", scanned));
        return graph.build();
    }

    @Test
    void lowers_single_trip_scan_to_straight_line_body() {
        Graph graph = parent(
                new Object[] {2, 1, 4},
                scan(
                        "state,input -> Scan -> state_out,out",
                        body().build(),
                        Map.of(
                                "scan_input_axes", Attribute.of(new long[] {1}),
                                "scan_output_axes", Attribute.of(new long[] {-1}))));
        Graph result = PASS.apply(graph);
        assertThat(show(result))
                .containsExactly(
                        "input -> Squeeze -> state_out/x",
                        "state,state_out/decay -> Mul -> state_out/m",
                        "state_out/m,state_out/x -> Add -> state_out",
                        "state_out -> Relu -> state_out/y",
                        "state_out/y -> Unsqueeze -> out");
        assertThat(result.nodes().get(0).intsAttribute("axes").orElseThrow()).containsExactly(1);
        assertThat(result.nodes().get(4).intsAttribute("axes").orElseThrow()).containsExactly(-1);
        assertThat(result.initializers()).containsOnlyKeys("state_out/decay");
        assertThat(result.inputs()).isEqualTo(graph.inputs());
        assertThat(result.outputs()).isEqualTo(graph.outputs());
    }

    @Test
    void missingAxesAreZerosAndADynamicAxisIsOneTrip() {
        Graph graph = parent(
                new Object[] {"seq", 2, 4}, scan("state,input -> Scan -> state_out,out", body().build(), Map.of()));
        Graph result = PASS.apply(graph);
        assertThat(result.nodes().get(0).intsAttribute("axes").orElseThrow()).containsExactly(0);
        assertThat(result.nodes()).noneMatch(node -> node.opType().equals("Scan"));
    }

    @Test
    void leaves_multi_trip_scan_untouched() {
        for (Object length : new Object[] {0, 3}) {
            Graph graph = parent(
                    new Object[] {length, 2, 4},
                    scan("state,input -> Scan -> state_out,out", body().build(), Map.of()));
            assertThat(PASS.apply(graph)).isSameAs(graph);
        }
    }

    @Test
    void leaves_non_recurrent_scan_untouched() {
        Graph stateless = graph("x", "y", node("x -> Relu -> y"));
        Graph graph = parent(new Object[] {1, 2, 4}, scan("input -> Scan -> out", stateless, Map.of()));
        assertThat(PASS.apply(graph)).isSameAs(graph);
    }

    @Test
    void leaves_dense_scanless_graph_untouched() {
        Graph graph = parent(new Object[] {1, 2, 4}, node("state,input -> Add -> out"));
        assertThat(PASS.apply(graph)).isSameAs(graph);
    }

    @Test
    void remap_produces_fresh_non_colliding_interior_ids() {
        Graph.Builder parent = parent(
                new Object[] {1, 2, 4},
                node("state -> Abs -> mid/m"),
                node("state -> Abs -> x"),
                scan("x,input -> Scan -> mid,first", body().build(), Map.of()),
                scan("mid,input -> Scan -> state_out,out", body().build(), Map.of()))
                .toBuilder();
        Graph result = PASS.apply(parent.build());
        Set<String> defined = new HashSet<>();
        for (Node node : result.nodes()) {
            assertThat(node.outputs()).allMatch(defined::add, "defined once");
        }
        assertThat(show(result)).contains("x,mid/decay -> Mul -> mid/m#2", "mid,state_out/decay -> Mul -> state_out/m");
    }

    @Test
    void leavesScansWhoseBodyNestsOrReadsWhatIsNotThereYet() {
        Graph.Builder nesting = body();
        nesting.nodes().add(Graphs.branch("x -> If -> z", graph("", "w", node("x -> Abs -> w"))));
        Graph.Builder reading = body();
        reading.nodes().add(node("later -> Abs -> z"));
        Graph.Builder lacking = body();
        lacking.outputs().remove(1);
        for (Graph body : List.of(nesting.build(), reading.build(), lacking.build())) {
            Graph graph = parent(
                    new Object[] {1, 2, 4},
                    scan("state,input -> Scan -> state_out,out", body, Map.of()),
                    node("state -> Abs -> later"));
            assertThat(PASS.apply(graph)).isSameAs(graph);
        }
    }

    @Test
    void statesThatPassThroughAndCapturesKeepTheirSource() {
        Graph passing = graph("s,x", "s,y", node("x,outer -> Add -> y"));
        Graph graph = parent(
                new Object[] {1, 2, 4},
                node("state -> Neg -> outer"),
                scan("state,input -> Scan -> state_out,out", passing, Map.of()));
        assertThat(show(PASS.apply(graph)))
                .containsExactly(
                        "state -> Neg -> outer",
                        "input -> Squeeze -> state_out/x",
                        "state_out/x,outer -> Add -> state_out/y",
                        "state -> Identity -> state_out",
                        "state_out/y -> Unsqueeze -> out");
    }

    @Test
    void permissive_inference_reconverges_over_inlined_scan_body() {
        Graph graph = parent(
                new Object[] {"seq", 2, 4}, scan("state,input -> Scan -> state_out,out", body().build(), Map.of()));
        Map<String, ValueType> types = ShapeInference.infer(PASS.apply(graph));
        assertThat(types.get("state_out")).isEqualTo(tensor("", 2, 4).type());
        assertThat(types.get("out")).isEqualTo(tensor("", 1, 2, 4).type());
    }
}
