package io.kindling.engine.optimize;

import static io.kindling.engine.optimize.Graphs.node;
import static io.kindling.engine.optimize.Graphs.show;
import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes stand behind one another with {@code ;} between. */
class GeluFusionTest {
    private static final List<Float> VALUES =
            List.of(0f, -0f, 1e-30f, -1e-8f, 0.25f, -0.5f, 1f, -1.5f, 2.75f, -4f, 5.5f, -8f, 20f, -40f, 1e15f, -1e15f);

    private static Tensor values() {
        float[] floats = new float[VALUES.size()];
        for (int k = 0; k < floats.length; k++) {
            floats[k] = VALUES.get(k);
        }
        return Tensor.ofFloats(new long[] {2, 8}, floats);
    }

    private static FusionCase written(String outputs, String nodes) {
        Node[] list =
                Arrays.stream(nodes.split(";")).map(text -> node(text.strip())).toArray(Node[]::new);
        return new FusionCase(17, outputs, list)
                .input("x", "?,?", values())
                .number("half", 0.5f)
                .number("one", 1)
                .number("two", 2)
                .number("three", 3)
                .number("root", 1.4142135f)
                .number("rootOfHalf", 0.70710677f)
                .number("rootOf2Pi", 0.7978846f)
                .number("cubic", 0.044715f)
                .constant("deep", TensorData.ofFloats(new long[] {1, 1, 1}, 0.5f));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x,root->Div->d; d->Erf->e; e,one->Add->s; x,s->Mul->m; m,half->Mul->y",
                "x,root->Div->d; d->Erf->e; one,e->Add->s; half,s->Mul->h; x,h->Mul->y",
                "x,half->Mul->h; x,rootOfHalf->Mul->d; d->Erf->e; e,one->Add->s; h,s->Mul->y",
                "x,root->Div->d; d->Erf->e; e,one->Add->s; s,x->Mul->m; m,two->Div->y",
            })
    void theErrorFunctionsForm(String nodes) {
        assertThat(show(written("y", nodes).fusedBy(new GeluFusion())))
                .containsExactly("x -> com.microsoft::Gelu -> y");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x,three->Pow->p; p,cubic->Mul->c; x,c->Add->a; a,rootOf2Pi->Mul->t; t->Tanh->h; h,one->Add->s;"
                        + "x,half->Mul->l; l,s->Mul->y",
                "x,x->Mul->q; q,x->Mul->p; cubic,p->Mul->c; c,x->Add->a; rootOf2Pi,a->Mul->t; t->Tanh->h; one,h->Add->s;"
                        + "x,s->Mul->m; half,m->Mul->y",
                "x,cubic->Mul->c; c,x->Mul->q; q,one->Add->a; x,rootOf2Pi->Mul->l; l,a->Mul->t; t->Tanh->h; h,one->Add->s;"
                        + "x,half->Mul->f; f,s->Mul->y",
            })
    void theHyperbolicForm(String nodes) {
        assertThat(show(written("y", nodes).fusedBy(new GeluFusion())))
                .containsExactly("x -> com.microsoft::FastGelu -> y");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // another constant
                "x,rootOf2Pi->Mul->d; d->Erf->e; e,one->Add->s; x,s->Mul->m; m,half->Mul->y",
                "x,root->Div->d; d->Erf->e; e,one->Add->s; x,s->Mul->m; m,two->Mul->y",
                "x,two->Pow->p; p,cubic->Mul->c; x,c->Add->a; a,rootOf2Pi->Mul->t; t->Tanh->h; h,one->Add->s;"
                        + "x,half->Mul->l; l,s->Mul->y",
                // another value under the function
                "x->Neg->z; z,root->Div->d; d->Erf->e; e,one->Add->s; x,s->Mul->m; m,half->Mul->y",
                // a gate that others read
                "x,root->Div->d; d->Erf->e; e,one->Add->s; x,s->Mul->m; m,half->Mul->n; n,s->Sub->y",
                // a constant that adds an axis
                "x,root->Div->d; d->Erf->e; e,one->Add->s; x,s->Mul->m; m,deep->Mul->y",
            })
    void whatIsAnotherFunctionStays(String nodes) {
        Graph graph = written("y", nodes).graph();
        assertThat(new GeluFusion().apply(graph)).isSameAs(graph);
    }

    @Test
    void narrowerTypesStayAsTheyRoundBetween() {
        Graph graph = new FusionCase(
                        17,
                        "y",
                        node("x,root -> Div -> d"),
                        node("d -> Erf -> e"),
                        node("e,one -> Add -> s"),
                        node("x,s -> Mul -> m"),
                        node("m,half -> Mul -> y"))
                .input("x", "?", Tensor.allocateHost(DataType.FLOAT16, 3))
                .number("root", 1.4142135f)
                .number("one", 1)
                .number("half", 0.5f)
                .graph();
        assertThat(new GeluFusion().apply(graph)).isSameAs(graph);
    }

    @Test
    void insideBodiesToo() {
        Graph body = written("y", "x,root->Div->d; d->Erf->e; e,one->Add->s; x,s->Mul->m; m,half->Mul->y")
                .graph();
        Graph.Builder inner = body.toBuilder();
        inner.inputs().clear();
        inner.initializers().clear();
        Graph.Builder outer = body.toBuilder();
        outer.nodes().clear();
        outer.nodes().add(Graphs.branch("x -> If -> y", inner.build()));
        Graph result = new GeluFusion().apply(outer.build());
        assertThat(show(result.nodes().get(0).graphAttribute("then_branch").orElseThrow()))
                .containsExactly("x -> com.microsoft::Gelu -> y");
    }
}
