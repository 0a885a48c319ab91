package io.kindling.engine.onnx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.ModelException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.onnx.proto.AttributeProto;
import io.kindling.engine.onnx.proto.GraphProto;
import io.kindling.engine.onnx.proto.ModelProto;
import io.kindling.engine.onnx.proto.NodeProto;
import io.kindling.engine.onnx.proto.OperatorSetIdProto;
import io.kindling.engine.onnx.proto.StringStringEntryProto;
import io.kindling.engine.onnx.proto.TensorProto;
import io.kindling.engine.onnx.proto.ValueInfoProto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OnnxLoaderTest {
    @TempDir
    Path folder;

    private static NodeProto node(String name, String input, String output) {
        return NodeProto.newBuilder()
                .setName(name)
                .setOpType("Relu")
                .addInput(input)
                .addOutput(output)
                .build();
    }

    private static GraphProto.Builder graph(NodeProto... nodes) {
        return GraphProto.newBuilder()
                .setName("g")
                .addInput(ValueInfoProto.newBuilder().setName("x"))
                .addOutput(ValueInfoProto.newBuilder().setName("y"))
                .addAllNode(Arrays.asList(nodes));
    }

    private static ModelProto.Builder model(GraphProto.Builder graph) {
        return ModelProto.newBuilder()
                .setIrVersion(8)
                .setGraph(graph)
                .addOpsetImport(
                        OperatorSetIdProto.newBuilder().setDomain("ai.onnx").setVersion(21));
    }

    private Path write(ModelProto.Builder model) throws IOException {
        return Files.write(folder.resolve("model.onnx"), model.build().toByteArray());
    }

    private void refuses(ModelProto.Builder model, ErrorCode code, String... parts) throws IOException {
        Path file = write(model);
        assertThatThrownBy(() -> OnnxLoader.load(file))
                .isInstanceOfSatisfying(
                        ModelException.class, fault -> assertThat(fault.code()).isEqualTo(code))
                .hasMessageContaining("model.onnx")
                .message()
                .contains(parts);
    }

    private static TensorProto.Builder external(String location, String offset, String length) {
        return TensorProto.newBuilder()
                .setName("w")
                .setDataType(1)
                .addDims(2)
                .setDataLocation(TensorProto.DataLocation.EXTERNAL)
                .addExternalData(
                        StringStringEntryProto.newBuilder().setKey("location").setValue(location))
                .addExternalData(
                        StringStringEntryProto.newBuilder().setKey("offset").setValue(offset))
                .addExternalData(
                        StringStringEntryProto.newBuilder().setKey("length").setValue(length));
    }

    @Test
    void putsNodesInOrderAndNormalisesTheDefaultDomain() throws IOException {
        OnnxModel model = OnnxLoader.load(write(model(graph(node("second", "a", "y"), node("first", "x", "a")))));
        assertThat(model.graph().nodes()).extracting(Node::name).containsExactly("first", "second");
        assertThat(model.opset("")).contains(21L);
    }

    @Test
    void givesUnnamedNodesNamesOfTheirOwn() throws IOException {
        OnnxModel model =
                OnnxLoader.load(write(model(graph(node("", "x", "a"), node("n", "a", "b"), node("n", "b", "y")))));
        assertThat(model.graph().nodes()).extracting(Node::name).containsExactly("Relu_0", "n", "n#2");
    }

    @Test
    void readsTypedDataOfNarrowTypes() throws IOException {
        GraphProto.Builder graph = graph(node("n", "x", "y"))
                .addInitializer(TensorProto.newBuilder()
                        .setName("h")
                        .setDataType(DataType.FLOAT16.code())
                        .addDims(2)
                        .addInt32Data(0x3C00)
                        .addInt32Data(0xC000))
                .addInitializer(TensorProto.newBuilder()
                        .setName("q")
                        .setDataType(DataType.INT4.code())
                        .addDims(3)
                        .addInt32Data(0x21)
                        .addInt32Data(0x0F));
        OnnxModel model = OnnxLoader.load(write(model(graph)));
        TensorData.Inline half =
                (TensorData.Inline) model.graph().initializers().get("h").content();
        assertThat(half.bytes().getShort(0)).isEqualTo((short) 0x3C00);
        assertThat(half.bytes().getShort(2)).isEqualTo((short) 0xC000);
        TensorData.Inline nibbles =
                (TensorData.Inline) model.graph().initializers().get("q").content();
        assertThat(nibbles.bytes().remaining()).isEqualTo(2);
        assertThat(nibbles.bytes().get(0)).isEqualTo((byte) 0x21);
    }

    @Test
    void refusesWhatIsNoModel() throws IOException {
        Path missing = folder.resolve("none.onnx");
        assertThatThrownBy(() -> OnnxLoader.load(missing)).hasMessageContaining("none.onnx: does not exist");
        Path empty = Files.write(folder.resolve("empty.onnx"), new byte[0]);
        assertThatThrownBy(() -> OnnxLoader.load(empty)).hasMessageContaining("is empty");
        byte[] whole = model(graph(node("n", "x", "y"))).build().toByteArray();
        Path cut = Files.write(folder.resolve("cut.onnx"), Arrays.copyOf(whole, whole.length - 7));
        assertThatThrownBy(() -> OnnxLoader.load(cut)).hasMessageContaining("cut off");
        Path page =
                Files.writeString(folder.resolve("page.onnx"), "\n<!DOCTYPE html>\n<html><title>404</title></html>");
        assertThatThrownBy(() -> OnnxLoader.load(page))
                .hasMessageContaining("a page that begins with '<!DOCTYPE html>'");
        Path pointer = Files.writeString(folder.resolve("lfs.onnx"), "version https://git-lfs.github.com/spec/v1\noid");
        assertThatThrownBy(() -> OnnxLoader.load(pointer)).hasMessageContaining("a pointer of Git LFS");
        refuses(ModelProto.newBuilder().setIrVersion(8), ErrorCode.MODEL_INVALID, "graph: is missing");
        refuses(
                model(graph(node("n", "x", "y"))).clearOpsetImport(),
                ErrorCode.MODEL_INVALID,
                "opset_import: is empty");
    }

    @Test
    void refusesUnsoundGraphs() throws IOException {
        refuses(model(graph(node("n", "z", "y"))), ErrorCode.MODEL_INVALID, "node 'n'", "reads value 'z'");
        refuses(
                model(graph(node("a", "q", "p"), node("b", "p", "q"), node("c", "x", "y"))),
                ErrorCode.MODEL_INVALID,
                "node 'a'",
                "cycle");
        refuses(
                model(graph(node("a", "x", "y"), node("b", "x", "y"))),
                ErrorCode.MODEL_INVALID,
                "node 'b'",
                "'y', which is defined already");
        refuses(model(graph()), ErrorCode.MODEL_INVALID, "output 'y'");
        NodeProto foreign =
                node("n", "x", "y").toBuilder().setDomain("com.acme").build();
        refuses(model(graph(foreign)), ErrorCode.MODEL_INVALID, "'com.acme'", "opset_import");
    }

    @Test
    void refusesTensorsWhoseSizeIsWrong() throws IOException {
        TensorProto.Builder tensor = TensorProto.newBuilder().setName("w").setDataType(1);
        refuses(
                model(graph(node("n", "x", "y"))
                        .addInitializer(tensor.clone().addDims(3).setRawData(ByteString.copyFrom(new byte[11])))),
                ErrorCode.MODEL_INVALID,
                "tensor 'w'",
                "11 bytes",
                "needs 12");
        refuses(
                model(graph(node("n", "x", "y")).addInitializer(tensor.clone().addDims(-3))),
                ErrorCode.MODEL_INVALID,
                "negative dimension");
        refuses(
                model(graph(node("n", "x", "y"))
                        .addInitializer(tensor.clone().addDims(1L << 40).addDims(1L << 40))),
                ErrorCode.MODEL_INVALID,
                "overflow");
        refuses(
                model(graph(node("n", "x", "y")).addInitializer(tensor.clone().setDataType(99))),
                ErrorCode.MODEL_INVALID,
                "data_type 99");
    }

    @Test
    void keepsExternalDataInsideTheFolder() throws IOException {
        Files.write(folder.resolve("model.onnx.data"), new byte[16]);
        Path secret = Files.write(Files.createDirectory(folder.resolve("other")).resolve("secret"), new byte[16]);
        Path home = Files.createDirectory(folder.resolve("home"));
        folder = home;
        Files.write(home.resolve("w.data"), new byte[16]);
        Files.createSymbolicLink(home.resolve("link.data"), secret);
        GraphProto.Builder graph = graph(node("n", "x", "y"));
        OnnxModel good = OnnxLoader.load(write(model(graph.clone().addInitializer(external("w.data", "8", "8")))));
        assertThat(good.graph().initializers().get("w").content())
                .isEqualTo(new TensorData.External(home.resolve("w.data").toRealPath(), 8, 8));
        String[][] bad = {
            {"../model.onnx.data", "0", "8", "parent-directory (`..`) traversal is not allowed"},
            {"/etc/passwd", "0", "8", "absolute paths are not allowed"},
            {"link.data", "0", "8", "leads out of the model's folder"},
            {"none.data", "0", "8", "does not exist beside the model"},
            {"w.data", "9", "8", "which has 16"},
            {"w.data", "-8", "8", "negative"},
            {"w.data", "x", "8", "is no number"},
            {"w.data", "0", "12", "external length is 12"}
        };
        for (String[] row : bad) {
            Path file = write(model(graph.clone().addInitializer(external(row[0], row[1], row[2]))));
            assertThatThrownBy(() -> OnnxLoader.load(file))
                    .isInstanceOf(ModelException.class)
                    .hasMessageContaining("tensor 'w'")
                    .hasMessageContaining(row[3]);
        }
    }

    @Test
    void followsTheLinksOfAHuggingFaceCache() throws IOException {
        Path blobs = Files.createDirectory(folder.resolve("blobs"));
        Path snapshot = Files.createDirectories(folder.resolve("snapshots/abc"));
        Files.write(
                blobs.resolve("1"),
                model(graph(node("n", "x", "y")).addInitializer(external("w.data", "0", "8")))
                        .build()
                        .toByteArray());
        Files.write(blobs.resolve("2"), new byte[8]);
        Files.createSymbolicLink(snapshot.resolve("model.onnx"), blobs.resolve("1"));
        Files.createSymbolicLink(snapshot.resolve("w.data"), blobs.resolve("2"));
        OnnxModel model = OnnxLoader.load(snapshot.resolve("model.onnx"));
        assertThat(model.graph().initializers()).containsKey("w");
    }

    @Test
    void largeInlineWeightsStayInTheMappedFile() throws IOException {
        GraphProto.Builder graph = graph(node("n", "x", "y"))
                .addInitializer(TensorProto.newBuilder()
                        .setName("w")
                        .setDataType(DataType.UINT8.code())
                        .addDims(1 << 20)
                        .setRawData(ByteString.copyFrom(new byte[1 << 20])));
        OnnxModel model = OnnxLoader.load(write(model(graph)));
        TensorData.Inline weights =
                (TensorData.Inline) model.graph().initializers().get("w").content();
        // A copy would be writable.
        assertThat(weights.bytes().isDirect()).isTrue();
        assertThat(weights.bytes().isReadOnly()).isTrue();
    }

    @Test
    void refusesAReferenceToAnAttributeOutsideOfFunctions() throws IOException {
        NodeProto referring = node("n", "x", "y").toBuilder()
                .addAttribute(AttributeProto.newBuilder().setName("alpha").setRefAttrName("beta"))
                .build();
        refuses(model(graph(referring)), ErrorCode.MODEL_INVALID, "node 'n'", "in no function");
    }
}
