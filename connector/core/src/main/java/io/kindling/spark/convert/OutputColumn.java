package io.kindling.spark.convert;

import io.kindling.engine.HostElements;
import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.MapType;
import scala.collection.JavaConverters;

/**
 * Reads the values of rows from an output of a run.
 *
 * @param port of the graph
 * @param type of the column; the NULL type stands for what the output turns out to be
 */
public record OutputColumn(String port, DataType type) {
    /** Of the type that each run's output has. */
    public static OutputColumn natural(String port) {
        return new OutputColumn(port, DataTypes.NullType);
    }

    /**
     * The column's values, one a row.
     *
     * @param axis how the rows lie in the output; a run of one row may have no axis for it
     * @throws KindlingException UNSUPPORTED when the output is not what the column's type says
     */
    public Object[] rows(Value output, int rows, RowAxis axis) {
        if (type.equals(DataTypes.NullType)) {
            return new OutputColumn(port, OutputTypes.of(port, output, axis)).rows(output, rows, axis);
        }
        if (output instanceof Value.Sequence sequence && type instanceof MapType map) {
            if (sequence.elements().size() != rows) {
                throw unlike("a sequence of " + sequence.elements().size() + " elements for " + rows + " rows");
            }
            return sequence.elements().stream()
                    .map(element -> map(element, map))
                    .toArray();
        }
        if (!(output instanceof Tensor tensor) || type instanceof MapType) {
            throw unlike("a " + output.getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT));
        }
        DataType natural = OutputTypes.element(port, tensor.type());
        DataType element = OutputTypes.innermost(type);
        if (!holds(element, natural)) {
            throw unlike("a tensor of " + tensor.type().onnxName());
        }
        int depth = OutputTypes.depth(type);
        boolean stacked = axis != RowAxis.NONE && tensor.rank() > 0 && tensor.dim(0) == rows;
        int first = stacked && (axis == RowAxis.BATCH || tensor.rank() > depth) ? 1 : 0;
        long[] inner = Arrays.copyOfRange(tensor.shape(), first, tensor.rank());
        boolean single = depth == 0 && Tensor.count(inner) == 1;
        if (axis == RowAxis.BATCH && !stacked || inner.length != depth && !single) {
            throw unlike("a tensor of shape " + Arrays.toString(tensor.shape()) + " for " + rows + " rows");
        }
        int size = Math.toIntExact(Tensor.count(inner));
        Object[] values = new Object[rows];
        for (int row = 0; row < rows; row++) {
            values[row] = nested(tensor, element, single ? new long[0] : inner, 0, row * size);
        }
        return values;
    }

    private Object map(Value value, MapType type) {
        if (!(value instanceof Value.Map entries)) {
            throw unlike("a sequence of what are no maps");
        }
        Map<Object, Object> map = new HashMap<>();
        for (int k = 0; k < entries.keys().elementCount(); k++) {
            map.put(element(entries.keys(), type.keyType(), k), element(entries.values(), type.valueType(), k));
        }
        return JavaConverters.mapAsScalaMap(map);
    }

    private static Object nested(Tensor tensor, DataType element, long[] shape, int axis, int start) {
        if (axis == shape.length) {
            return element(tensor, element, start);
        }
        Object[] values = new Object[Math.toIntExact(shape[axis])];
        int step = 1;
        for (int k = axis + 1; k < shape.length; k++) {
            step *= Math.toIntExact(shape[k]);
        }
        for (int k = 0; k < values.length; k++) {
            values[k] = nested(tensor, element, shape, axis + 1, start + k * step);
        }
        return values;
    }

    private static Object element(Tensor tensor, DataType type, int index) {
        if (type.equals(DataTypes.StringType)) {
            return tensor.strings()[index];
        }
        if (type.equals(DataTypes.FloatType)) {
            return (float) HostElements.real(tensor, index);
        }
        if (type.equals(DataTypes.DoubleType)) {
            return HostElements.real(tensor, index);
        }
        long value = HostElements.integer(tensor, index);
        if (type.equals(DataTypes.BooleanType)) {
            return value != 0;
        }
        if (type instanceof DecimalType) {
            return new BigDecimal(Long.toUnsignedString(value));
        }
        if (type.equals(DataTypes.ByteType)) {
            return (byte) value;
        }
        if (type.equals(DataTypes.ShortType)) {
            return (short) value;
        }
        if (type.equals(DataTypes.IntegerType)) {
            return (int) value;
        }
        return value;
    }

    /** Whether a column's type holds all values of the natural one. */
    private static boolean holds(DataType type, DataType natural) {
        return type.equals(natural)
                || type.equals(DataTypes.DoubleType) && natural.equals(DataTypes.FloatType)
                || whole(type) && whole(natural) && type.defaultSize() > natural.defaultSize();
    }

    private static boolean whole(DataType type) {
        return type.equals(DataTypes.ByteType)
                || type.equals(DataTypes.ShortType)
                || type.equals(DataTypes.IntegerType)
                || type.equals(DataTypes.LongType);
    }

    private KindlingException unlike(String found) {
        return new KindlingException(
                ErrorCode.UNSUPPORTED,
                "output '" + port + "' is " + found + ", which a column of type " + type.sql()
                        + " cannot hold; name its type in output(port, column, type), or call wholeTensors() where axis 0"
                        + " is not for rows");
    }
}
