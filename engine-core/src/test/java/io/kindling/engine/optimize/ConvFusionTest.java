package io.kindling.engine.optimize;

import static io.kindling.engine.optimize.Graphs.node;
import static io.kindling.engine.optimize.Graphs.show;
import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes stand behind one another with {@code ;} between, attributes of one number behind a {@code @}. */
class ConvFusionTest {
    private static final Node SAME = node("x,w,bias -> Conv -> c", Map.of("pads", Attribute.of(1, 1, 1, 1)));

    private static FusionCase written(Node convolution, String nodes) {
        List<Node> all = new ArrayList<>(List.of(convolution));
        for (String text : nodes.split(";")) {
            String[] parts = text.split("@");
            all.add(
                    parts.length == 1
                            ? node(text.strip())
                            : node(
                                    parts[0].strip(),
                                    Map.of("alpha", Attribute.of(Float.parseFloat(parts[1].strip())))));
        }
        return new FusionCase(17, "y", all.toArray(Node[]::new))
                .input("x", "b,5,h,?", 2, 5, 7, 9)
                .input("one", "b,5,h,1", 2, 5, 7, 1)
                .weight("w", 5, 5, 3, 3)
                .weight("bias", 5)
                .number("three", 3)
                .number("zero", 0)
                .number("six", 6)
                .number("sixth", 1f / 6)
                .number("low", -0.5f);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "c -> Relu -> y | Relu",
                "c -> Sigmoid -> y | Sigmoid",
                "c -> LeakyRelu -> y @ 0.3 | LeakyRelu",
                "c -> HardSigmoid -> y @ 0.3 | HardSigmoid",
                "c,low,three -> Clip -> y | Clip",
                "c,,three -> Clip -> y | Clip",
                "c,three -> Add -> a; a,zero,six -> Clip -> g; c,g -> Mul -> m; m,six -> Div -> y | HardSwish",
                "three,c -> Add -> a; a,zero,six -> Clip -> g; g,sixth -> Mul -> m; m,c -> Mul -> y | HardSwish",
                "c -> HardSigmoid -> g @ 0.16666667; g,c -> Mul -> y | HardSwish",
                "c -> Sigmoid -> g; c,g -> Mul -> y | QuickGelu",
            })
    void activations(String nodes, String name) {
        Graph fused = written(SAME, nodes).fusedBy(5e-6, new HardSwishFusion(), new SiluFusion(), new ConvFusion());
        assertThat(show(fused)).containsExactly("x,w,bias -> com.microsoft::FusedConv -> y");
        assertThat(fused.nodes().get(0).stringAttribute("activation", "")).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"c,x -> Add -> a; a -> Relu -> y", "x,c -> Add -> a; a -> Relu -> y"})
    void aValueOfTheSameShapeIsAddedBeforeTheActivation(String nodes) {
        Graph fused = written(SAME, nodes).fusedBy(5e-6, new ConvFusion(), new ConvFusion());
        assertThat(show(fused)).containsExactly("x,w,bias,x -> com.microsoft::FusedConv -> y");
        assertThat(fused.nodes().get(0).stringAttribute("activation", "")).isEqualTo("Relu");
    }

    @Test
    void anAbsentBiasStaysAbsent() {
        Node unbiased = node("x,w -> Conv -> c", SAME.attributes());
        assertThat(show(written(unbiased, "c,x -> Add -> y").fusedBy(5e-6, new ConvFusion())))
                .containsExactly("x,w,,x -> com.microsoft::FusedConv -> y");
    }

    @Test
    void aValueOfWhichNoShapeIsProvenIsAddedByItself() {
        Graph graph = written(node("x,w -> Conv -> c"), "c,x -> Add -> y").graph();
        assertThat(new ConvFusion().apply(graph)).isSameAs(graph);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "c -> Softsign -> y",
                "c -> Relu -> r; c,r -> Add -> y",
                "c,one -> Add -> y",
                "c,three -> Add -> a; a,zero,six -> Clip -> g; c,g -> Mul -> y",
                "c,six -> Add -> a; a,zero,six -> Clip -> g; c,g -> Mul -> m; m,six -> Div -> y",
            })
    void whatIsSomethingElseStays(String nodes) {
        Graph graph = written(SAME, nodes).graph();
        assertThat(new ConvFusion().apply(graph)).isSameAs(graph);
        assertThat(new HardSwishFusion().apply(graph)).isSameAs(graph);
    }
}
