package io.kindling.engine.optimize;

import static io.kindling.engine.optimize.Graphs.node;
import static io.kindling.engine.optimize.Graphs.show;
import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NoOpEliminationTest {
    private static List<String> kept(FusionCase written) {
        return show(written.fusedBy(new NoOpElimination(), new IdentityElimination()));
    }

    private static FusionCase over(Node... nodes) {
        return new FusionCase(17, "y", nodes)
                .input("x", "batch,seq,6", 2, 3, 6)
                .number("one", 1)
                .constant("deepOne", TensorData.ofFloats(new long[] {1, 1, 1, 1}, 1))
                .integers("heads", 0, 0, 2, 3)
                .integers("flat", 0, 0, 6)
                .integers("all", -1)
                .integers("axis", 1);
    }

    @Test
    void castsToTheSameTypeAndProductsWithOne() {
        assertThat(kept(over(
                        node("x -> Cast -> a", Map.of("to", Attribute.of(1L))),
                        node("a,one -> CastLike -> l"),
                        node("l,one -> Mul -> b"),
                        node("one,b -> Mul -> c"),
                        node("c,one -> Div -> d"),
                        node("d -> Transpose -> e", Map.of("perm", Attribute.of(0L, 1L, 2L))),
                        node("e -> Neg -> y"))))
                .containsExactly("x -> Neg -> y");
    }

    @Test
    void shapesThatComeBack() {
        assertThat(kept(over(
                        node("x,heads -> Reshape -> a"),
                        node("a,axis -> Unsqueeze -> b"),
                        node("b,axis -> Squeeze -> c"),
                        node("c,flat -> Reshape -> d"),
                        node("d -> Neg -> y"))))
                .containsExactly("x -> Neg -> y");
    }

    @Test
    void whatChangesSomethingStays() {
        FusionCase written = over(
                node("x -> Cast -> a", Map.of("to", Attribute.of(11L))),
                node("a -> Cast -> b", Map.of("to", Attribute.of(1L))),
                node("b,deepOne -> Mul -> c"),
                node("one,c -> Div -> d"),
                node("d -> Transpose -> e", Map.of("perm", Attribute.of(0L, 2L, 1L, 3L))),
                node("e,all -> Reshape -> y"));
        Graph graph = written.graph();
        assertThat(new NoOpElimination().apply(graph)).isSameAs(graph);
    }

    @Test
    void turnsAreJoinedIntoOne() {
        Graph joined = over(
                        node("x -> Transpose -> a", Map.of("perm", Attribute.of(1L, 2L, 0L))),
                        node("a -> Transpose -> y", Map.of("perm", Attribute.of(1L, 0L, 2L))))
                .fusedBy(new TransposeFusion());
        assertThat(show(joined)).containsExactly("x -> Transpose -> y");
        assertThat(joined.nodes().get(0).intsAttribute("perm").orElseThrow()).containsExactly(2, 1, 0);
    }

    @Test
    void turnsThatAreNoneAreLeftToTheirKernels() {
        Graph graph = over(
                        node("x -> Transpose -> a", Map.of("perm", Attribute.of(1L, 2L, 0L))),
                        node("a -> Transpose -> y", Map.of("perm", Attribute.of(1L, 1L, 7L))))
                .graph();
        assertThat(new TransposeFusion().apply(graph)).isSameAs(graph);
    }
}
