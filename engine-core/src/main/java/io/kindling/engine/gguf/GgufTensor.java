package io.kindling.engine.gguf;

import java.nio.file.Path;
import java.util.List;

/**
 * A tensor of a GGUF file.
 *
 * @param file the part of the model that holds it
 * @param dimensions fastest first, as the file has them: a weight of a linear layer is {@code [inputs, outputs]}
 * @param offset of the first byte in the file
 * @param byteSize all bytes; the reader has checked that they are in the file
 */
record GgufTensor(Path file, String name, GgufType type, List<Long> dimensions, long offset, long byteSize) {
    GgufTensor {
        dimensions = List.copyOf(dimensions);
    }

    /** Elements of a row, the fastest dimension. */
    long columns() {
        return dimensions.get(0);
    }

    /** Product of the other dimensions. */
    long rows() {
        return dimensions.stream().skip(1).reduce(1L, (a, b) -> a * b);
    }
}
