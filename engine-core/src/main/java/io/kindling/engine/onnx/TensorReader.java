package io.kindling.engine.onnx;

import com.google.protobuf.ByteString;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.ModelException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.onnx.proto.StringStringEntryProto;
import io.kindling.engine.onnx.proto.TensorProto;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads {@code TensorProto}: every element type, in raw, typed and external form, with sizes checked. */
final class TensorReader {
    private final String source;
    private final ExternalFiles externalFiles;
    private final LoadLimits limits;

    /** @param externalFiles null where external data is not allowed, as in test data */
    TensorReader(String source, ExternalFiles externalFiles, LoadLimits limits) {
        this.source = source;
        this.externalFiles = externalFiles;
        this.limits = limits;
    }

    TensorData read(TensorProto proto) {
        String name = proto.getName();
        DataType type = DataType.ofCode(proto.getDataType())
                .orElseThrow(() -> invalid(name, "data_type " + proto.getDataType() + " is not an ONNX element type"));
        long[] shape = proto.getDimsList().stream().mapToLong(Long::longValue).toArray();
        long elements = elementCount(name, shape);
        if (proto.hasSegment()) {
            throw invalid(name, "has a segment, which no writer uses and this reader refuses");
        }
        if (proto.getDataLocation() == TensorProto.DataLocation.EXTERNAL) {
            return new TensorData(type, shape, external(proto, type, elements));
        }
        if (type == DataType.STRING) {
            requireCount(name, "string_data", proto.getStringDataCount(), elements);
            List<String> strings = proto.getStringDataList().stream()
                    .map(bytes -> bytes.toString(StandardCharsets.UTF_8))
                    .toList();
            return new TensorData(type, shape, new TensorData.Strings(strings));
        }
        long size = byteSize(name, type, elements);
        if (proto.hasRawData()) {
            ByteString raw = proto.getRawData();
            if (raw.size() != size) {
                throw invalid(
                        name,
                        "raw_data has " + raw.size() + " bytes, " + type.onnxName() + java.util.Arrays.toString(shape)
                                + " needs " + size);
            }
            return new TensorData(type, shape, new TensorData.Inline(direct(raw)));
        }
        return new TensorData(type, shape, new TensorData.Inline(typed(proto, type, elements, size)));
    }

