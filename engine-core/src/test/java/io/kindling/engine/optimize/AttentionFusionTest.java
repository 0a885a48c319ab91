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
        Node[] list =
                Arrays.stream(nodes.split(";")).map(AttentionFusionTest::parsed).toArray(Node[]::new);
        Tensor kept = Tensor.allocateHost(DataType.BOOL, 2, 1, 1, 5);
        for (int k = 0; k < 10; k++) {
            kept.bytes().put(k, (byte) (k % 5 < 4 - k / 5 ? 1 : 0));
        }
        return new FusionCase(17, "y", list)
                .input("x", "batch,seq,12", 2, 5, 12)
                .input("far", "batch,keys,12", 2, 7, 12)
                .input("bias", "?,1,1,?", 2, 1, 1, 5)
                .input("relative", "1,3,seq,seq", 1, 3, 5, 5)
                .input("flatBias", "?", 5)
                .input("kept", "batch,1,1,seq", kept)
                .weight("wq", 12, 12)
                .weight("wk", 12, 12)
                .weight("wv", 12, 12)
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
}
