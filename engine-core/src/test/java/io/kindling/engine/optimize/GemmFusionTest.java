package io.kindling.engine.optimize;

import static io.kindling.engine.optimize.Graphs.node;
import static io.kindling.engine.optimize.Graphs.show;
import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes stand behind one another with {@code ;} between; x is {@code [2, 3, 10]}. */
class GemmFusionTest {
    private static FusionCase written(String nodes) {
        Node[] list =
                Arrays.stream(nodes.split(";")).map(text -> node(text.strip())).toArray(Node[]::new);
        return new FusionCase(20, "y", list)
                .input("x", "batch,seq,10", 2, 3, 10)
                .input("matrix", "10,7", 10, 7)
                .input("vector", "7", 7)
                .weight("w", 10, 7)
                .weight("stack", 2, 10, 7)
                .weight("b", 7)
                .weight("rows", 3, 7)
                .number("two", 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x,w->MatMul->p; p,b->Add->y", "x,w->MatMul->p; b,p->Add->y"})
    void aBiasIsAddedByTheProduct(String nodes) {
        assertThat(show(written(nodes).fusedBy(new GemmFusion())))
                .containsExactly("x,w,b -> com.microsoft::FusedGemm -> y");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Relu", "Tanh", "Sigmoid", "com.microsoft::Gelu", "com.microsoft::FastGelu", "Gelu"})
    void anActivationFollows(String activation) {
        Graph fused = written("x,w->MatMul->p; p,b->Add->a; a->" + activation + "->y")
                .fusedBy(new GemmFusion(), new GemmFusion());
        assertThat(show(fused)).containsExactly("x,w,b -> com.microsoft::FusedGemm -> y");
        assertThat(fused.nodes().get(0).stringAttribute("activation", ""))
                .isEqualTo(activation.replace("com.microsoft::", ""));
    }

    @Test
    void oneActivationAlone() {
        Graph fused = written("x,w->MatMul->p; p,b->Add->a; a->Relu->r; r->Tanh->y")
                .fusedBy(new GemmFusion(), new GemmFusion(), new GemmFusion());
        assertThat(show(fused)).containsExactly("x,w,b -> com.microsoft::FusedGemm -> r", "r -> Tanh -> y");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x,matrix->MatMul->p; p,b->Add->y",
                "x,w->MatMul->p; p,vector->Add->y",
                "x,stack->MatMul->p; p,b->Add->y",
                "x,w->MatMul->p; p,rows->Add->y",
                "x,w->MatMul->p; p,two->Add->y",
                "x,w->MatMul->p; p,b->Add->a; a,p->Mul->y",
                "x,w->MatMul->p; p->Relu->y",
            })
    void whatIsSomethingElseStays(String nodes) {
        Graph graph = written(nodes).graph();
        assertThat(new GemmFusion().apply(graph)).isSameAs(graph);
    }
}
