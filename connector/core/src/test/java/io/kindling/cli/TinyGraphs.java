package io.kindling.cli;

import io.kindling.engine.onnx.proto.GraphProto;
import io.kindling.engine.onnx.proto.ModelProto;
import io.kindling.engine.onnx.proto.NodeProto;
import io.kindling.engine.onnx.proto.OperatorSetIdProto;
import io.kindling.engine.onnx.proto.TensorProto;
import io.kindling.engine.onnx.proto.TensorShapeProto;
import io.kindling.engine.onnx.proto.TypeProto;
import io.kindling.engine.onnx.proto.ValueInfoProto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** ONNX files for tests, written with the protobuf messages. */
final class TinyGraphs {
    private TinyGraphs() {}

    /** {@code y = op(x, c)} over float vectors of any length, {@code c} a constant scalar. */
    static void writeBinary(Path file, String op, float constant) throws IOException {
        GraphProto graph = GraphProto.newBuilder()
                .setName("tiny")
                .addInput(vector("x"))
                .addOutput(vector("y"))
                .addInitializer(
                        TensorProto.newBuilder().setName("c").setDataType(1).addFloatData(constant))
                .addNode(NodeProto.newBuilder()
                        .setOpType(op)
                        .addInput("x")
                        .addInput("c")
                        .addOutput("y"))
                .build();
        ModelProto model = ModelProto.newBuilder()
                .setIrVersion(8)
                .addOpsetImport(OperatorSetIdProto.newBuilder().setVersion(17))
                .setGraph(graph)
                .build();
        Files.createDirectories(file.getParent());
        Files.write(file, model.toByteArray());
    }

    private static ValueInfoProto vector(String name) {
        TensorShapeProto shape = TensorShapeProto.newBuilder()
                .addDim(TensorShapeProto.Dimension.newBuilder().setDimParam("n"))
                .build();
        return ValueInfoProto.newBuilder()
                .setName(name)
                .setType(TypeProto.newBuilder()
                        .setTensorType(
                                TypeProto.Tensor.newBuilder().setElemType(1).setShape(shape)))
                .build();
    }

    static void writeFloats(Path file, float... values) throws IOException {
        TensorProto.Builder tensor = TensorProto.newBuilder().setDataType(1).addDims(values.length);
        for (float value : values) {
            tensor.addFloatData(value);
        }
        Files.createDirectories(file.getParent());
        Files.write(file, tensor.build().toByteArray());
    }
}
