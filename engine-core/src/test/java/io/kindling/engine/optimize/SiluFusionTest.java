package io.kindling.engine.optimize;

import static io.kindling.engine.optimize.Graphs.node;
import static io.kindling.engine.optimize.Graphs.show;
import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes stand behind one another with {@code ;} between. */
class SiluFusionTest {
    private static FusionCase written(String nodes) {
        Node[] list =
                Arrays.stream(nodes.split(";")).map(text -> node(text.strip())).toArray(Node[]::new);
        return new FusionCase(17, "y", list).input("x", "?,?", 3, 70).number("alpha", 1.702f);
    }

    @ParameterizedTest
    @ValueSource(strings = {"x->Sigmoid->s; x,s->Mul->y", "x->Sigmoid->s; s,x->Mul->y"})
    void theGateOfAValueByItself(String nodes) {
        Graph fused = written(nodes).fusedBy(new SiluFusion());
        assertThat(show(fused)).containsExactly("x -> com.microsoft::QuickGelu -> y");
        assertThat(fused.nodes().get(0).floatAttribute("alpha", 0)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"x,alpha->Mul->z; z->Sigmoid->s; x,s->Mul->y", "alpha,x->Mul->z; z->Sigmoid->s; s,x->Mul->y"})
    void theGateOfAMultiple(String nodes) {
        Graph fused = written(nodes).fusedBy(new SiluFusion());
        assertThat(show(fused)).containsExactly("x -> com.microsoft::QuickGelu -> y");
        assertThat(fused.nodes().get(0).floatAttribute("alpha", 0)).isEqualTo(1.702f);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x->Exp->z; z->Sigmoid->s; x,s->Mul->y",
                "x->Sigmoid->s; x,s->Mul->m; m,s->Mul->y",
            })
    void whatIsSomethingElseStays(String nodes) {
        Graph graph = written(nodes).graph();
        assertThat(new SiluFusion().apply(graph)).isSameAs(graph);
    }
}
