package io.kindling.spark;

import com.google.protobuf.ByteString;
import io.kindling.engine.onnx.proto.AttributeProto;
import io.kindling.engine.onnx.proto.GraphProto;
import io.kindling.engine.onnx.proto.ModelProto;
import io.kindling.engine.onnx.proto.NodeProto;
import io.kindling.engine.onnx.proto.OperatorSetIdProto;
import io.kindling.engine.onnx.proto.TensorShapeProto;
import io.kindling.engine.onnx.proto.TensorShapeProto.Dimension;
import io.kindling.engine.onnx.proto.TypeProto;
import io.kindling.engine.onnx.proto.ValueInfoProto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** ONNX files for tests. */
public final class TestGraphs {
    static final int FLOAT = 1;
    static final int INT32 = 6;
    static final int INT64 = 7;
    static final int STRING = 8;
    static final int FLOAT16 = 10;
    static final int UINT64 = 13;

    private TestGraphs() {}

    /** @param shape sizes, and names of open ones */
    static ValueInfoProto port(String name, int type, String... shape) {
        TensorShapeProto.Builder dims = TensorShapeProto.newBuilder();
        for (String size : shape) {
            dims.addDim(
                    Character.isDigit(size.charAt(0))
                            ? Dimension.newBuilder().setDimValue(Long.parseLong(size))
                            : Dimension.newBuilder().setDimParam(size));
        }
        return ValueInfoProto.newBuilder()
                .setName(name)
                .setType(TypeProto.newBuilder()
                        .setTensorType(
                                TypeProto.Tensor.newBuilder().setElemType(type).setShape(dims)))
                .build();
    }

    static NodeProto node(String op, String output, String... inputs) {
        return NodeProto.newBuilder()
                .setName(output)
                .setOpType(op)
                .addAllInput(List.of(inputs))
                .addOutput(output)
                .build();
    }

    /** @return the file's URI */
    static String write(Path file, GraphProto.Builder graph) throws IOException {
        Files.write(
                file,
                ModelProto.newBuilder()
                        .setIrVersion(8)
                        .addOpsetImport(OperatorSetIdProto.newBuilder().setVersion(17))
                        .addOpsetImport(OperatorSetIdProto.newBuilder()
                                .setDomain("ai.onnx.ml")
                                .setVersion(3))
                        .setGraph(graph.setName("g"))
                        .build()
                        .toByteArray());
        return file.toUri().toString();
    }

    /** {@code same = x} over elements of a type, a row of {@code [rows, inner…]} each. */
    static String identity(Path file, int type, String... shape) throws IOException {
        return write(
                file,
                GraphProto.newBuilder()
                        .addInput(port("x", type, shape))
                        .addOutput(port("same", type, shape))
                        .addNode(node("Identity", "same", "x")));
    }

    /** For each row how many rows its batch has. */
    public static String batchSize(Path file, String rows) throws IOException {
        return write(
                file,
                GraphProto.newBuilder()
                        .addInput(port("x", FLOAT, rows))
                        .addOutput(port("size", INT64, rows))
                        .addNode(node("Shape", "shape", "x"))
                        .addNode(node("Expand", "size", "shape", "shape")));
    }

    /** {@code byte}: x as a byte between 0 and the largest x of a run, 255. */
    static String dynamicBytes(Path file) throws IOException {
        NodeProto toLong = node("Cast", "byte", "q").toBuilder()
                .addAttribute(AttributeProto.newBuilder()
                        .setName("to")
                        .setType(AttributeProto.AttributeType.INT)
                        .setI(INT64))
                .build();
        return write(
                file,
                GraphProto.newBuilder()
                        .addInput(port("x", FLOAT, "rows"))
                        .addOutput(port("byte", INT64, "rows"))
                        .addNode(node("DynamicQuantizeLinear", "q", "x").toBuilder()
                                .addOutput("scale")
                                .addOutput("zero"))
                        .addNode(toLong));
    }

    /** A map of the classes {@code no} and {@code yes} to two scores. */
    static String zipMap(Path file) throws IOException {
        NodeProto zip = node("ZipMap", "map", "x").toBuilder()
                .setDomain("ai.onnx.ml")
                .addAttribute(AttributeProto.newBuilder()
                        .setName("classlabels_strings")
                        .setType(AttributeProto.AttributeType.STRINGS)
                        .addStrings(ByteString.copyFromUtf8("no"))
                        .addStrings(ByteString.copyFromUtf8("yes")))
                .build();
        TypeProto scores = TypeProto.newBuilder()
                .setTensorType(TypeProto.Tensor.newBuilder().setElemType(FLOAT))
                .build();
        TypeProto map = TypeProto.newBuilder()
                .setMapType(TypeProto.Map.newBuilder().setKeyType(STRING).setValueType(scores))
                .build();
        return write(
                file,
                GraphProto.newBuilder()
                        .addInput(port("x", FLOAT, "rows", "2"))
                        .addOutput(ValueInfoProto.newBuilder()
                                .setName("map")
                                .setType(TypeProto.newBuilder()
                                        .setSequenceType(
                                                TypeProto.Sequence.newBuilder().setElemType(map))))
                        .addNode(zip));
    }
}
