package io.kindling.spark.convert;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Tensor;
import java.util.Arrays;
import java.util.List;

/**
 * The value of one row for one port, row-major.
 *
 * @param bytes little-endian elements; empty for strings
 * @param strings elements of a string port; empty for others
 */
public record RowTensor(DataType type, long[] shape, byte[] bytes, String[] strings) {

    /** A tensor of rows of equal shape, along a new axis 0. */
    public static Tensor stack(List<RowTensor> rows) {
        long[] inner = rows.get(0).shape;
        long[] shape = new long[inner.length + 1];
        shape[0] = rows.size();
        System.arraycopy(inner, 0, shape, 1, inner.length);
        return concatenate(rows, shape);
    }

    /** The tensor of this row alone. */
    public Tensor alone() {
        return concatenate(List.of(this), shape);
    }

    private static Tensor concatenate(List<RowTensor> rows, long[] shape) {
        DataType type = rows.get(0).type;
        if (type == DataType.STRING) {
            return Tensor.ofStrings(
                    shape,
                    rows.stream().flatMap(row -> Arrays.stream(row.strings)).toArray(String[]::new));
        }
        Tensor tensor = Tensor.allocateHost(type, shape);
        int at = 0;
        for (RowTensor row : rows) {
            tensor.bytes().put(at, row.bytes);
            at += row.bytes.length;
        }
        return tensor;
    }
}
