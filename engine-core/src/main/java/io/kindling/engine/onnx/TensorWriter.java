package io.kindling.engine.onnx;

import com.google.protobuf.ByteString;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.onnx.proto.StringStringEntryProto;
import io.kindling.engine.onnx.proto.TensorProto;
import java.io.IOException;
import java.util.Arrays;

/** Tensors to messages: small ones inline, large ones into the data file. */
final class TensorWriter {
    private static final int INLINE_BYTES = 1024;

    private final ExternalDataFile data;
    private final String dataName;

    /** @param dataName by which the model file refers to the data file */
    TensorWriter(ExternalDataFile data, String dataName) {
        this.data = data;
        this.dataName = dataName;
    }

    /** @param attribute attributes stay inline: nobody expects them elsewhere */
    TensorProto write(String name, TensorData tensor, boolean attribute) throws IOException {
        TensorProto.Builder proto =
                TensorProto.newBuilder().setName(name).setDataType(tensor.type().code());
        Arrays.stream(tensor.shape()).forEach(proto::addDims);
        if (tensor.content() instanceof TensorData.Strings strings) {
            strings.values().forEach(value -> proto.addStringData(ByteString.copyFromUtf8(value)));
        } else if (tensor.content() instanceof TensorData.Inline inline
                && (attribute || tensor.byteSize() <= INLINE_BYTES)) {
            proto.setRawData(ByteString.copyFrom(inline.bytes().duplicate()));
        } else if (tensor.content() instanceof TensorData.External external && data.holds(external)) {
            refer(proto, external);
        } else {
            refer(proto, (TensorData.External) data.append(tensor).content());
        }
        return proto.build();
    }

    private void refer(TensorProto.Builder proto, TensorData.External external) {
        proto.setDataLocation(TensorProto.DataLocation.EXTERNAL)
                .addExternalData(entry("location", dataName))
                .addExternalData(entry("offset", Long.toString(external.offset())))
                .addExternalData(entry("length", Long.toString(external.length())));
    }

    private static StringStringEntryProto.Builder entry(String key, String value) {
        return StringStringEntryProto.newBuilder().setKey(key).setValue(value);
    }
}
