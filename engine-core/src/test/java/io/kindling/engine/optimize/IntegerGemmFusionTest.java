package io.kindling.engine.optimize;

import static io.kindling.engine.optimize.Graphs.node;
import static io.kindling.engine.optimize.Graphs.show;
import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes stand behind one another with {@code ;} between; x is {@code [2, 3, 10]}, of whose bytes q the scale is s and the zero point z. */
class IntegerGemmFusionTest {
    private static final String QUANTISED = "x->DynamicQuantizeLinear->q,s,z; ";
    private static final String SUMS = QUANTISED + "q,w,z,zeros->MatMulInteger->i; i->Cast->c; ";

    private static FusionCase written(String nodes) {
        Node[] list = Arrays.stream(nodes.split(";"))
                .map(text -> node(
                        text.strip(),
                        text.contains("Cast") ? Map.of("to", Attribute.of(DataType.FLOAT.code())) : Map.of()))
                .toArray(Node[]::new);
        return new FusionCase(20, "y", list)
                .input("x", "batch,seq,10", 2, 3, 10)
                .constant("w", bytes(10, 7))
                .constant("stack", bytes(2, 10, 7))
                .constant("zeros", bytes(7))
                .weight("scales", 7)
                .weight("rows", 3, 1)
                .weight("b", 7)
                .number("scale", 0.25f);
    }

    private static TensorData bytes(long... shape) {
        byte[] values = new byte[(int) Arrays.stream(shape).reduce(1, (a, b) -> a * b)];
        new Random(3).nextBytes(values);
        return new TensorData(DataType.INT8, shape, new TensorData.Inline(ByteBuffer.wrap(values)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"s,scales->Mul->f; c,f->Mul->y", "scales,s->Mul->f; f,c->Mul->y"})
    void scalesAreMultipliedByTheProduct(String nodes) {
        assertThat(show(written(SUMS + nodes).fusedBy(0, new IntegerGemmFusion())))
                .containsExactly(
                        "x -> DynamicQuantizeLinear -> q,s,z",
                        "q,w,s,scales,z,zeros -> com.microsoft::MatMulIntegerToFloat -> y");
    }

    @ParameterizedTest
    @ValueSource(strings = {"p,b->Add->y", "b,p->Add->y"})
    void aBiasIsAddedByTheProduct(String nodes) {
        Graph fused = written(SUMS + "s,scale->Mul->f; c,f->Mul->p; " + nodes)
                .fusedBy(0, new IntegerGemmFusion(), new IntegerGemmFusion());
        assertThat(show(fused))
                .containsExactly(
                        "x -> DynamicQuantizeLinear -> q,s,z",
                        "q,w,s,scale,z,zeros,b -> com.microsoft::MatMulIntegerToFloat -> y");
    }

    @Test
    void absentZeroPointsStayAbsent() {
        Graph fused = written(
                        QUANTISED + "q,w->MatMulInteger->i; i->Cast->c; s,scale->Mul->f; c,f->Mul->p; p,b->Add->y")
                .fusedBy(0, new IntegerGemmFusion(), new IntegerGemmFusion());
        assertThat(show(fused)).contains("q,w,s,scale,,,b -> com.microsoft::MatMulIntegerToFloat -> y");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "s,rows->Mul->f; c,f->Mul->y",
                "s,x->Mul->f; c,f->Mul->y",
                "c,s->Mul->y",
                "s,scales->Mul->f; c,f->Mul->p; c,p->Add->y",
                "s,scales->Mul->f; c,f->Add->y",
            })
    void whatIsSomethingElseStays(String nodes) {
        Graph graph = written(SUMS + nodes).graph();
        assertThat(new IntegerGemmFusion().apply(graph)).isSameAs(graph);
    }

    @Test
    void aStackOfMatricesStays() {
        Graph graph = written(QUANTISED + "q,stack->MatMulInteger->i; i->Cast->c; s,scale->Mul->f; c,f->Mul->y")
                .graph();
        assertThat(new IntegerGemmFusion().apply(graph)).isSameAs(graph);
    }
}
