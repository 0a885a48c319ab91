package io.kindling.engine.gguf;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.ModelException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the header of GGUF files, versions 2 and 3, little-endian
 * (<a href="https://github.com/ggml-org/ggml/blob/master/docs/gguf.md">format</a>). Whatever a file claims is checked
 * against its size before memory is spent on it.
 */
final class GgufReader {
    private static final int MAGIC = 0x46554747;
    private static final long MAX_ENTRIES = 1 << 20;
    private static final int MAX_NAME_BYTES = 1 << 16;
    private static final int MAX_TEXT_BYTES = 1 << 26;
    private static final int MAX_ARRAY_DEPTH = 4;
    private static final int MAX_DIMENSIONS = 4;
    private static final int MAX_ALIGNMENT = 1 << 20;

    private static final int TYPE_STRING = 8;
    private static final int TYPE_ARRAY = 9;

    private final Path path;
    private final long fileSize;
    private final GgufCursor cursor;

    private GgufReader(Path path, long fileSize, GgufCursor cursor) {
        this.path = path;
        this.fileSize = fileSize;
        this.cursor = cursor;
    }

    /** @throws ModelException NOT_FOUND, IO, MODEL_INVALID or UNSUPPORTED, naming the file, the field and its offset */
    static GgufFile read(Path path) {
        if (!Files.isRegularFile(path)) {
            throw new ModelException(
                    ErrorCode.NOT_FOUND, path.toString(), "", Files.exists(path) ? "is not a file" : "does not exist");
        }
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            long size = channel.size();
            if (size == 0) {
                throw new ModelException(ErrorCode.MODEL_INVALID, path.toString(), "", "is empty; copy it again");
            }
            ByteBuffer header = channel.map(FileChannel.MapMode.READ_ONLY, 0, Math.min(size, Integer.MAX_VALUE));
            GgufCursor cursor = new GgufCursor(path.toString(), header.order(ByteOrder.LITTLE_ENDIAN));
            return new GgufReader(path, size, cursor).read();
        } catch (IOException fault) {
            throw new ModelException(ErrorCode.IO, path.toString(), "", "cannot be read: " + fault, fault);
        }
    }

    private GgufFile read() {
        if (cursor.int32("magic") != MAGIC) {
            throw cursor.invalid(0, "magic", "is not GGUF; the file is of another format");
        }
        int version = cursor.int32("version");
        if (version != 2 && version != 3) {
            String detail = Integer.reverseBytes(version) == 3 ? "big-endian files are not read" : "expected 2 or 3";
            throw new ModelException(
                    ErrorCode.UNSUPPORTED,
                    path.toString(),
                    "version at offset 4",
                    "is " + Integer.toUnsignedString(version) + "; " + detail);
        }
        long tensorCount = cursor.uint64("tensor_count", MAX_ENTRIES);
        long metadataCount = cursor.uint64("metadata_kv_count", MAX_ENTRIES);
        Map<String, Object> metadata = new LinkedHashMap<>();
        for (long i = 0; i < metadataCount; i++) {
            int at = cursor.position();
            String key = cursor.string("metadata key " + i, MAX_NAME_BYTES);
            Object value = value(cursor.int32("type of " + key), key, 0);
            if (metadata.put(key, value) != null) {
                throw cursor.invalid(at, "metadata key '" + key + "'", "is there twice");
            }
        }
        int alignment = alignment(metadata);
        Map<String, GgufTensor> relative = new LinkedHashMap<>();
        for (long i = 0; i < tensorCount; i++) {
            int at = cursor.position();
            GgufTensor tensor = tensor(i, alignment);
            if (relative.put(tensor.name(), tensor) != null) {
                throw cursor.invalid(at, "tensor '" + tensor.name() + "'", "is there twice");
            }
        }
        refuseOverlaps(relative.values());
        long dataStart = (cursor.position() + (long) alignment - 1) / alignment * alignment;
        Map<String, GgufTensor> tensors = new LinkedHashMap<>();
        for (GgufTensor tensor : relative.values()) {
            tensors.put(tensor.name(), placed(tensor, dataStart));
        }
        return new GgufFile(path, metadata, tensors);
    }

    private Object value(int type, String key, int depth) {
        return switch (type) {
            case 0 -> (long) Byte.toUnsignedInt(cursor.int8(key));
            case 1 -> (long) cursor.int8(key);
            case 2 -> (long) Short.toUnsignedInt(cursor.int16(key));
            case 3 -> (long) cursor.int16(key);
            case 4 -> cursor.uint32(key);
            case 5 -> (long) cursor.int32(key);
            case 6 -> (double) cursor.float32(key);
            case 7 -> cursor.bool(key);
            case TYPE_STRING -> cursor.string(key, MAX_TEXT_BYTES);
            case TYPE_ARRAY -> array(key, depth);
            case 10 -> cursor.uint64(key, Long.MAX_VALUE);
            case 11 -> cursor.int64(key);
            case 12 -> cursor.float64(key);
            default ->
                throw cursor.invalid(
                        cursor.position() - 4L,
                        "type of " + key,
                        "is " + type + ", expected 0 to 12; the file is damaged");
        };
    }

    private List<Object> array(String key, int depth) {
        int at = cursor.position();
        if (depth == MAX_ARRAY_DEPTH) {
            throw cursor.invalid(at, key, "nests arrays more than " + MAX_ARRAY_DEPTH + " deep");
        }
        int type = cursor.int32("element type of " + key);
        // Every element takes a byte at least, so that no count can exceed what is left of the file.
        long count = cursor.uint64("length of " + key, cursor.remaining());
        List<Object> values = new ArrayList<>((int) Math.min(count, 1 << 16));
        for (long i = 0; i < count; i++) {
            values.add(value(type, key, depth + 1));
        }
        return values;
    }

    private int alignment(Map<String, Object> metadata) {
        Object value = metadata.getOrDefault("general.alignment", 32L);
        if (value instanceof Long number && number >= 1 && number <= MAX_ALIGNMENT && Long.bitCount(number) == 1) {
            return number.intValue();
        }
        throw new ModelException(
                ErrorCode.MODEL_INVALID,
                path.toString(),
                "metadata general.alignment",
                "is " + value + ", expected a power of two up to " + MAX_ALIGNMENT);
    }

    /** A tensor whose offset still counts from the start of the data. */
    private GgufTensor tensor(long index, int alignment) {
        String name = cursor.string("name of tensor " + index, MAX_NAME_BYTES);
        String element = "tensor '" + name + "' ";
        int at = cursor.position();
        long rank = cursor.uint32(element + "dimension count");
        if (rank < 1 || rank > MAX_DIMENSIONS) {
            throw cursor.invalid(at, element + "dimension count", "is " + rank + ", expected 1 to " + MAX_DIMENSIONS);
        }
        List<Long> dimensions = new ArrayList<>();
        long elements = 1;
        for (int i = 0; i < rank; i++) {
            at = cursor.position();
            long dimension = cursor.uint64(element + "dimension " + i, Long.MAX_VALUE);
            // No element is smaller than a quarter of a byte.
            if (dimension == 0 || dimension > 4 * fileSize / elements) {
                throw cursor.invalid(
                        at,
                        element + "dimension " + i,
                        "is " + dimension + ", which is zero or more than the file holds");
            }
            dimensions.add(dimension);
            elements *= dimension;
        }
        at = cursor.position();
        int code = cursor.int32(element + "type");
        int typeAt = at;
        GgufType type = GgufType.ofCode(code)
                .orElseThrow(() -> new ModelException(
                        ErrorCode.UNSUPPORTED,
                        path.toString(),
                        element + "type at offset " + typeAt,
                        "is " + Integer.toUnsignedString(code) + ", which this converter does not know"));
        if (dimensions.get(0) % type.blockElements() != 0) {
            throw cursor.invalid(
                    at,
                    element + "dimension 0",
                    "is " + dimensions.get(0) + ", no multiple of the " + type.blockElements() + " elements of a "
                            + type + " block");
        }
        at = cursor.position();
        long offset = cursor.uint64(element + "offset", Long.MAX_VALUE);
        if (offset % alignment != 0) {
            throw cursor.invalid(
                    at, element + "offset", "is " + offset + ", no multiple of the alignment " + alignment);
        }
        return new GgufTensor(
                path, name, type, dimensions, offset, elements / type.blockElements() * type.blockBytes());
    }

    private void refuseOverlaps(Collection<GgufTensor> tensors) {
        List<GgufTensor> inOrder = tensors.stream()
                .sorted(Comparator.comparingLong(GgufTensor::offset))
                .toList();
        for (int k = 1; k < inOrder.size(); k++) {
            GgufTensor before = inOrder.get(k - 1);
            GgufTensor tensor = inOrder.get(k);
            if (tensor.offset() - before.offset() < before.byteSize()) {
                throw new ModelException(
                        ErrorCode.MODEL_INVALID,
                        path.toString(),
                        "tensor '" + tensor.name() + "'",
                        "begins at offset " + tensor.offset() + " of the data, inside tensor '" + before.name() + "' ("
                                + before.byteSize() + " bytes at offset " + before.offset() + ")");
            }
        }
    }

    private GgufTensor placed(GgufTensor tensor, long dataStart) {
        long available = Math.max(fileSize - dataStart, 0);
        if (tensor.offset() > available || tensor.byteSize() > available - tensor.offset()) {
            throw new ModelException(
                    ErrorCode.MODEL_INVALID,
                    path.toString(),
                    "tensor '" + tensor.name() + "'",
                    "needs " + tensor.byteSize() + " bytes at offset " + tensor.offset() + " of the data, which has "
                            + available + " bytes; the file is cut off");
        }
        return new GgufTensor(
                path,
                tensor.name(),
                tensor.type(),
                tensor.dimensions(),
                dataStart + tensor.offset(),
                tensor.byteSize());
    }
}
