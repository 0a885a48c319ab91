package io.kindling.engine.shape;

import static org.assertj.core.api.Assertions.assertThat;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ShapeInferenceTest {
    private final Graph.Builder graph = Graph.builder("g");

    private void input(String name, DataType type, Object... shape) {
        graph.inputs().add(new ValueInfo(name, type(type, shape)));
    }

    private static ValueType type(DataType type, Object... shape) {
        return ValueType.TensorType.of(
                type,
                Arrays.stream(shape)
                        .map(size -> size instanceof Integer number
                                ? Dimension.of(number)
                                : size.equals("?") ? Dimension.UNKNOWN : Dimension.of((String) size))
                        .toList());
    }

    private void constant(String name, long... values) {
        graph.initializers().put(name, TensorData.ofLongs(new long[] {values.length}, values));
    }

    private void node(String inputs, String operator, String outputs, Map<String, Attribute> attributes) {
        graph.nodes()
                .add(new Node(
                        outputs, "", operator, List.of(inputs.split(",")), List.of(outputs.split(",")), attributes));
    }

    private void node(String inputs, String operator, String outputs) {
        node(inputs, operator, outputs, Map.of());
    }

    private Map<String, ValueType> infer() {
        return ShapeInference.infer(new OnnxModel("m", 10, Map.of("", 21L), graph.build(), List.of(), Map.of()));
    }

    @Test
    void followsHeadsThroughReshapeTransposeAndProducts() {
        input("x", DataType.FLOAT, "b", "s", 64);
        graph.initializers()
                .put("w", new TensorData(DataType.FLOAT, new long[] {64, 96}, new TensorData.Strings(List.of())));
        constant("heads", 0, 0, 3, -1);
        node("x,w", "MatMul", "q");
        node("q,heads", "Reshape", "split");
        node("split", "Transpose", "t", Map.of("perm", Attribute.of(0L, 2L, 1L, 3L)));
        node("split", "Transpose", "k", Map.of("perm", Attribute.of(0L, 2L, 3L, 1L)));
        node("t,k", "MatMul", "scores");
        node("scores", "Softmax", "p");
        Map<String, ValueType> types = infer();
        assertThat(types.get("q")).isEqualTo(type(DataType.FLOAT, "b", "s", 96));
        assertThat(types.get("split")).isEqualTo(type(DataType.FLOAT, "b", "s", 3, 32));
        assertThat(types.get("t")).isEqualTo(type(DataType.FLOAT, "b", 3, "s", 32));
        assertThat(types.get("p")).isEqualTo(type(DataType.FLOAT, "b", 3, "s", "s"));
    }

    @Test
    void whatIsLeftOpenIsTheSizeThatIsLeft() {
        input("x", DataType.FLOAT, "b", "s", 64);
        constant("heads", 0, -1, 4, 16);
        constant("thirds", 0, -1, 24);
        node("x,heads", "Reshape", "split");
        node("x,thirds", "Reshape", "uneven");
        Map<String, ValueType> types = infer();
        assertThat(types.get("split")).isEqualTo(type(DataType.FLOAT, "b", "s", 4, 16));
        assertThat(types.get("uneven")).isEqualTo(type(DataType.FLOAT, "b", "?", 24));
    }

    @Test
    void partsOfAShapeAndSizesThatOnlyTheRunTells() {
        input("x", DataType.FLOAT, "b", "s", 64);
        input("sizes", DataType.INT64, 3);
        input("pixels", DataType.FLOAT, "b", 3, "h", "w");
        graph.initializers()
                .put("w", new TensorData(DataType.FLOAT, new long[] {8, 3, 2, 2}, new TensorData.Strings(List.of())));
        node("x", "Shape", "tail", Map.of("start", Attribute.of(-2L)));
        node("x", "Shape", "head", Map.of("end", Attribute.of(1L)));
        node("tail,head", "Concat", "turned", Map.of("axis", Attribute.of(0L)));
        node("x,turned", "Reshape", "y");
        node("x,sizes", "Expand", "z");
        node("pixels,w", "Conv", "features");
        Map<String, ValueType> types = infer();
        assertThat(types.get("y")).isEqualTo(type(DataType.FLOAT, "s", 64, "b"));
        assertThat(types.get("z")).isEqualTo(type(DataType.FLOAT, "?", "?", 64));
        assertThat(types.get("features")).isEqualTo(type(DataType.FLOAT, "b", 8, "?", "?"));
    }

    @Test
    void slicesOfShapesWithAttributes() {
        input("x", DataType.FLOAT, "b", 6, "h", "w");
        constant("rest", -1);
        node("x", "Shape", "sizes");
        node("sizes", "Slice", "front", Map.of("starts", Attribute.of(new long[1]), "ends", Attribute.of(new long[] {2
        })));
        node("front,rest", "Concat", "flat", Map.of("axis", Attribute.of(0L)));
        node("x,flat", "Reshape", "y");
        assertThat(infer().get("y")).isEqualTo(type(DataType.FLOAT, "b", 6, "?"));
    }

    /** A row of sizes is one element of a matrix of one row. */
    @Test
    void sizesInAMatrixAreNotFollowed() {
        input("x", DataType.FLOAT, "b", "s", 64);
        constant("zero", 0);
        constant("end", 1);
        node("x", "Shape", "sizes");
        node("sizes,zero", "Unsqueeze", "matrix");
        node("matrix,zero,end,zero", "Slice", "first");
        node("first,zero", "Squeeze", "same");
        node("x,same", "Reshape", "y");
        assertThat(infer().get("y")).isEqualTo(type(DataType.FLOAT, "?", "?", "?"));
    }

    @Test
    void windowsOverPlanes() {
        input("x", DataType.FLOAT, "b", 3, "h", 20);
        graph.initializers()
                .put("w", new TensorData(DataType.FLOAT, new long[] {8, 3, 3, 3}, new TensorData.Strings(List.of())));
        node("x,w", "Conv", "same", Map.of("pads", Attribute.of(1, 1, 1, 1)));
        node("x,w", "Conv", "halves", Map.of("pads", Attribute.of(1, 1, 1, 1), "strides", Attribute.of(2, 2)));
        node("x,w", "Conv", "filled", Map.of("auto_pad", Attribute.of("SAME_UPPER")));
        node("same", "MaxPool", "pooled", Map.of("kernel_shape", Attribute.of(1, 3), "strides", Attribute.of(1, 3)));
        node("same", "GlobalAveragePool", "means");
        node("same,,scales", "Resize", "resized");
        node("resized,w", "ConvTranspose", "spread");
        Map<String, ValueType> types = infer();
        assertThat(types.get("same")).isEqualTo(type(DataType.FLOAT, "b", 8, "h", 20));
        assertThat(types.get("halves")).isEqualTo(type(DataType.FLOAT, "b", 8, "?", 10));
        assertThat(types.get("filled")).isEqualTo(type(DataType.FLOAT, "b", 8, "h", 20));
        assertThat(types.get("pooled")).isEqualTo(type(DataType.FLOAT, "b", 8, "h", 6));
        assertThat(types.get("means")).isEqualTo(type(DataType.FLOAT, "b", 8, 1, 1));
        assertThat(types.get("resized")).isEqualTo(type(DataType.FLOAT, "?", "?", "?", "?"));
        assertThat(types.get("spread")).isEqualTo(type(DataType.FLOAT, "?", 3, "?", "?"));
    }

    @Test
    void provenSizesOfWhichNothingIsKnownAreEqualWhereTheyComeFromOnePlace() {
        input("x", DataType.FLOAT, "batch", "batch", 4);
        node("x", "Relu", "y");
        node("x", "Transpose", "t", Map.of("perm", Attribute.of(1L, 0L, 2L)));
        Map<String, ValueType> types = ShapeInference.prove(graph.build()).types();
        List<Dimension> x = ((ValueType.TensorType) types.get("x")).shape().orElseThrow();
        assertThat(x.get(0)).isNotEqualTo(x.get(1));
        assertThat(types.get("y")).isEqualTo(types.get("x"));
        assertThat(types.get("t"))
                .isEqualTo(ValueType.TensorType.of(DataType.FLOAT, List.of(x.get(1), x.get(0), x.get(2))));
    }

    @Test
    void computesShapesThatTheGraphComputes() {
        input("x", DataType.FLOAT, "b", 5, 7);
        constant("first", 0);
        constant("second", 1);
        constant("axis", 0);
        constant("three", 3);
        node("x", "Shape", "shape");
        node("shape,first", "Gather", "b1", Map.of("axis", Attribute.of(0)));
        node("shape,second", "Gather", "five", Map.of("axis", Attribute.of(0)));
        node("five,three", "Mul", "fifteen");
        node("b1,fifteen", "Concat", "wanted", Map.of("axis", Attribute.of(0)));
        node("wanted", "ConstantOfShape", "y");
        Map<String, ValueType> types = infer();
        assertThat(types.get("shape")).isEqualTo(type(DataType.INT64, 3));
        assertThat(types.get("y")).isEqualTo(type(DataType.FLOAT, "b", 15));
    }

    @Test
    void broadcastsSlicesJoinsAndReduces() {
        input("x", DataType.FLOAT16, "b", 1, 8);
        input("m", DataType.FLOAT16, 4, 8);
        constant("starts", 2);
        constant("ends", -1);
        constant("axes", 2);
        node("x,m", "Add", "sum");
        node("sum,m", "LessOrEqual", "less");
        node("sum,starts,ends,axes", "Slice", "cut");
        node("sum,cut", "Concat", "joined", Map.of("axis", Attribute.of(-1)));
        node("joined,axes", "ReduceMean", "mean", Map.of("keepdims", Attribute.of(0)));
        node("joined,axes", "Unsqueeze", "wide");
        node("joined", "Split", "left,right", Map.of("axis", Attribute.of(1)));
        node("joined", "Cast", "cast", Map.of("to", Attribute.of(DataType.INT32.code())));
        Map<String, ValueType> types = infer();
        assertThat(types.get("sum")).isEqualTo(type(DataType.FLOAT16, "b", 4, 8));
        assertThat(types.get("less")).isEqualTo(type(DataType.BOOL, "b", 4, 8));
        assertThat(types.get("cut")).isEqualTo(type(DataType.FLOAT16, "b", 4, 5));
        assertThat(types.get("joined")).isEqualTo(type(DataType.FLOAT16, "b", 4, 13));
        assertThat(types.get("mean")).isEqualTo(type(DataType.FLOAT16, "b", 4));
        assertThat(types.get("wide")).isEqualTo(type(DataType.FLOAT16, "b", 4, 1, 13));
        assertThat(types.get("right")).isEqualTo(type(DataType.FLOAT16, "b", 2, 13));
        assertThat(types.get("cast")).isEqualTo(type(DataType.INT32, "b", 4, 13));
    }

    @Test
    void attentionKeepsQueriesAndTakesCachesFromTheDeclaration() {
        input("qkv", DataType.FLOAT, "b", "s", 960);
        input("past", DataType.FLOAT, "b", 3, "p", 64);
        graph.outputs().add(new ValueInfo("pk", type(DataType.FLOAT, "b", 3, "t", 64)));
        Map<String, Attribute> heads = Map.of("num_heads", Attribute.of(9), "kv_num_heads", Attribute.of(3));
        node("qkv,,,past,past", "GroupQueryAttention", "out,pk,pv", heads);
        Map<String, ValueType> types = infer();
        assertThat(types.get("out")).isEqualTo(type(DataType.FLOAT, "b", "s", 576));
        assertThat(types.get("pk")).isEqualTo(type(DataType.FLOAT, "b", 3, "t", 64));
        assertThat(types.get("pv")).isEqualTo(ValueType.UNKNOWN);
    }

    @Test
    void whatIsNotKnownStaysUnknownAndDeclarationsFillIt() {
        input("x", DataType.FLOAT, "b", "?");
        graph.valueTypes().put("odd", type(DataType.INT8, 3));
        graph.valueTypes().put("sum", type(DataType.FLOAT, "c", 9));
        node("x", "Mystery", "odd");
        node("x", "Mystery", "dark");
        node("x,x", "Add", "sum");
        Map<String, ValueType> types = infer();
        assertThat(types.get("odd")).isEqualTo(type(DataType.INT8, 3));
        assertThat(types.get("dark")).isEqualTo(ValueType.UNKNOWN);
        assertThat(types.get("sum")).isEqualTo(type(DataType.FLOAT, "b", 9));
    }

    @Test
    void absurdSizesDoNotFail() {
        input("x", DataType.FLOAT, Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE);
        constant("wanted", -7, 0, -1);
        node("x,wanted", "Reshape", "y");
        node("x", "Flatten", "z", Map.of("axis", Attribute.of(-99)));
        node("y,wanted", "Gather", "w", Map.of("axis", Attribute.of(1L << 40)));
        assertThat(infer().get("z")).isEqualTo(type(DataType.FLOAT, 1, "?"));
    }

    @Test
    void knowsFusedQuantisedAndClassicalOperators() {
        input("ids", DataType.INT32, "b", "s");
        input("words", DataType.FLOAT, 100, 16);
        input("router", DataType.FLOAT, "t", 4);
        input("q", DataType.INT8, "b", 3, 1);
        input("r", DataType.INT8, 5);
        input("scale", DataType.FLOAT);
        input("rows", DataType.DOUBLE, "n", 7);
        node("ids,,words,words,,scale,scale", "EmbedLayerNormalization", "h,mask");
        node("h,router", "MoE", "mixed");
        node("q,scale,,r,scale,,scale", "QLinearAdd", "sum");
        node("rows", "Imputer", "filled");
        node("filled", "Scaler", "scaled");
        Map<String, ValueType> types = infer();
        assertThat(types.get("mixed")).isEqualTo(type(DataType.FLOAT, "b", "s", 16));
        assertThat(types.get("sum")).isEqualTo(type(DataType.INT8, "b", 3, 5));
        assertThat(types.get("filled")).isEqualTo(type(DataType.DOUBLE, "n", 7));
        assertThat(types.get("scaled")).isEqualTo(type(DataType.FLOAT, "n", 7));
    }

    @Test
    void positionsThatAreCountedOrCutOutOfATable() {
        input("ids", DataType.INT64, "b", "s");
        input("x", DataType.FLOAT, "b", "s", 8);
        input("table", DataType.FLOAT, 1, 128, 8);
        constant("one", 1);
        constant("zero", 0);
        graph.initializers().put("first", TensorData.ofLongs(new long[0], 0));
        graph.initializers().put("step", TensorData.ofLongs(new long[0], 1));
        graph.initializers().put("axis", TensorData.ofLongs(new long[0], 1));
        node("ids", "Shape", "sizes");
        node("sizes,axis", "Gather", "length");
        node("first,length,step", "Range", "positions");
        node("length,zero", "Unsqueeze", "end");
        node("table,zero,end,one", "Slice", "rows");
        node("x,rows", "Add", "sum");
        node("x,zero,end,one", "Slice", "all");
        assertThat(infer())
                .containsEntry("positions", type(DataType.INT64, "s"))
                .containsEntry("sum", type(DataType.FLOAT, "b", "s", 8))
                .containsEntry("all", type(DataType.FLOAT, "b", "s", 8));
        assertThat(infer().get("rows").toString()).contains("min(s, 128)");
    }

    @Test
    void sizesThatReplaceThoseLeftOpen() {
        input("mask", DataType.INT64, "b", 1, 1, "s");
        constant("open", -1, -1, -1, -1);
        constant("ones", 1, 1, 1, 1);
        constant("minus", -1);
        constant("zero", 0);
        constant("end", 3);
        node("mask", "Shape", "sizes");
        node("sizes,zero,end", "Slice", "front");
        node("front,minus", "Concat", "wanted", Map.of("axis", Attribute.of(0L)));
        node("wanted,open", "Equal", "isOpen");
        node("isOpen,ones,wanted", "Where", "target");
        node("mask,target", "Expand", "wide");
        assertThat(infer())
                .containsEntry("isOpen", type(DataType.BOOL, 4))
                .containsEntry("wide", type(DataType.INT64, "b", 1, 1, "s"));
    }

    @Test
    void tuplesOfIndices() {
        input("data", DataType.FLOAT, "b", "s", 8);
        input("indices", DataType.INT64, "b", 1, "t", 2);
        node("data,indices", "GatherND", "chosen");
        assertThat(infer()).containsEntry("chosen", type(DataType.FLOAT, "b", 1, "t", 8));
    }
}