    private static ByteBuffer direct(ByteString raw) {
        ByteBuffer view = raw.asReadOnlyByteBuffer();
        if (!view.isDirect()) {
            ByteBuffer copy = ByteBuffer.allocateDirect(raw.size());
            copy.put(view).flip();
            view = copy;
        }
        return view.order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Entries are counted before memory is spent: a shape is only a claim. */
    private ByteBuffer typed(TensorProto proto, DataType type, long elements, long size) {
        String name = proto.getName();
        switch (type) {
            case FLOAT, COMPLEX64 ->
                requireCount(
                        name,
                        "float_data",
                        proto.getFloatDataCount(),
                        type == DataType.FLOAT ? elements : 2 * elements);
            case DOUBLE, COMPLEX128 ->
                requireCount(
                        name,
                        "double_data",
                        proto.getDoubleDataCount(),
                        type == DataType.DOUBLE ? elements : 2 * elements);
            case INT64 -> requireCount(name, "int64_data", proto.getInt64DataCount(), elements);
            case UINT64, UINT32 -> requireCount(name, "uint64_data", proto.getUint64DataCount(), elements);
            case INT32 -> requireCount(name, "int32_data", proto.getInt32DataCount(), elements);
            default -> requireCount(name, "int32_data", proto.getInt32DataCount(), type.bits() == 16 ? elements : size);
        }
        ByteBuffer bytes = ByteBuffer.allocateDirect(Math.toIntExact(size)).order(ByteOrder.LITTLE_ENDIAN);
        switch (type) {
            case FLOAT, COMPLEX64 -> proto.getFloatDataList().forEach(bytes::putFloat);
            case DOUBLE, COMPLEX128 -> proto.getDoubleDataList().forEach(bytes::putDouble);
            case INT64 -> proto.getInt64DataList().forEach(bytes::putLong);
            case UINT64 -> proto.getUint64DataList().forEach(bytes::putLong);
            case UINT32 -> proto.getUint64DataList().forEach(value -> bytes.putInt(value.intValue()));
            case INT32 -> proto.getInt32DataList().forEach(bytes::putInt);
            default -> {
                if (type.bits() == 16) {
                    proto.getInt32DataList().forEach(value -> bytes.putShort(value.shortValue()));
                } else {
                    proto.getInt32DataList().forEach(value -> bytes.put(value.byteValue()));
                }
            }
        }
        return bytes.flip();
    }

    private TensorData.External external(TensorProto proto, DataType type, long elements) {
        String name = proto.getName();
        if (type == DataType.STRING) {
            throw invalid(name, "is a string tensor with external data, which ONNX does not allow");
        }
        if (externalFiles == null) {
            throw invalid(name, "has external data, which is not allowed here");
        }
        Map<String, String> entries = new HashMap<>();
        for (StringStringEntryProto entry : proto.getExternalDataList()) {
            entries.put(entry.getKey(), entry.getValue());
        }
        Path file = externalFiles.resolve(source, name, entries.getOrDefault("location", ""));
        long size = byteSize(name, type, elements);
        long offset = number(name, "offset", entries.get("offset"), 0);
        long length = number(name, "length", entries.get("length"), size);
        if (length != size) {
            throw invalid(name, "external length is " + length + " bytes, its type and shape need " + size);
        }
        long available;
        try {
            available = Files.size(file);
        } catch (IOException fault) {
            throw new ModelException(
                    ErrorCode.IO, source, element(name), "external data cannot be read: " + fault, fault);
        }
        if (offset > available || length > available - offset) {
            throw invalid(
                    name,
                    "external data needs bytes " + offset + " to " + (offset + length) + " of " + file.getFileName()
                            + ", which has " + available + "; the file may be cut off");
        }
        return new TensorData.External(file, offset, length);
    }

    private long number(String name, String key, String text, long absent) {
        if (text == null) {
            return absent;
        }
        try {
            long value = Long.parseLong(text.trim());
            if (value >= 0) {
                return value;
            }
        } catch (NumberFormatException notANumber) {
            throw new ModelException(
                    ErrorCode.MODEL_INVALID,
                    source,
                    element(name),
                    "external " + key + " '" + text + "' is no number",
                    notANumber);
        }
        throw invalid(name, "external " + key + " " + text + " is negative");
    }

    long elementCount(String name, long[] shape) {
        long count = 1;
        for (long dimension : shape) {
            if (dimension < 0) {
                throw invalid(name, "has a negative dimension: " + java.util.Arrays.toString(shape));
            }
        }
        try {
            for (long dimension : shape) {
                count = Math.multiplyExact(count, dimension);
            }
        } catch (ArithmeticException overflow) {
            throw new ModelException(
                    ErrorCode.MODEL_INVALID,
                    source,
                    element(name),
                    "dimensions overflow: " + java.util.Arrays.toString(shape),
                    overflow);
        }
        return count;
    }

    long byteSize(String name, DataType type, long elements) {
        long size;
        try {
            size = type.byteSize(elements);
        } catch (ArithmeticException overflow) {
            size = Long.MAX_VALUE;
        }
        if (size > limits.tensorBytes()) {
            throw invalid(
                    name, "has " + elements + " elements, more than the limit of " + limits.tensorBytes() + " bytes");
        }
        return size;
    }

    private void requireCount(String name, String field, long found, long expected) {
        if (found != expected) {
            throw invalid(name, field + " has " + found + " entries, its type and shape need " + expected);
        }
    }

    private ModelException invalid(String name, String problem) {
        return new ModelException(ErrorCode.MODEL_INVALID, source, element(name), problem);
    }

    private static String element(String name) {
        return "tensor '" + name + "'";
    }
}
