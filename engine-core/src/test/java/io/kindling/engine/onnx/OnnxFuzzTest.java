package io.kindling.engine.onnx;

import com.code_intelligence.jazzer.junit.DictionaryFile;
import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.junit.Lifecycle;
import com.google.protobuf.ByteString;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.onnx.proto.AttributeProto;
import io.kindling.engine.onnx.proto.FunctionProto;
import io.kindling.engine.onnx.proto.GraphProto;
import io.kindling.engine.onnx.proto.ModelProto;
import io.kindling.engine.onnx.proto.NodeProto;
import io.kindling.engine.onnx.proto.OperatorSetIdProto;
import io.kindling.engine.onnx.proto.StringStringEntryProto;
import io.kindling.engine.onnx.proto.TensorProto;
import io.kindling.engine.onnx.proto.TensorShapeProto;
import io.kindling.engine.onnx.proto.TypeProto;
import io.kindling.engine.onnx.proto.ValueInfoProto;
import io.kindling.engine.optimize.FunctionInliner;
import io.kindling.engine.optimize.Optimizer;
import io.kindling.engine.shape.ShapeInference;
import io.kindling.engine.testing.Untrusted;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.provider.MethodSource;

/** Models come from anywhere: see docs/fuzzing.md. */
class OnnxFuzzTest {
    private static final OperatorSetIdProto OPSET =
            OperatorSetIdProto.newBuilder().setVersion(21).build();
    private static final OperatorSetIdProto OWN =
            OperatorSetIdProto.newBuilder().setDomain("own").setVersion(1).build();

    @TempDir
    private Path folder;

    @MethodSource("seeds")
    @DictionaryFile(resourcePath = "onnx.dict")
    @FuzzTest(maxDuration = Untrusted.BOUNDED, lifecycle = Lifecycle.PER_TEST)
    void anyModelIsLoadedOrRefused(byte[] input) throws Exception {
        Untrusted.read(() -> load(input));
    }

    private static List<byte[]> seeds() {
        return Stream.of(shapes(), bodies(), bytes(), calls(60, 2), calls(100, 1), claim(1L << 31), claim(1L << 28))
                .map(model -> model.build().toByteArray())
                .toList();
    }

    private void load(byte[] input) throws IOException {
        Path file = folder.resolve("m.onnx");
        Files.write(folder.resolve("w.data"), new byte[64]);
        // A file of its own each time: earlier ones may still be mapped.
        Files.deleteIfExists(file);
        OnnxModel model = OnnxLoader.load(Files.write(file, input));
        ShapeInference.infer(model);
        OnnxModel inlined = FunctionInliner.inline(model);
        ShapeInference.infer(inlined);
        ShapeInference.prove(inlined.graph());
        Optimizer.standard((node, inputs) -> Optional.empty(), Set.of()).optimize(inlined);
    }

    /** Initializers of each form, and the operators that compute shapes. */
    private static ModelProto.Builder shapes() {
        GraphProto.Builder graph = graph(
                node("Shape", "x", "s"),
                node("Gather", "s", "i", "n").toBuilder()
                        .addAttribute(integer("axis", 0))
                        .build(),
                node("Unsqueeze", "n", "i", "n1"),
                node("Concat", "n1", "d", "to").toBuilder()
                        .addAttribute(integer("axis", 0))
                        .build(),
                node("Reshape", "x", "to", "r"),
                node("Slice", "r", "i", "d", "i", "c"),
                node("Transpose", "c", "t").toBuilder()
                        .addAttribute(AttributeProto.newBuilder()
                                .setName("perm")
                                .setType(AttributeProto.AttributeType.INTS)
                                .addInts(1)
                                .addInts(0))
                        .build(),
                node("MatMul", "t", "w", "m"),
                node("Expand", "m", "to", "e"),
                node("Add", "e", "w", "y"));
        graph.addInitializer(
                TensorProto.newBuilder().setName("i").setDataType(7).addDims(1).addInt64Data(0));
        graph.addInitializer(TensorProto.newBuilder()
                .setName("d")
                .setDataType(7)
                .addDims(1)
                .setRawData(ByteString.copyFrom(new byte[] {-1, -1, -1, -1, -1, -1, -1, -1})));
        graph.addInitializer(TensorProto.newBuilder()
                .setName("w")
                .setDataType(1)
                .addDims(2)
                .addDims(2)
                .setDataLocation(TensorProto.DataLocation.EXTERNAL)
                .addExternalData(entry("location", "w.data"))
                .addExternalData(entry("offset", "0")));
        return model(graph);
    }

    private static ModelProto.Builder bodies() {
        GraphProto body = GraphProto.newBuilder()
                .setName("body")
                .addNode(node("Relu", "x", "z"))
                .addOutput(ValueInfoProto.newBuilder().setName("z"))
                .build();
        NodeProto inner = node("If", "x", "z2").toBuilder()
                .addAttribute(graphAttribute("then_branch", body))
                .addAttribute(graphAttribute("else_branch", body))
                .build();
        GraphProto outer = GraphProto.newBuilder()
                .setName("outer")
                .addNode(inner)
                .addOutput(ValueInfoProto.newBuilder().setName("z2"))
                .build();
        NodeProto call = node("f0", "x", "q").toBuilder().setDomain("own").build();
        NodeProto choice = node("If", "q", "y").toBuilder()
                .addAttribute(graphAttribute("then_branch", outer))
                .addAttribute(graphAttribute("else_branch", body))
                .build();
        FunctionProto function = function("f0")
                .addNode(node("Relu", "a", "c"))
                .addNode(inner.toBuilder().setInput(0, "c").clearAttribute().setOutput(0, "b"))
                .build();
        return model(graph(call, choice)).addOpsetImport(OWN).addFunctions(function);
    }

