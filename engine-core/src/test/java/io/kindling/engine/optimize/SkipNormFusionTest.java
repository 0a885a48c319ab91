package io.kindling.engine.optimize;

import static io.kindling.engine.optimize.Graphs.node;
import static io.kindling.engine.optimize.Graphs.show;
import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SkipNormFusionTest {
    private static final Map<String, Attribute> EPSILON = Map.of("epsilon", Attribute.of(1e-3f));

    private static FusionCase over(Node... nodes) {
        return new FusionCase(17, "y", nodes)
                .input("x", "batch,seq,12", 2, 5, 12)
                .input("r", "batch,seq,12", 2, 5, 12)
                .input("other", "?,seq,12", 1, 5, 12)
                .weight("g", 12)
                .weight("b", 12)
                .weight("column", 5, 1);
    }

    @Test
    void aSumIsNormalisedOnTheWay() {
        Graph fused = over(node("x,r -> Add -> s"), node("s,g,b -> LayerNormalization -> y", EPSILON))
                .fusedBy(new SkipNormFusion());
        assertThat(show(fused)).containsExactly("x,r,g,b -> com.microsoft::SkipLayerNormalization -> y");
        assertThat(fused.nodes().get(0).floatAttribute("epsilon", 0)).isEqualTo(1e-3f);
    }

    @Test
    void theSimplifiedFormToo() {
        assertThat(show(over(node("x,r -> Add -> s"), node("s,g -> SimplifiedLayerNormalization -> y", EPSILON))
                        .fusedBy(new SkipNormFusion())))
                .containsExactly("x,r,g -> com.microsoft::SkipSimplifiedLayerNormalization -> y");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x,other -> Add -> s", "x,column -> Add -> s", "x,r -> Sub -> s"})
    void termsOfOtherShapesStay(String sum) {
        Graph graph = over(node(sum), node("s,g,b -> LayerNormalization -> y")).graph();
        assertThat(new SkipNormFusion().apply(graph)).isSameAs(graph);
    }

    @Test
    void sumsThatOthersReadAndOtherAxesStay() {
        Graph read = over(node("x,r -> Add -> s"), node("s,g,b -> LayerNormalization -> n"), node("n,s -> Add -> y"))
                .graph();
        assertThat(new SkipNormFusion().apply(read)).isSameAs(read);
        Graph axis = over(
                        node("x,r -> Add -> s"),
                        node("s,g,b -> LayerNormalization -> y", Map.of("axis", Attribute.of(1L))))
                .graph();
        assertThat(new SkipNormFusion().apply(axis)).isSameAs(axis);
    }
}
