package io.kindling.spark.convert;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType.TensorType;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Row;
import scala.collection.JavaConverters;
import scala.collection.Seq;

/**
 * Makes the tensors of an input port of a column's values: numbers, booleans, strings, arrays of them, arrays of arrays, raw
 * little-endian elements as BINARY, or a struct of such {@code data} and its {@code shape}. What does not fit is a
 * SHAPE_OR_TYPE fault of the row.
 */
public final class ColumnTensors {
    private final String port;
    private final DataType type;
    private final Optional<List<Dimension>> shape;

    private ColumnTensors(String port, DataType type, Optional<List<Dimension>> shape) {
        this.port = port;
        this.type = type;
        this.shape = shape;
    }

    /**
     * @param axis whether the port's first axis is for rows, which a row's value then lacks
     * @throws KindlingException UNSUPPORTED for a port that no column can feed
     */
    public static ColumnTensors of(ValueInfo port, RowAxis axis) {
        if (!(port.type() instanceof TensorType tensor) || tensor.elementType().isEmpty()) {
            throw new KindlingException(
                    ErrorCode.UNSUPPORTED,
                    "input '" + port.name() + "' is " + port.type().text()
                            + ", which no column can feed; only tensors are fed");
        }
        OutputTypes.element(port.name(), tensor.elementType().get());
        int first = axis == RowAxis.NONE ? 0 : 1;
        return new ColumnTensors(
                port.name(),
                tensor.elementType().get(),
                tensor.shape().map(whole -> whole.subList(first, whole.size())));
    }

    /** @param value not null */
    public RowTensor of(Object value) {
        if (value instanceof byte[] data) {
            return raw(data, Optional.empty());
        }
        if (value instanceof Row struct) {
            List<Long> given = struct.getList(struct.fieldIndex("shape"));
            if (given == null || given.contains(null)) {
                throw wrong("its shape is " + given);
            }
            return raw(
                    struct.getAs("data"),
                    Optional.of(given.stream().mapToLong(Long::longValue).toArray()));
        }
        List<Long> measured = new ArrayList<>();
        for (Object inner = value; inner instanceof Seq<?> list; inner = list.isEmpty() ? null : list.apply(0)) {
            measured.add((long) list.size());
        }
        long[] sizes = measured.stream().mapToLong(Long::longValue).toArray();
        List<Object> elements = new ArrayList<>();
        flatten(value, sizes, 0, elements);
        return checked(ElementWriter.write(port, type, elements, shapeOf(sizes)));
    }

    private void flatten(Object value, long[] sizes, int depth, List<Object> elements) {
        if (value == null) {
            throw wrong("an element is NULL");
        }
        if (depth == sizes.length) {
            if (value instanceof Seq) {
                throw wrong("arrays of different depths lie beside each other");
            }
            elements.add(value);
            return;
        }
        List<?> list = value instanceof Seq<?> seq ? JavaConverters.seqAsJavaList(seq) : List.of();
        if (!(value instanceof Seq) || list.size() != sizes[depth]) {
            throw wrong("arrays of " + list.size() + " and of " + sizes[depth] + " elements lie beside each other");
        }
        for (Object inner : list) {
            flatten(inner, sizes, depth + 1, elements);
        }
    }

    /** A single number also feeds an axis, or several, of one element; an empty array has no inner axes to measure. */
    private long[] shapeOf(long[] sizes) {
        if (shape.isEmpty() || sizes.length >= shape.get().size()) {
            return sizes;
        }
        List<Dimension> declared = shape.get();
        if (sizes.length == 0 && declared.stream().allMatch(size -> Math.abs(size.sizeOrMinusOne()) == 1)) {
            return declared.stream().mapToLong(size -> 1).toArray();
        }
        boolean empty = sizes.length > 0 && sizes[sizes.length - 1] == 0;
        if (empty) {
            long[] padded = Arrays.copyOf(sizes, declared.size());
            for (int k = sizes.length; k < padded.length; k++) {
                padded[k] = Math.max(0, declared.get(k).sizeOrMinusOne());
            }
            return padded;
        }
        return sizes;
    }

    private RowTensor raw(byte[] data, Optional<long[]> given) {
        if (data == null) {
            throw wrong("data is NULL");
        }
        if (type == DataType.STRING) {
            throw wrong("BINARY cannot hold strings");
        }
        int width = type.bits() / 8;
        if (data.length % width != 0) {
            throw wrong(data.length + " bytes are no whole number of " + type.onnxName() + " elements");
        }
        long[] sizes = given.orElseGet(() -> inferred(data.length / width));
        if (Arrays.stream(sizes).anyMatch(size -> size < 0)) {
            throw wrong("its shape is " + Arrays.toString(sizes));
        }
        BigInteger count =
                Arrays.stream(sizes).mapToObj(BigInteger::valueOf).reduce(BigInteger.ONE, BigInteger::multiply);
        if (!count.equals(BigInteger.valueOf(data.length / width))) {
            throw wrong(
                    data.length + " bytes of " + type.onnxName() + " do not fill the shape " + Arrays.toString(sizes));
        }
        return checked(new RowTensor(type, sizes, data, new String[0]));
    }

    /** The port's shape, of which one size may be open. */
    private long[] inferred(long elements) {
        List<Dimension> declared =
                shape.orElseThrow(() -> wrong("the graph does not say the shape of BINARY; give struct(data, shape)"));
        long known = 1;
        int open = -1;
        long[] sizes = new long[declared.size()];
        for (int k = 0; k < sizes.length; k++) {
            sizes[k] = declared.get(k).sizeOrMinusOne();
            if (sizes[k] >= 0) {
                known *= sizes[k];
            } else if (open >= 0) {
                throw wrong("the graph leaves several sizes of BINARY open; give struct(data, shape)");
            } else {
                open = k;
            }
        }
        if (open >= 0) {
            sizes[open] = known == 0 ? 0 : elements / known;
        }
        return sizes;
    }

    private RowTensor checked(RowTensor tensor) {
        List<Dimension> declared = shape.orElse(null);
        if (declared == null) {
            return tensor;
        }
        boolean fits = declared.size() == tensor.shape().length;
        for (int k = 0; fits && k < declared.size(); k++) {
            long size = declared.get(k).sizeOrMinusOne();
            fits = size < 0 || size == tensor.shape()[k];
        }
        if (!fits) {
            throw wrong("the row's shape is " + Arrays.toString(tensor.shape()) + ", the graph wants " + declared);
        }
        return tensor;
    }

    private KindlingException wrong(String problem) {
        return new KindlingException(ErrorCode.SHAPE_OR_TYPE, "input '" + port + "': " + problem);
    }
}
