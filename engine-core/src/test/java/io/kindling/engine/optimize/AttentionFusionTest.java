package io.kindling.engine.optimize;

import static io.kindling.engine.optimize.Graphs.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nodes stand behind one another with {@code ;} between; a number behind an operator is the permutation of a Transpose or the axis of
 * a Softmax. x is {@code [2, 5, 12]}, far {@code [2, 7, 12]}; there are 3 heads of 4.
 */
class AttentionFusionTest {
    private static final String QUERIES = "x,wq->MatMul->ql; ql,split->Reshape->qs; qs->Transpose 0213->q;";
    private static final String KEYS = "x,wk->MatMul->kl; kl,split->Reshape->ks; ks->Transpose 0231->k;";
    private static final String VALUES = "x,wv->MatMul->vl; vl,split->Reshape->vs; vs->Transpose 0213->v;";
    private static final String PROJECTIONS = QUERIES + KEYS + VALUES;
    private static final String ROTATED = QUERIES + VALUES + "q,turn->Mul->qr; x,wk->MatMul->kl; kl,split->Reshape->ks;"
            + "ks->Transpose 0213->kh; kh,turn->Mul->kr; kr->Transpose 0132->kt; qr,kt->MatMul->s;";
    private static final String RESULT = "p,v->MatMul->r; r->Transpose 0213->t; t,join->Reshape->y";

    private static Node parsed(String text) {
        String[] parts = text.strip().split("->");
        String[] operator = parts[1].strip().split(" ");
        Map<String, Attribute> attributes = Map.of();
        if (operator[0].equals("Transpose")) {
            attributes = Map.of(
                    "perm",
                    Attribute.of(operator[1].chars().mapToLong(c -> c - '0').toArray()));
        } else if (operator.length > 1) {
            attributes = Map.of("axis", Attribute.of(Long.parseLong(operator[1])));
        }
        return node(parts[0] + "->" + operator[0] + "->" + parts[2], attributes);
    }

    private static FusionCase written(String nodes) {
        return written("y", nodes);
    }

    private static FusionCase written(String outputs, String nodes) {
        Node[] list =
                Arrays.stream(nodes.split(";")).map(AttentionFusionTest::parsed).toArray(Node[]::new);
        Tensor kept = Tensor.allocateHost(DataType.BOOL, 2, 1, 1, 5);
        for (int k = 0; k < 10; k++) {
            kept.bytes().put(k, (byte) (k % 5 < 4 - k / 5 ? 1 : 0));
        }
        return new FusionCase(17, outputs, list)
                .input("x", "batch,seq,12", 2, 5, 12)
                .input("fixed", "batch,5,12", 2, 5, 12)
                .input("past", "batch,3,past,4", 2, 3, 6, 4)
                .input("far", "batch,keys,12", 2, 7, 12)
                .input("bias", "?,1,1,?", 2, 1, 1, 5)
                .input("relative", "1,3,seq,seq", 1, 3, 5, 5)
                .input("flatBias", "?", 5)
                .input("kept", "batch,1,1,seq", kept)
                .weight("wq", 12, 12)
                .weight("wk", 12, 12)
                .weight("wv", 12, 12)
                .weight("turn", 4)
                .number("zero", 0)
                .number("none", Float.NEGATIVE_INFINITY)
                .integers("stack", -1, 5, 4)
                .integers("unstack", -1, 3, 4, 5)
                .number("two", 2)
                .number("half", 0.5f)
                .number("root", 0.70710677f)
                .number("lowest", -3.4028235e38f)
                .number("low", -10000)
                .integers("split", 0, 0, 3, 4)
                .integers("six", 0, 0, 6, 2)
                .integers("join", 0, 0, 12);
    }

    private static List<String> operators(Graph graph) {
        return graph.nodes().stream()
                .map(Node::opType)
                .filter(operator -> !operator.equals("Identity"))
                .toList();
    }

