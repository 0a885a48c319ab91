package io.kindling.engine.gguf;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * What a GGUF file, or all parts of a model, say of the model; weights are not read.
 *
 * @param metadata values are Long (all integers), Double (all floats), Boolean, String or List, in file order
 * @param weights in file order
 */
public record GgufHeader(Map<String, Object> metadata, List<Weight> weights) {
    public GgufHeader {
        weights = List.copyOf(weights);
    }

    /**
     * @param type GGUF's name of the elements, such as Q4_K
     * @param shape slowest first, as ONNX and numpy have it
     * @param offset of the first byte in the file
     * @param bytes of all elements
     */
    public record Weight(Path file, String name, String type, List<Long> shape, long offset, long bytes) {}

    /**
     * @param file the only file, or any part
     * @throws io.kindling.engine.error.ModelException NOT_FOUND, IO, MODEL_INVALID or UNSUPPORTED, naming the part at fault
     */
    public static GgufHeader read(Path file) {
        GgufFile read = GgufParts.read(file);
        return new GgufHeader(
                read.metadata(),
                read.tensors().values().stream()
                        .map(tensor -> new Weight(
                                tensor.file(),
                                tensor.name(),
                                tensor.type().name(),
                                slowestFirst(tensor.dimensions()),
                                tensor.offset(),
                                tensor.byteSize()))
                        .toList());
    }

    private static List<Long> slowestFirst(List<Long> dimensions) {
        List<Long> shape = new ArrayList<>(dimensions);
        Collections.reverse(shape);
        return shape;
    }
}
