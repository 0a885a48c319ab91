package io.kindling.engine.optimize;

import static io.kindling.engine.optimize.Graphs.branch;
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
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The input x is float [batch, seq, 6, 4] throughout. */
class ShapeFoldingTest {
    private static Graph over(String outputs, Node... nodes) {
        Graph.Builder graph = graph("", outputs, nodes).toBuilder();
        graph.inputs()
                .add(new ValueInfo(
                        "x",
                        ValueType.TensorType.of(
                                DataType.FLOAT,
                                List.of(
                                        Dimension.of("batch"),
                                        Dimension.of("seq"),
                                        Dimension.of(6),
                                        Dimension.of(4)))));
        constant(graph, "0", 0);
        constant(graph, "1", 1);
        constant(graph, "2", 2);
        constant(graph, "3", 3);
        constant(graph, "[-1]", -1);
        return graph.build();
    }

    private static void constant(Graph.Builder graph, String name, long value) {
        long[] shape = name.startsWith("[") ? new long[] {1} : new long[0];
        graph.initializers().put(name, TensorData.ofLongs(shape, value));
    }

    private static long[] integers(Graph graph, String name) {
        return graph.initializers().get(name).integers().orElseThrow();
    }

    @Test
    void knownSizesOfAPartlyKnownShapeAreFolded() {
        Graph result = new ShapeFolding()
                .apply(over(
                        "y",
                        node("x -> Shape -> s"),
                        node("s,2 -> Gather -> heads"),
                        node("s,3 -> Gather -> size"),
                        node("heads,size -> Mul -> width"),
                        node("s,1 -> Gather -> seq"),
                        node("width,seq -> Op -> y")));
        assertThat(show(result)).containsExactly("x -> Shape -> s", "s,1 -> Gather -> seq", "width,seq -> Op -> y");
        assertThat(integers(result, "width")).containsExactly(24);
        assertThat(result.initializers().get("width").shape()).isEmpty();
    }

    @Test
    void reshapeTargetsCopyWhatTheyTakeFromTheirInput() {
        Graph result = new ShapeFolding()
                .apply(over(
                        "y",
                        node("x -> Shape -> s"),
                        node("s,0 -> Gather -> batch"),
                        node("s,1 -> Gather -> seq"),
                        node("batch,[-1] -> Unsqueeze -> b"),
                        node("seq,[-1] -> Unsqueeze -> t"),
                        node("b,t,[-1] -> Concat -> target", Map.of("axis", Attribute.of(0L))),
                        node("x,target -> Reshape -> y")));
        assertThat(show(result)).last().isEqualTo("x,y/shape -> Reshape -> y");
        assertThat(integers(result, "y/shape")).containsExactly(0, 0, -1);
    }

    @Test
    void targetsThatWouldTakeAZeroAsItIsAreWrittenAnew() {
        Map<String, Attribute> literal = Map.of("allowzero", Attribute.of(1L));
        Node[] sizes = {
            node("x -> Shape -> s"),
            node("s,1 -> Gather -> seq"),
            node("seq,[-1] -> Unsqueeze -> t"),
            node("2,t,[-1] -> Concat -> target", Map.of("axis", Attribute.of(0L))),
            node("x,target -> Reshape -> y", literal),
            node("0,t,[-1] -> Concat -> empty", Map.of("axis", Attribute.of(0L))),
            node("x,empty -> Reshape -> z", literal)
        };
        Graph result = new ShapeFolding().apply(over("y,z", sizes));
        assertThat(result.nodes().get(4).attributes()).isEmpty();
        assertThat(integers(result, "y/shape")).containsExactly(2, 0, -1);
        assertThat(result.nodes().get(6).attributes()).isEqualTo(literal);
    }

    @Test
    void oneSizeThatStandsElsewhereIsLeftOpenWhereNoneIsCopied() {
        Node[] sizes = {
            node("x -> Shape -> s"),
            node("s,1 -> Gather -> seq"),
            node("seq,[-1] -> Unsqueeze -> t"),
            node("2,[-1] -> Unsqueeze -> two"),
            node("t,two -> Concat -> target", Map.of("axis", Attribute.of(0L))),
            node("two,t -> Concat -> aside", Map.of("axis", Attribute.of(0L))),
            node("x,target -> Reshape -> y"),
            node("y,aside -> Reshape -> z")
        };
        Graph result = new ShapeFolding().apply(over("z", sizes));
        assertThat(integers(result, "y/shape")).containsExactly(-1, 2);
        assertThat(integers(result, "z/shape")).containsExactly(2, -1);
    }

    @Test
    void shapesComputedInFloatsAreLeftAlone() {
        Graph graph = over(
                "y",
                node("x -> Shape -> s"),
                node("s,2 -> Gather -> six"),
                node("six -> Cast -> f", Map.of("to", Attribute.of(1L))),
                node("f,four -> Div -> half"),
                node("half,four -> Mul -> again"),
                node("again -> Cast -> y", Map.of("to", Attribute.of(7L))));
        Graph.Builder with = graph.toBuilder();
        with.initializers().put("four", TensorData.ofFloats(new long[0], 4));
        assertThat(show(new ShapeFolding().apply(with.build())))
                .containsExactly(
                        "x -> Shape -> s",
                        "six -> Cast -> f",
                        "f,four -> Div -> half",
                        "half,four -> Mul -> again",
                        "again -> Cast -> y");
    }

    @Test
    void whatTheFileClaimsOfValuesBetweenIsNotBelieved() {
        Graph.Builder graph =
                over("y", node("x -> acme::Op -> a"), node("a -> Shape -> s"), node("s -> Abs -> y")).toBuilder();
        graph.valueTypes().put("a", ValueType.TensorType.of(DataType.FLOAT, List.of(Dimension.of(3))));
        Graph lying = graph.build();
        assertThat(new ShapeFolding().apply(lying)).isSameAs(lying);
    }

    @Test
    void bodiesSeeTheShapesAroundThemAndTrustNoPortOfTheirOwn() {
        Graph.Builder body =
                graph("", "z", node("x -> Shape -> s"), node("s,2 -> Gather -> a"), node("p -> Shape -> b"))
                        .toBuilder();
        body.inputs().add(new ValueInfo("p", ValueType.TensorType.of(DataType.FLOAT, List.of(Dimension.of(3)))));
        body.nodes().add(node("a,b -> Op -> z"));
        Graph result = new ShapeFolding().apply(over("y", branch("x -> If -> y", body.build())));
        Graph inner = result.nodes().get(0).graphAttribute("then_branch").orElseThrow();
        assertThat(show(inner)).containsExactly("x -> Shape -> s", "p -> Shape -> b", "a,b -> Op -> z");
        assertThat(integers(inner, "a")).containsExactly(6);
    }
}
