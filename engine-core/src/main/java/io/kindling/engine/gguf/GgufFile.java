package io.kindling.engine.gguf;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.ModelException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;

/**
 * The header of a GGUF file, or of all parts of a model: metadata and tensors by name, in file order.
 *
 * @param path the file, or the first part
 * @param metadata values are Long (all integers), Double (all floats), Boolean, String or List
 */
record GgufFile(Path path, Map<String, Object> metadata, Map<String, GgufTensor> tensors) {
    GgufFile {
        metadata = Collections.unmodifiableMap(metadata);
        tensors = Collections.unmodifiableMap(tensors);
    }

    /** The metadata value of a key, which has to be of the type asked for when it is there. */
    <T> Optional<T> find(String key, Class<T> type) {
        Object value = metadata.get(key);
        if (value == null) {
            return Optional.empty();
        }
        if (!type.isInstance(value)) {
            throw invalid(
                    "metadata " + key,
                    "is a " + value.getClass().getSimpleName() + " (" + abbreviated(value) + "), expected a "
                            + type.getSimpleName());
        }
        return Optional.of(type.cast(value));
    }

    <T> T require(String key, Class<T> type) {
        return find(key, type).orElseThrow(() -> invalid("metadata " + key, "is missing"));
    }

    GgufTensor tensor(String name) {
        GgufTensor tensor = tensors.get(name);
        if (tensor == null) {
            throw invalid("tensor '" + name + "'", "is missing");
        }
        return tensor;
    }

    /** All bytes of a tensor, mapped, little-endian. */
    ByteBuffer map(GgufTensor tensor) {
        if (tensor.byteSize() > Integer.MAX_VALUE) {
            throw unsupported(
                    "tensor '" + tensor.name() + "'",
                    "has " + tensor.byteSize() + " bytes; tensors of 2 GiB and more are not converted");
        }
        try (FileChannel channel = FileChannel.open(tensor.file(), StandardOpenOption.READ)) {
            return channel.map(FileChannel.MapMode.READ_ONLY, tensor.offset(), tensor.byteSize())
                    .order(ByteOrder.LITTLE_ENDIAN);
        } catch (IOException fault) {
            throw new ModelException(ErrorCode.IO, tensor.file().toString(), "", "cannot be read: " + fault, fault);
        }
    }

    ModelException invalid(String element, String problem) {
        return new ModelException(ErrorCode.MODEL_INVALID, path.toString(), element, problem);
    }

    ModelException unsupported(String element, String problem) {
        return new ModelException(ErrorCode.UNSUPPORTED, path.toString(), element, problem);
    }

    static String abbreviated(Object value) {
        String text = value.toString();
        return text.length() <= 40 ? text : text.substring(0, 40) + "…";
    }
}
