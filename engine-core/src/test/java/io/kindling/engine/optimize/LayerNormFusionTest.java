package io.kindling.engine.optimize;

import static io.kindling.engine.optimize.Graphs.node;
import static io.kindling.engine.optimize.Graphs.show;
import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes stand behind one another with {@code ;} between; x is {@code [batch, seq, 24]}. */
class LayerNormFusionTest {
    private static final String TORCH =
            "x->ReduceMean->m; x,m->Sub->c; c,two->Pow->q; q->ReduceMean->v; v,eps->Add->w; w->Sqrt->r;";

    private static FusionCase written(String outputs, long[] axes, String nodes) {
        Node[] list = Arrays.stream(nodes.split(";"))
                .map(text -> text.contains("ReduceMean")
                        ? node(text.strip(), Map.of("axes", Attribute.of(axes)))
                        : node(text.strip()))
                .toArray(Node[]::new);
        return new FusionCase(17, outputs, list)
                .input("x", "?,?,24", 2, 3, 24)
                .number("eps", 1e-3f)
                .number("one", 1)
                .number("two", 2)
                .weight("gamma", 24)
                .weight("beta", 24)
                .weight("other", 3, 1)
                .constant("last", TensorData.ofLongs(new long[] {1}, -1));
    }

    private static FusionCase written(String nodes) {
        return written("y", new long[] {-1}, nodes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                TORCH + "c,r->Div->n; n,gamma->Mul->g; g,beta->Add->y",
                TORCH + "c,r->Div->n; gamma,n->Mul->g; beta,g->Add->y",
                TORCH + "r->Reciprocal->i; c,i->Mul->n; n,gamma->Mul->g; g,beta->Add->y",
                TORCH + "one,r->Div->i; i,gamma->Mul->n; c,n->Mul->g; g,beta->Add->y",
                "x->ReduceMean->m; x,m->Sub->c; c,c->Mul->q; q->ReduceMean->v; eps,v->Add->w; w->Sqrt->r;"
                        + "c,r->Div->n; n,gamma->Mul->g; g,beta->Add->y",
                // TensorFlow
                "x->ReduceMean->m; x,m->Sub->c; c,c->Mul->q; q->ReduceMean->v; v,eps->Add->w; w->Sqrt->r; r->Reciprocal->i;"
                        + "i,gamma->Mul->f; x,f->Mul->a; m,f->Mul->b; beta,b->Sub->d; a,d->Add->y",
            })
    void everySpelling(String nodes) {
        FusionCase written = written(nodes);
        Graph fused = written.fusedBy(new LayerNormFusion());
        assertThat(show(fused)).containsExactly("x,gamma,beta -> LayerNormalization -> y");
        assertThat(fused.nodes().get(0).floatAttribute("epsilon", 0)).isEqualTo(1e-3f);
        assertThat(fused.nodes().get(0).intAttribute("axis", 0)).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gamma", ""})
    void biasAndWeightMayBeAbsent(String weight) {
        String nodes = TORCH + (weight.isEmpty() ? "c,r->Div->y" : "c,r->Div->n; n,gamma->Mul->y");
        assertThat(show(written(nodes).fusedBy(new LayerNormFusion())))
                .containsExactly(
                        weight.isEmpty()
                                ? "x,y/ones -> LayerNormalization -> y"
                                : "x,gamma -> LayerNormalization -> y");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // the mean square of another value, the mean of another value, another power
                "x->ReduceMean->m; x,m->Sub->c; x,two->Pow->q; q->ReduceMean->v; v,eps->Add->w; w->Sqrt->r; c,r->Div->y",
                "x->Neg->z; z->ReduceMean->m; x,m->Sub->c; c,two->Pow->q; q->ReduceMean->v; v,eps->Add->w; w->Sqrt->r;"
                        + "c,r->Mul->y",
                TORCH + "c,w->Div->y",
                TORCH + "two,r->Div->i; c,i->Mul->y",
                // a variance that others read
                TORCH + "c,r->Div->n; n,w->Add->y",
            })
    void whatIsAnotherFunctionStays(String nodes) {
        Graph graph = written(nodes).graph();
        assertThat(new LayerNormFusion().apply(graph)).isSameAs(graph);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 0})
    void otherAxesStay(long axis) {
        Graph graph = written("y", new long[] {axis}, TORCH + "c,r->Div->y").graph();
        assertThat(new LayerNormFusion().apply(graph)).isSameAs(graph);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x,two->Pow->q; q->ReduceMean->v; v,eps->Add->w; w->Sqrt->r; x,r->Div->n; n,gamma->Mul->y",
                "x,x->Mul->q; q->ReduceMean->v; v,eps->Add->w; w->Sqrt->r; r->Reciprocal->i; x,i->Mul->n; gamma,n->Mul->y",
                "x,two->Pow->q; q->ReduceMean->v; v,eps->Add->w; w->Sqrt->r; one,r->Div->i; i,x->Mul->n; gamma,n->Mul->y",
            })
    void withoutCentringItIsTheSimplifiedForm(String nodes) {
        assertThat(show(written(nodes).fusedBy(new RmsNormFusion())))
                .containsExactly("x,gamma -> SimplifiedLayerNormalization -> y");
        Graph graph = written(nodes).graph();
        assertThat(new LayerNormFusion().apply(graph)).isSameAs(graph);
    }

    @Test
    void theCentredFormIsNotTakenForTheSimplifiedOne() {
        Graph graph = written(TORCH + "c,r->Div->n; n,gamma->Mul->y").graph();
        assertThat(new RmsNormFusion().apply(graph)).isSameAs(graph);
    }

    @Test
    void aWeightThatIsNoVectorIsMultipliedAfterwards() {
        assertThat(show(written(TORCH + "c,r->Div->n; n,other->Mul->y").fusedBy(new LayerNormFusion())))
                .containsExactly("x,n/ones -> LayerNormalization -> n", "n,other -> Mul -> y");
    }
}
