package io.kindling.engine.gguf;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Rows of one or several tensors of one type and width, one behind the other, each tensor's rows in an order of their own:
 * a weight as {@code [outputs, inputs]}.
 */
final class WeightRows {
    /**
     * Rows of a tensor.
     *
     * @param all rows that the tensor has
     * @param first row of the tensor that the part begins with
     * @param order the row, counted from there, that comes at a place
     */
    record Source(String tensor, int all, int first, int rows, IntUnaryOperator order) {
        static Source whole(String tensor, int rows) {
            return new Source(tensor, rows, 0, rows, IntUnaryOperator.identity());
        }
    }

    private record Part(String name, ByteBuffer bytes, int begin, int first, IntUnaryOperator order) {}

    private final GgufFile file;
    private final GgufType type;
    private final int columns;
    private final List<Part> parts = new ArrayList<>();
    private int rows;

    WeightRows(GgufFile file, GgufType type, int columns) {
        this.file = file;
        this.type = type;
        this.columns = columns;
    }

    static WeightRows of(GgufFile file, GgufTensor tensor) {
        return new WeightRows(file, tensor.type(), (int) tensor.columns())
                .add(tensor, Source.whole(tensor.name(), Math.toIntExact(tensor.rows())));
    }

    /** @param tensor the one that the source names */
    WeightRows add(GgufTensor tensor, Source source) {
        parts.add(new Part(tensor.name(), file.map(tensor), rows, source.first, source.order));
        rows += source.rows;
        return this;
    }

    GgufFile file() {
        return file;
    }

    GgufType type() {
        return type;
    }

    int rows() {
        return rows;
    }

    int columns() {
        return columns;
    }

    int blocks() {
        return columns / type.blockElements();
    }

    /** The bytes that hold a row; it starts at {@link #offset}. */
    ByteBuffer bytes(int row) {
        return part(row).bytes;
    }

    int offset(int row) {
        Part part = part(row);
        return (part.first + part.order.applyAsInt(row - part.begin)) * blocks() * type.blockBytes();
    }

    String name(int row) {
        return part(row).name;
    }

    private Part part(int row) {
        int index = parts.size() - 1;
        while (parts.get(index).begin > row) {
            index--;
        }
        return parts.get(index);
    }

    /**
     * Where llama files have the rows of a query or key weight: they pair the two halves of a head for interleaved RoPE, so
     * that output row {@code half * size/2 + i} of a head lies at {@code 2i + half}.
     */
    static IntUnaryOperator undoRopePairing(int headSize) {
        int half = headSize / 2;
        return row -> {
            int within = row % headSize;
            return row - within + 2 * (within % half) + within / half;
        };
    }
}