    private static Node attention(Graph graph) {
        return graph.nodes().stream()
                .filter(node -> node.is("com.microsoft", "MultiHeadAttention"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void exportedEncodersForm() {
        Graph fused = written(PROJECTIONS + "q,k->MatMul->s; s,two->Div->d; d,bias->Add->a; a->Softmax -1->p;" + RESULT)
                .fusedBy(new AttentionFusion(), new NoOpElimination(), new IdentityElimination());
        assertThat(operators(fused)).containsExactly("MatMul", "MatMul", "MatMul", "MultiHeadAttention");
        Node attention = attention(fused);
        assertThat(attention.inputs()).containsExactly("ql", "kl", "vl", "", "", "bias");
        assertThat(attention.intAttribute("num_heads", 0)).isEqualTo(3);
        assertThat(attention.floatAttribute("scale", 0)).isEqualTo(0.5f);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "q,root->Mul->qr; k,root->Mul->kr; qr,kr->MatMul->s; s->Softmax -1->p;",
                "root,q->Mul->qr; qr,k->MatMul->s; root,s->Mul->a; a->Softmax 3->p;",
                "ks->Transpose 0213->kh; kh,root->Mul->kr; kr->Transpose 0132->kt; q,root->Mul->qr; qr,kt->MatMul->s;"
                        + "s->Softmax 3->p;",
            })
    void theScaleMayStandAnywhereBeforeTheBias(String scores) {
        Graph fused = written(PROJECTIONS + scores + RESULT).fusedBy(new AttentionFusion());
        assertThat(attention(fused).floatAttribute("scale", 0)).isCloseTo(0.5f, within(1e-6f));
        assertThat(operators(fused)).doesNotContain("Softmax", "Mul");
    }

    @Test
    void severalBiasesAreAddedFirst() {
        Graph fused = written(PROJECTIONS
                        + "q,k->MatMul->s; s,two->Div->d; d,relative->Add->b; bias,b->Add->a; a->Softmax -1->p;"
                        + RESULT)
                .fusedBy(new AttentionFusion());
        assertThat(operators(fused)).contains("MultiHeadAttention").containsOnlyOnce("Add");
    }

    @ParameterizedTest
    @ValueSource(strings = {"kept,s,lowest->Where->a;", "kept->Not->hidden; hidden,lowest,s->Where->a;"})
    void replacedScoresBecomeABias(String mask) {
        Graph fused = written(PROJECTIONS + "q,k->MatMul->s;" + mask + "a->Softmax -1->p;" + RESULT)
                .fusedBy(new AttentionFusion());
        assertThat(operators(fused)).contains("MultiHeadAttention", "Where").doesNotContain("Softmax");
    }

    @Test
    void keysOfAnotherLength() {
        Graph fused = written(QUERIES
                        + KEYS.replace("x,", "far,")
                        + VALUES.replace("x,", "far,")
                        + "q,k->MatMul->s; s->Softmax -1->p;"
                        + RESULT)
                .fusedBy(new AttentionFusion());
        assertThat(operators(fused)).contains("MultiHeadAttention");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // a number that scores of hidden keys still shine through
                "q,k->MatMul->s; kept,s,low->Where->a; a->Softmax -1->p;",
                // scaled after the bias, biased along another axis, over queries
                "q,k->MatMul->s; s,bias->Add->b; b,two->Div->a; a->Softmax -1->p;",
                "q,k->MatMul->s; s,flatBias->Add->a; a->Softmax -1->p;",
                "q,k->MatMul->s; s->Softmax 2->p;",
                // negative scale
                "q,lowest->Mul->n; n,k->MatMul->s; s->Softmax -1->p;",
                // weights that somebody else reads
                "q,k->MatMul->s; s->Softmax -1->p; p->Neg->z;",
                // keys that were joined to others
                "k,k->Concat 3->kk; q,kk->MatMul->s; s->Softmax -1->p;",
            })
    void whatIsSomethingElseStays(String scores) {
        Graph graph = written(PROJECTIONS + scores + RESULT).graph();
        assertThat(new AttentionFusion().apply(graph)).isSameAs(graph);
    }

    @Test
    void operandsMustAgreeInHeadsAndInTheirBatch() {
        String scores = "q,k->MatMul->s; s->Softmax -1->p;";
        Graph heads = written(PROJECTIONS.replace("vl,split", "vl,six") + scores + RESULT)
                .graph();
        assertThat(new AttentionFusion().apply(heads)).isSameAs(heads);
        Graph batch = new FusionCase(
                        17,
                        "y",
                        Arrays.stream((QUERIES + KEYS + VALUES.replace("x,", "z,") + scores + RESULT).split(";"))
                                .map(AttentionFusionTest::parsed)
                                .toArray(Node[]::new))
                .input("x", "?,?,12", 2, 5, 12)
                .input("z", "?,?,12", 2, 5, 12)
                .weight("wq", 12, 12)
                .weight("wk", 12, 12)
                .weight("wv", 12, 12)
                .integers("split", 0, 0, 3, 4)
                .integers("join", 0, 0, 12)
                .graph();
        assertThat(new AttentionFusion().apply(batch)).isSameAs(batch);
    }

    /** Queries have their tokens first in the operator, keys and values may have their heads first. */
    @Test
    void queriesAndKeysThatAreRotatedWithTheirHeadsFirst() {
        Graph fused = written(ROTATED + "s,two->Div->d; d,bias->Add->a; a->Softmax -1->p;" + RESULT)
                .fusedBy(new AttentionFusion());
        assertThat(operators(fused)).doesNotContain("Softmax");
        assertThat(attention(fused).inputs().subList(1, 6)).containsExactly("kr", "v", "", "", "bias");
    }

    @Test
    void keysOfACacheStay() {
        String scores = "s->Softmax -1->p;";
        Graph leave = written("y,kr", ROTATED + scores + RESULT).graph();
        assertThat(new AttentionFusion().apply(leave)).isSameAs(leave);
        Graph joined = written(
                        ROTATED.replace("kr->Transpose 0132->kt", "past,kr->Concat 2->kj; kj->Transpose 0132->kt")
                                + "past,v->Concat 2->vj;" + scores + RESULT.replace("p,v", "p,vj"))
                .graph();
        assertThat(new AttentionFusion().apply(joined)).isSameAs(joined);
    }

    @Test
    void weightsThatAreGuardedAgainstQueriesWithoutKeys() {
        String guard = "a->Softmax -1->w; w->IsNaN->lost; lost,zero,w->Where->p;";
        Graph fused = written(PROJECTIONS + "q,k->MatMul->s; kept,zero,lowest->Where->m; s,m->Add->a;" + guard + RESULT)
                .fusedBy(new AttentionFusion());
        assertThat(operators(fused)).contains("MultiHeadAttention").doesNotContain("Softmax", "IsNaN");
        for (String mask :
                List.of("kept,zero,none->Where->m; s,m->Add->a;", "s,bias->Add->a;", "kept,s,none->Where->a;")) {
            Graph graph = written(PROJECTIONS + "q,k->MatMul->s;" + mask + guard + RESULT)
                    .graph();
            assertThat(new AttentionFusion().apply(graph)).isSameAs(graph);
        }
    }

    @Test
    void aMaskThatIsExpandedToTheScores() {
        Graph fused = written(PROJECTIONS + "q,k->MatMul->s; kept->Not->hidden; s->Shape->sizes;"
                        + "hidden,sizes->Expand->wide; wide,lowest,s->Where->a; a->Softmax -1->p;" + RESULT)
                .fusedBy(new ExpandElimination(), new AttentionFusion());
        assertThat(operators(fused)).contains("MultiHeadAttention").doesNotContain("Softmax", "Expand", "Shape");
    }

    @Test
    void whatIsExpandedToAnotherShapeStays() {
        Graph other = written("far->Shape->sizes; two,sizes->Expand->wide; wide,two->Add->y")
                .graph();
        assertThat(new ExpandElimination().apply(other)).isSameAs(other);
    }

    @Test
    void keysThatAreTurnedInOneStack() {
        String keys = "fixed,wk->MatMul->kl; kl,split->Reshape->ks; ks->Transpose 0213->kh; kh,stack->Reshape->k3;"
                + "k3->Transpose 021->kt; kt,unstack->Reshape->k;";
        Graph fused = written((QUERIES + VALUES).replace("x,", "fixed,") + keys + "q,k->MatMul->s; s->Softmax -1->p;"
                        + RESULT)
                .fusedBy(new TransposeFusion(), new TransposeFusion(), new AttentionFusion());
        assertThat(operators(fused)).contains("MultiHeadAttention").doesNotContain("Softmax");
        Graph mixed = written(keys.replace("kt,unstack", "kt,stack").replace("->k;", "->y"))
                .graph();
        assertThat(new TransposeFusion().apply(mixed)).isSameAs(mixed);
    }
}
