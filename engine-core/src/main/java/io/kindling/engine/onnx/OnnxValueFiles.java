package io.kindling.engine.onnx;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.ModelException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.onnx.proto.OptionalProto;
import io.kindling.engine.onnx.proto.SequenceProto;
import io.kindling.engine.onnx.proto.TensorProto;
import io.kindling.engine.provider.HostBuffer;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Values in files: {@code TensorProto}, {@code SequenceProto} and {@code OptionalProto}, as ONNX's test data has them. */
public final class OnnxValueFiles {
    private static final int OPTIONAL_TENSOR = 1;
    private static final int OPTIONAL_SEQUENCE = 3;
    private static final int SEQUENCE_TENSOR = 1;
    private static final int SEQUENCE_SEQUENCE = 3;
    private static final int NESTING = 100;

    private OnnxValueFiles() {}

    /**
     * Reads a value; what message the file holds is told by the port's type (a tensor where it is unknown).
     *
     * @throws ModelException naming the file
     */
    public static Value read(Path file, ValueType type) {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (IOException fault) {
            throw new ModelException(ErrorCode.NOT_FOUND, file.toString(), "", "cannot be read: " + fault, fault);
        }
        String source = file.toString();
        TensorReader reader = new TensorReader(source, null, LoadLimits.defaults());
        if (type instanceof ValueType.SequenceType) {
            return sequence(parse(SequenceProto.parser(), bytes, source), reader, source);
        }
        if (type instanceof ValueType.OptionalType) {
            return optional(parse(OptionalProto.parser(), bytes, source), reader, source);
        }
        return tensor(reader.read(parse(TensorProto.parser(), bytes, source)));
    }

    /** Writes a value of host memory as the message of its kind. */
    public static void write(Value value, String name, Path file) {
        MessageLite message;
        if (value instanceof Tensor tensor) {
            message = tensorProto(tensor, name);
        } else if (value instanceof Value.Sequence sequence) {
            message = sequenceProto(sequence, name);
        } else if (value instanceof Value.Opt optional) {
            message = optionalProto(optional, name);
        } else {
            throw maps(name);
        }
        try {
            Files.write(file, message.toByteArray());
        } catch (IOException fault) {
            throw new ModelException(ErrorCode.IO, file.toString(), "", "cannot be written: " + fault, fault);
        }
    }

    private static <T> T parse(Parser<T> parser, byte[] bytes, String source) {
        try {
            CodedInputStream input = CodedInputStream.newInstance(bytes);
            input.setRecursionLimit(NESTING);
            return parser.parseFrom(input);
        } catch (InvalidProtocolBufferException fault) {
            throw new ModelException(
                    ErrorCode.MODEL_INVALID, source, "", "is no ONNX value: " + fault.getMessage(), fault);
        }
    }

    private static Tensor tensor(TensorData data) {
        if (data.content() instanceof TensorData.Strings strings) {
            return Tensor.ofStrings(data.shape(), strings.values().toArray(String[]::new));
        }
        ByteBuffer bytes = ((TensorData.Inline) data.content()).bytes();
        ByteBuffer copy = ByteBuffer.allocateDirect(bytes.remaining());
        copy.put(bytes.duplicate()).flip();
        return Tensor.of(data.type(), data.shape(), HostBuffer.of(copy, 0));
    }

    private static Value.Sequence sequence(SequenceProto proto, TensorReader reader, String source) {
        if (proto.getSparseTensorValuesCount() > 0 || proto.getOptionalValuesCount() > 0) {
            throw new ModelException(
                    ErrorCode.UNSUPPORTED, source, "", "holds a sequence of sparse tensors or optionals");
        }
        List<Value> elements = new ArrayList<>();
        proto.getTensorValuesList().forEach(element -> elements.add(tensor(reader.read(element))));
        proto.getSequenceValuesList().forEach(element -> elements.add(sequence(element, reader, source)));
        return new Value.Sequence(elements);
    }

    private static Value.Opt optional(OptionalProto proto, TensorReader reader, String source) {
        return switch (proto.getElemType()) {
            case 0 -> new Value.Opt(Optional.empty());
            case OPTIONAL_TENSOR -> new Value.Opt(Optional.of(tensor(reader.read(proto.getTensorValue()))));
            case OPTIONAL_SEQUENCE -> new Value.Opt(Optional.of(sequence(proto.getSequenceValue(), reader, source)));
            default ->
                throw new ModelException(
                        ErrorCode.UNSUPPORTED, source, "", "holds an optional of kind " + proto.getElemType());
        };
    }

    private static TensorProto tensorProto(Tensor tensor, String name) {
        TensorProto.Builder proto =
                TensorProto.newBuilder().setName(name).setDataType(tensor.type().code());
        Arrays.stream(tensor.shape()).forEach(proto::addDims);
        if (tensor.type() == DataType.STRING) {
            Arrays.stream(tensor.strings()).forEach(text -> proto.addStringData(ByteString.copyFromUtf8(text)));
        } else {
            ByteBuffer bytes = tensor.bytes().duplicate();
            bytes.position(0).limit(Math.toIntExact(tensor.byteSize()));
            proto.setRawData(ByteString.copyFrom(bytes));
        }
        return proto.build();
    }

    private static SequenceProto sequenceProto(Value.Sequence sequence, String name) {
        SequenceProto.Builder proto = SequenceProto.newBuilder().setName(name).setElemType(SEQUENCE_TENSOR);
        for (Value element : sequence.elements()) {
            if (element instanceof Tensor tensor) {
                proto.addTensorValues(tensorProto(tensor, ""));
            } else if (element instanceof Value.Sequence inner) {
                proto.setElemType(SEQUENCE_SEQUENCE).addSequenceValues(sequenceProto(inner, ""));
            } else if (element instanceof Value.Map) {
                throw maps(name);
            } else {
                throw new IllegalArgumentException("a sequence of optionals cannot be written");
            }
        }
        return proto.build();
    }

    private static ModelException maps(String name) {
        return new ModelException(
                ErrorCode.UNSUPPORTED,
                "",
                "output '" + name + "'",
                "is a map, which cannot be written to a file; export the model without ZipMap (zipmap=False in skl2onnx)");
    }

    private static OptionalProto optionalProto(Value.Opt optional, String name) {
        OptionalProto.Builder proto = OptionalProto.newBuilder().setName(name);
        optional.content().ifPresent(content -> {
            if (content instanceof Tensor tensor) {
                proto.setElemType(OPTIONAL_TENSOR).setTensorValue(tensorProto(tensor, ""));
            } else if (content instanceof Value.Sequence sequence) {
                proto.setElemType(OPTIONAL_SEQUENCE).setSequenceValue(sequenceProto(sequence, ""));
            } else {
                throw new IllegalArgumentException("an optional of an optional cannot be written");
            }
        });
        return proto.build();
    }
}
