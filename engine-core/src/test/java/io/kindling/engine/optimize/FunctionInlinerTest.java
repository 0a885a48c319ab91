package io.kindling.engine.optimize;

import static io.kindling.engine.optimize.Graphs.branch;
import static io.kindling.engine.optimize.Graphs.graph;
import static io.kindling.engine.optimize.Graphs.names;
import static io.kindling.engine.optimize.Graphs.node;
import static io.kindling.engine.optimize.Graphs.show;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kindling.engine.error.ModelException;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FunctionInlinerTest {
    private static final Map<String, Long> IMPORTS = Map.of("", 21L, "f", 1L);

    private static OnnxModel.Function function(String name, String inputs, String outputs, Node... nodes) {
        return new OnnxModel.Function(
                "f",
                name,
                names(inputs),
                names(outputs),
                List.of("alpha"),
                Map.of("beta", Attribute.of(2)),
                Arrays.asList(nodes),
                Map.of("", 21L));
    }

    private static OnnxModel model(Graph graph, OnnxModel.Function... functions) {
        return new OnnxModel("m.onnx", 10, IMPORTS, graph, Arrays.asList(functions), Map.of());
    }

    @Test
    void callsBecomeTheNodesOfTheirFunction() {
        OnnxModel.Function twice = function("Twice", "a,b", "out", node("a,b -> Add -> t"), node("t,t -> Mul -> out"));
        OnnxModel inlined = FunctionInliner.inline(
                model(graph("x", "y", node("x, -> f::Twice -> h"), node("h,x -> f::Twice -> y")), twice));
        assertThat(inlined.functions()).isEmpty();
        assertThat(show(inlined.graph()))
                .containsExactly("x, -> Add -> h/t", "h/t,h/t -> Mul -> h", "h,x -> Add -> y/t", "y/t,y/t -> Mul -> y");
    }

    @Test
    void attributesComeFromTheCallOrTheDefaults() {
        Node inner = node(
                "a -> Op -> out",
                Map.of(
                        "p", new Attribute.Reference("alpha"),
                        "q", new Attribute.Reference("beta"),
                        "r", new Attribute.Reference("gamma")));
        OnnxModel inlined = FunctionInliner.inline(model(
                graph("x", "y", node("x -> f::F -> y", Map.of("alpha", Attribute.of(7)))),
                function("F", "a", "out", inner)));
        Node result = inlined.graph().nodes().get(0);
        assertThat(result.intAttribute("p", 0)).isEqualTo(7);
        assertThat(result.intAttribute("q", 0)).isEqualTo(2);
        assertThat(result.attribute("r")).isEmpty();
    }

    @Test
    void nestedCallsAndBodiesAreInlinedWithoutClashesOfNames() {
        OnnxModel.Function inner = function("Inner", "a", "out", node("a -> Relu -> out"));
        OnnxModel.Function outer = function(
                "Outer",
                "c,a",
                "out",
                node("a -> f::Inner -> t"),
                branch("c -> If -> out", graph("", "x", node("t -> f::Inner -> x"))));
        OnnxModel inlined =
                FunctionInliner.inline(model(graph("c,x", "y", node("c,x -> f::Outer -> y")), inner, outer));
        assertThat(show(inlined.graph())).containsExactly("x -> Relu -> y/t", "c -> If -> y");
        Graph body =
                inlined.graph().nodes().get(1).graphAttribute("then_branch").orElseThrow();
        assertThat(show(body)).containsExactly("y/t -> Relu -> y/x");
        assertThat(body.outputs().get(0).name()).isEqualTo("y/x");
    }

    @Test
    void anInputThatIsAnOutputPassesThroughAnIdentity() {
        OnnxModel inlined =
                FunctionInliner.inline(model(graph("x", "y", node("x -> f::Same -> y")), function("Same", "a", "a")));
        assertThat(show(inlined.graph())).containsExactly("x -> Identity -> y");
    }

    @Test
    void refusesCirclesAndWhatIsNotDefined() {
        OnnxModel circle = model(
                graph("x", "y", node("x -> f::A -> y")),
                function("A", "a", "out", node("a -> f::B -> out")),
                function("B", "a", "out", node("a -> f::A -> out")));
        assertThatThrownBy(() -> FunctionInliner.inline(circle))
                .isInstanceOf(ModelException.class)
                .hasMessageContaining("m.onnx")
                .hasMessageContaining("calls itself");
        OnnxModel dangling =
                model(graph("x", "y", node("x -> f::A -> y")), function("A", "a", "out", node("z -> Relu -> out")));
        assertThatThrownBy(() -> FunctionInliner.inline(dangling)).hasMessageContaining("reads 'z'");
        OnnxModel.Function newer = new OnnxModel.Function(
                "f", "A", List.of("a"), List.of("a"), List.of(), Map.of(), List.of(), Map.of("", 22L));
        OnnxModel mixed = model(graph("x", "y", node("x -> f::A -> y")), newer);
        assertThatThrownBy(() -> FunctionInliner.inline(mixed)).hasMessageContaining("imports version 22");
    }

    @Test
    void refusesFunctionsThatGrowBeyondRealModels() {
        OnnxModel.Function[] doubling = new OnnxModel.Function[17];
        for (int k = 0; k < 16; k++) {
            String next = " -> f::F" + (k + 1) + " -> ";
            doubling[k] = function("F" + k, "a", "out", node("a" + next + "t"), node("t" + next + "out"));
        }
        doubling[16] = function("F16", "a", "out", node("a -> Relu -> out"));
        OnnxModel calls = model(graph("x", "y", node("x -> f::F0 -> y")), doubling);
        assertThatThrownBy(() -> FunctionInliner.inline(calls)).hasMessageContaining("more than 50000 times");

        Node[] wide = new Node[10_001];
        Arrays.fill(wide, node("a -> Relu -> out"));
        Node[] users = new Node[50];
        Arrays.fill(users, node("x -> f::Wide -> y"));
        OnnxModel nodes = model(graph("x", "y", users), function("Wide", "a", "out", wide));
        assertThatThrownBy(() -> FunctionInliner.inline(nodes)).hasMessageContaining("more than 500000 nodes");
    }
}
