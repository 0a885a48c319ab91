package io.kindling.engine.optimize;

import static io.kindling.engine.optimize.Graphs.branch;
import static io.kindling.engine.optimize.Graphs.graph;
import static io.kindling.engine.optimize.Graphs.node;
import static io.kindling.engine.optimize.Graphs.show;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.OptionException;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class OptimizerTest {
    private static Graph bodyOf(Graph graph, int node) {
        return graph.nodes().get(node).graphAttribute("then_branch").orElseThrow();
    }

    private static Graph with(Graph graph, String name, TensorData value) {
        Graph.Builder builder = graph.toBuilder();
        builder.initializers().put(name, value);
        return builder.build();
    }

    @Test
    void deadCodeGoesAndWhatABodyReadsStays() {
        Graph body = graph("", "z", node("a -> Relu -> z"), node("a -> Exp -> unread"));
        Graph graph = with(
                graph(
                        "x",
                        "y",
                        node("x -> Abs -> a"),
                        node("x -> Neg -> b"),
                        node("b -> Exp -> c"),
                        branch("x -> If -> y", body)),
                "w",
                TensorData.ofLongs(new long[] {1}, 1));
        Graph result = new DeadCode().apply(graph);
        assertThat(show(result)).containsExactly("x -> Abs -> a", "x -> If -> y");
        assertThat(show(bodyOf(result, 1))).containsExactly("a -> Relu -> z");
        assertThat(result.initializers()).isEmpty();
        assertThat(new DeadCode().apply(result)).isSameAs(result);
    }

    @Test
    void operatorsOfUnknownDomainsAreKeptForTheirEffects() {
        Graph graph = graph("x", "x", node("x -> acme::Store -> a"), node("x -> RandomNormalLike -> b"));
        assertThat(show(new DeadCode().apply(graph))).containsExactly("x -> acme::Store -> a");
    }

    @Test
    void identitiesVanishUnlessTheyNameAnOutput() {
        Graph body = graph("", "z", node("b -> Relu -> z"));
        Graph graph = graph(
                "x",
                "y,out",
                node("x -> Identity -> a"),
                node("a -> Identity -> b"),
                node("b -> Identity -> out"),
                branch("b -> If -> y", body));
        Graph result = new IdentityElimination().apply(graph);
        assertThat(show(result)).containsExactly("x -> Identity -> out", "x -> If -> y");
        assertThat(show(bodyOf(result, 1))).containsExactly("x -> Relu -> z");
    }

    @Test
    void identitiesStayWhereABodyHidesTheirSource() {
        Graph body = graph("", "z", node("b -> Neg -> x"), node("x -> Relu -> z"));
        Graph graph = graph("x", "y", node("x -> Identity -> b"), branch("b -> If -> y", body));
        assertThat(new IdentityElimination().apply(graph)).isSameAs(graph);
    }

    @Test
    void constantNodesBecomeInitializersWhateverTheirAttribute() {
        Graph graph = graph(
                "",
                "y,c",
                node(" -> Constant -> a", Map.of("value_ints", Attribute.of(2L, 3L))),
                node(" -> Constant -> b", Map.of("value_float", Attribute.of(0.5f))),
                node(" -> Constant -> c", Map.of("value_int", Attribute.of(1))),
                node("a,b -> Op -> y"));
        Graph result = new ConstantNodes().apply(graph);
        assertThat(show(result)).containsExactly(" -> Constant -> c", "a,b -> Op -> y");
        assertThat(result.initializers()).containsOnlyKeys("a", "b");
        assertThat(result.initializers().get("a")).hasToString("int64[2]");
        assertThat(result.initializers().get("b")).hasToString("float[]");
    }

    @Test
    void equalCallsAreComputedOnceAndRandomOnesAreNot() {
        Map<String, Attribute> one = Map.of("axes", Attribute.of(1L, 2L));
        Map<String, Attribute> two = Map.of("axes", Attribute.of(1L, 3L));
        Graph graph = graph(
                "x",
                "y",
                node("x -> Op -> a", one),
                node("x -> Op -> b", Map.of("axes", Attribute.of(1L, 2L))),
                node("x -> Op -> c", two),
                node("b -> Exp -> d"),
                node("a -> Exp -> e"),
                node("x -> RandomNormalLike -> f"),
                node("x -> RandomNormalLike -> g"),
                node("c,d,e,f,g -> Sum -> y"));
        assertThat(show(new CommonSubexpressions().apply(graph)))
                .containsExactly(
                        "x -> Op -> a",
                        "x -> Op -> c",
                        "a -> Exp -> d",
                        "x -> RandomNormalLike -> f",
                        "x -> RandomNormalLike -> g",
                        "c,d,d,f,g -> Sum -> y");
    }

    private static final ConstantEvaluator COPY = (node, inputs) -> Optional.of(List.of(inputs.get(0)));

    private static final ConstantEvaluator NOTHING = (node, inputs) -> Optional.empty();

    @Test
    void smallConstantsAreFoldedThroughTheEvaluator() {
        Graph graph = with(
                graph(
                        "x",
                        "y,out",
                        node("a, -> Inc -> b"),
                        node("b -> Inc -> c"),
                        node("a -> RandomUniformLike -> r"),
                        node("a -> Inc -> out"),
                        node("c,r,x -> Sum -> y")),
                "a",
                TensorData.ofLongs(new long[0], 5));
        ConstantEvaluator increment = (node, inputs) -> {
            long value = inputs.get(0).integers().orElseThrow()[0];
            return Optional.of(List.of(TensorData.ofLongs(new long[0], value + 1)));
        };
        Graph result = new ConstantFolding(increment).apply(graph);
        assertThat(show(result)).containsExactly("a -> RandomUniformLike -> r", "a -> Inc -> out", "c,r,x -> Sum -> y");
        assertThat(result.initializers().get("c").integers().orElseThrow()).containsExactly(7);
    }

    @Test
    void weightsAreFoldedOnlyWhenNobodyElseReadsThem() {
        Graph body = graph("", "z", node("shared -> Abs -> z"));
        Graph graph = with(
                with(
                        graph(
                                "x",
                                "y",
                                node("own -> Transpose -> a"),
                                node("shared -> Transpose -> b"),
                                branch("x -> If -> c", body),
                                node("x,a,b,c -> Sum -> y")),
                        "own",
                        TensorData.ofFloats(new long[] {20_000}, new float[20_000])),
                "shared",
                TensorData.ofFloats(new long[] {20_000}, new float[20_000]));
        assertThat(show(new ConstantFolding(COPY).apply(graph)))
                .containsExactly("shared -> Transpose -> b", "x -> If -> c", "x,a,b,c -> Sum -> y");
    }

    @Test
    void whatWouldGrowTheModelIsNotEvenEvaluated() {
        Graph graph = with(
                with(
                        graph(
                                "",
                                "y",
                                node("large -> ConstantOfShape -> a"),
                                node("one,large -> Expand -> b"),
                                node("one,large -> Tile -> c"),
                                node("one,large,one -> Range -> d"),
                                node("one,one -> DequantizeLinear -> e"),
                                node("a,b,c,d,e -> Sum -> y")),
                        "large",
                        TensorData.ofLongs(new long[] {1}, 1L << 40)),
                "one",
                TensorData.ofLongs(new long[] {1}, 1));
        ConstantEvaluator refused = (node, inputs) -> {
            throw new AssertionError(node.name() + " is evaluated");
        };
        assertThat(new ConstantFolding(refused).apply(graph)).isSameAs(graph);
    }

    @Test
    void passesRunTogetherAndCanBeSwitchedOffByName() {
        Node constant = node(" -> Constant -> a", Map.of("value_int", Attribute.of(1)));
        Graph graph = graph("x", "y", constant, node("a -> Identity -> b"), node("x,b -> Add -> y"));
        Graph all = Optimizer.standard(NOTHING, Set.of()).optimize(graph);
        assertThat(show(all)).containsExactly("x,a -> Add -> y");
        Graph some = Optimizer.standard(NOTHING, Set.of("constant_nodes")).optimize(graph);
        assertThat(show(some)).containsExactly(" -> Constant -> a", "x,a -> Add -> y");
        assertThatThrownBy(() -> Optimizer.standard(NOTHING, Set.of("magic")))
                .isInstanceOf(OptionException.class)
                .hasMessageContaining("[magic]")
                .hasMessageContaining("dead_code");
    }

    /** A file may chain any number of nodes: no pass goes down the stack with them. */
    @Test
    @Timeout(60)
    void longChainsOfOneOperator() {
        for (String operator : List.of("Mul", "Div", "Add", "Where", "Reshape")) {
            List<Node> nodes = new ArrayList<>();
            for (int k = 0; k < 10_000; k++) {
                String inputs = operator.equals("Where") ? "mask,v%d,low".formatted(k) : "v%d,y".formatted(k);
                nodes.add(node(inputs + " -> " + operator + " -> v" + (k + 1)));
            }
            nodes.add(node("v10000 -> Softmax -> weights", Map.of("axis", Attribute.of(-1))));
            nodes.add(node("y -> Transpose -> turned", Map.of("perm", Attribute.of(0, 2, 1, 3))));
            nodes.add(node("weights,turned -> MatMul -> product"));
            nodes.add(node("product -> Transpose -> out", Map.of("perm", Attribute.of(0, 2, 1, 3))));
            Graph.Builder chain = graph("", "out", nodes.toArray(Node[]::new)).toBuilder();
            for (String input : List.of("v0", "y")) {
                chain.inputs().add(new ValueInfo(input, type(DataType.FLOAT)));
            }
            chain.inputs().add(new ValueInfo("mask", type(DataType.BOOL)));
            chain.initializers().put("low", TensorData.ofFloats(new long[0], -1e30f));
            Graph optimized = Optimizer.standard((n, inputs) -> Optional.empty(), Set.of())
                    .optimize(chain.build());
            assertThat(optimized.nodes()).as(operator).isNotEmpty();
        }
    }

    private static ValueType type(DataType element) {
        return ValueType.TensorType.of(element, Collections.nCopies(4, Dimension.of(2)));
    }
}
