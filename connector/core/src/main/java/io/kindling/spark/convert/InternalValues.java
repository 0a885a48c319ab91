package io.kindling.spark.convert;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericRowWithSchema;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.JavaConverters;

/** Values between Spark's internal rows, which functions and scans see, and the rows that users see. */
public final class InternalValues {
    private InternalValues() {}

    /** An internal value of numbers, booleans, texts, bytes, arrays and structs, as a {@link Row} would hold it. */
    public static Object toExternal(Object value, DataType type) {
        if (value instanceof UTF8String text) {
            return text.toString();
        }
        if (value instanceof Decimal decimal) {
            return decimal.toJavaBigDecimal();
        }
        if (value instanceof ArrayData array) {
            DataType element = ((ArrayType) type).elementType();
            List<Object> elements = new ArrayList<>(array.numElements());
            for (int i = 0; i < array.numElements(); i++) {
                elements.add(array.isNullAt(i) ? null : toExternal(array.get(i, element), element));
            }
            return JavaConverters.asScalaBuffer(elements);
        }
        return value instanceof InternalRow struct ? toRow(struct, (StructType) type) : value;
    }

    /** The same for a whole row or struct. */
    public static Row toRow(InternalRow row, StructType type) {
        Object[] values = new Object[type.length()];
        for (int i = 0; i < values.length; i++) {
            DataType field = type.fields()[i].dataType();
            values[i] = row.isNullAt(i) ? null : toExternal(row.get(i, field), field);
        }
        return new GenericRowWithSchema(values, type);
    }

    /** A value of what {@link #toExternal} gives, Java arrays, lists and maps too, in Spark's internal form. */
    public static Object toInternal(Object value) {
        if (value instanceof Row row) {
            return toInternalRow(
                    IntStream.range(0, row.size()).mapToObj(row::get).toArray());
        }
        if (value instanceof String text) {
            return UTF8String.fromString(text);
        }
        if (value instanceof BigDecimal decimal) {
            return Decimal.apply(decimal);
        }
        if (value instanceof Object[] elements) {
            return array(Arrays.asList(elements));
        }
        if (value instanceof List<?> elements) {
            return array(elements);
        }
        if (value instanceof scala.collection.Map<?, ?> map) {
            return toInternal(JavaConverters.mapAsJavaMap(map));
        }
        if (value instanceof Map<?, ?> map) {
            return new ArrayBasedMapData(array(new ArrayList<>(map.keySet())), array(new ArrayList<>(map.values())));
        }
        return value;
    }

    /** A row of such values. */
    public static InternalRow toInternalRow(Object... values) {
        return new GenericInternalRow(
                Arrays.stream(values).map(InternalValues::toInternal).toArray());
    }

    private static GenericArrayData array(List<?> elements) {
        return new GenericArrayData(
                elements.stream().map(InternalValues::toInternal).toArray());
    }
}
