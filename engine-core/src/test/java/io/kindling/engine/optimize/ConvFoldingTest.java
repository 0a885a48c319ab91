package io.kindling.engine.optimize;

import static io.kindling.engine.optimize.Graphs.node;
import static io.kindling.engine.optimize.Graphs.show;
import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes stand behind one another with {@code ;} between. */
class ConvFoldingTest {
    private static final String NORMALISED = "c,scale,shift,mean,variance -> BatchNormalization -> y";

    private static FusionCase written(Node convolution, String nodes) {
        List<Node> all = new ArrayList<>(List.of(convolution));
        for (String text : nodes.split(";")) {
            all.add(node(text.strip()));
        }
        FusionCase written = new FusionCase(17, "y", all.toArray(Node[]::new))
                .input("x", "b,4,?,?", 2, 4, 7, 9)
                .weight("w", 6, 2, 3, 3)
                .weight("turned", 4, 3, 3, 3)
                .number("half", 0.5f)
                .weight("wide", 9);
        for (String vector : List.of("scale", "shift", "mean", "bias")) {
            written.weight(vector, 6);
        }
        return written.weight("each", 1, 6, 1, 1)
                .weight("channel", 6, 1, 1)
                .constant("variance", TensorData.ofFloats(new long[] {6}, 0.5f, 1, 2, 0.1f, 3, 0.7f));
    }

    private static Node conv(String inputs) {
        return node(inputs + " -> Conv -> c", Map.of("group", Attribute.of(2), "strides", Attribute.of(2, 2)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                NORMALISED,
                "c,half -> Mul -> m; m,half -> Add -> y",
                "c,channel -> Mul -> m; each,m -> Add -> y",
                "c,each -> Div -> d; d,channel -> Sub -> y",
                "c,scale,shift,mean,variance -> BatchNormalization -> n; half,n -> Mul -> m; m,half -> Sub -> y",
            })
    void numbersOfEachChannelGoIntoWeightAndBias(String nodes) {
        for (String inputs : List.of("x,w", "x,w,bias")) {
            Graph folded = written(conv(inputs), nodes).fusedBy(new ConvFolding());
            assertThat(show(folded)).containsExactly("x,y/weight,y/bias -> Conv -> y");
            assertThat(folded.nodes().get(0).attributes()).containsOnlyKeys("group", "strides");
            assertThat(folded.initializers()).containsOnlyKeys("y/weight", "y/bias");
        }
    }

    @Test
    void transposedConvolutionsInGroups() {
        Node transposed = node("x,turned,bias -> ConvTranspose -> c", Map.of("group", Attribute.of(2)));
        assertThat(show(written(transposed, NORMALISED).fusedBy(new ConvFolding())))
                .containsExactly("x,y/weight,y/bias -> ConvTranspose -> y");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x,w | c,wide -> Add -> y",
                "x,w | c,scale -> Mul -> y",
                "x,w | half,c -> Sub -> y",
                "x,w | half,c -> Div -> y",
                "x,w | c,c -> Mul -> y",
                "x,w | c -> Relu -> r; r,half -> Mul -> y",
                "x,w | c,half -> Mul -> m; m,c -> Add -> y",
                "x,w | c,half -> Mul -> m; w -> ReduceSum -> s; m,s -> Add -> y",
            })
    void whatIsSomethingElseStays(String inputs, String nodes) {
        Graph graph = written(conv(inputs), nodes).graph();
        assertThat(new ConvFolding().apply(graph)).isSameAs(graph);
    }

    @Test
    void statisticsOfTheBatchStay() {
        Node training = node(NORMALISED + ",newMean,newVariance", Map.of("training_mode", Attribute.of(1)));
        Graph.Builder graph = written(conv("x,w"), NORMALISED).graph().toBuilder();
        graph.nodes().set(1, training);
        Graph built = graph.build();
        assertThat(new ConvFolding().apply(built)).isSameAs(built);
    }
}