    /** Functions that each call the next several times, and none has a node of its own. */
    private static ModelProto.Builder calls(int functions, int times) {
        ModelProto.Builder model = model(
                        graph(node("f0", "x", "y").toBuilder().setDomain("own").build()))
                .addOpsetImport(OWN);
        for (int k = 0; k < functions; k++) {
            FunctionProto.Builder function = function("f" + k).clearOutput().addOutput("a");
            for (int call = 0; call < times && k + 1 < functions; call++) {
                function.addNode(
                        node("f" + (k + 1), "a", "b" + call).toBuilder().setDomain("own"));
            }
            model.addFunctions(function);
        }
        return model;
    }

    /** A product of bytes with its scales and bias, as dynamic quantisation writes it, and what a norm is made of. */
    private static ModelProto.Builder bytes() {
        GraphProto.Builder graph = graph(
                node("DynamicQuantizeLinear", "x", "q").toBuilder()
                        .addOutput("s")
                        .addOutput("z")
                        .build(),
                node("MatMulInteger", "q", "w", "z", "sums"),
                node("Cast", "sums", "floats").toBuilder()
                        .addAttribute(integer("to", 1))
                        .build(),
                node("Mul", "s", "scale", "scales"),
                node("Mul", "floats", "scales", "product"),
                node("Add", "product", "bias", "p"),
                node("ReduceMean", "p", "mean"),
                node("Sub", "p", "mean", "centred"),
                node("Pow", "centred", "two", "squares"),
                node("ReduceMean", "squares", "variance"),
                node("Sqrt", "variance", "deviation"),
                node("Div", "centred", "deviation", "y"));
        return model(
                graph.addInitializer(constant("w", 3, 2, 2).setRawData(ByteString.copyFrom(new byte[] {1, 2, 3, 4})))
                        .addInitializer(constant("scale", 1).addFloatData(0.5f))
                        .addInitializer(constant("bias", 1, 2).addFloatData(1).addFloatData(2))
                        .addInitializer(constant("two", 1).addFloatData(2)));
    }

    private static TensorProto.Builder constant(String name, int type, long... shape) {
        TensorProto.Builder tensor = TensorProto.newBuilder().setName(name).setDataType(type);
        for (long size : shape) {
            tensor.addDims(size);
        }
        return tensor;
    }

    /** A tensor without data that says it has many elements. */
    private static ModelProto.Builder claim(long elements) {
        return model(graph(node("Relu", "x", "y"))
                .addInitializer(
                        TensorProto.newBuilder().setName("w").setDataType(11).addDims(elements)));
    }

    private static FunctionProto.Builder function(String name) {
        return FunctionProto.newBuilder()
                .setDomain("own")
                .setName(name)
                .addInput("a")
                .addOutput("b")
                .addOpsetImport(OPSET)
                .addOpsetImport(OWN);
    }

    /** The last name is the output. */
    private static NodeProto node(String type, String... names) {
        return NodeProto.newBuilder()
                .setOpType(type)
                .addAllInput(List.of(names).subList(0, names.length - 1))
                .addOutput(names[names.length - 1])
                .build();
    }

    private static AttributeProto integer(String name, long value) {
        return AttributeProto.newBuilder()
                .setName(name)
                .setType(AttributeProto.AttributeType.INT)
                .setI(value)
                .build();
    }

    private static AttributeProto graphAttribute(String name, GraphProto body) {
        return AttributeProto.newBuilder()
                .setName(name)
                .setType(AttributeProto.AttributeType.GRAPH)
                .setG(body)
                .build();
    }

    private static StringStringEntryProto entry(String key, String value) {
        return StringStringEntryProto.newBuilder().setKey(key).setValue(value).build();
    }

    private static GraphProto.Builder graph(NodeProto... nodes) {
        TensorShapeProto.Builder shape = TensorShapeProto.newBuilder()
                .addDim(TensorShapeProto.Dimension.newBuilder().setDimParam("n"))
                .addDim(TensorShapeProto.Dimension.newBuilder().setDimValue(2));
        TypeProto type = TypeProto.newBuilder()
                .setTensorType(TypeProto.Tensor.newBuilder().setElemType(1).setShape(shape))
                .build();
        return GraphProto.newBuilder()
                .setName("g")
                .addInput(ValueInfoProto.newBuilder().setName("x").setType(type))
                .addOutput(ValueInfoProto.newBuilder().setName("y"))
                .addAllNode(List.of(nodes));
    }

    private static ModelProto.Builder model(GraphProto.Builder graph) {
        return ModelProto.newBuilder().setIrVersion(8).setGraph(graph).addOpsetImport(OPSET);
    }
}
