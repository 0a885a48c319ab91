package io.kindling.spark.convert;

import io.kindling.engine.JsonShape;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/** The JSON that {@code from_json} reads as values of a type, and the types that it reads JSON as. */
final class ShapeTypes {
    /** The field of a schema that {@code from_json} fills with what is no such object. */
    static final String CORRUPT = "_corrupt_record";

    private ShapeTypes() {}

    /** Only what may be NULL may be null. */
    static JsonShape shape(DataType type, boolean nullable) {
        JsonShape shape = shape(type);
        return nullable ? shape.orNull() : shape;
    }

    private static JsonShape shape(DataType type) {
        if (type instanceof StructType struct) {
            List<JsonShape.Field> fields = new ArrayList<>();
            for (StructField field : struct.fields()) {
                if (!field.name().equals(CORRUPT)) {
                    fields.add(new JsonShape.Field(field.name(), shape(field.dataType(), field.nullable()), true));
                }
            }
            return new JsonShape.Fields(fields);
        }
        if (type instanceof ArrayType array) {
            return new JsonShape.Items(shape(array.elementType(), array.containsNull()));
        }
        if (type instanceof MapType map) {
            return new JsonShape.Entries(shape(map.valueType(), map.valueContainsNull()));
        }
        if (type instanceof NumericType number) {
            return number(number);
        }
        if (type instanceof BooleanType) {
            return new JsonShape.Bool();
        }
        if (type instanceof DateType) {
            return new JsonShape.Day();
        }
        return type instanceof TimestampType || type instanceof TimestampNTZType
                ? new JsonShape.Time(false)
                : new JsonShape.Text();
    }

    private static JsonShape number(NumericType type) {
        if (type instanceof ByteType) {
            return new JsonShape.Whole(Byte.MIN_VALUE, Byte.MAX_VALUE);
        }
        if (type instanceof ShortType) {
            return new JsonShape.Whole(Short.MIN_VALUE, Short.MAX_VALUE);
        }
        if (type instanceof IntegerType) {
            return new JsonShape.Whole(Integer.MIN_VALUE, Integer.MAX_VALUE);
        }
        if (type instanceof LongType) {
            return new JsonShape.Whole(Long.MIN_VALUE, Long.MAX_VALUE);
        }
        if (type instanceof DecimalType decimal) {
            return new JsonShape.Numeric(decimal.precision() - decimal.scale(), decimal.scale(), false);
        }
        JsonShape.Numeric all = JsonShape.Numeric.DOUBLE;
        return type instanceof FloatType ? new JsonShape.Numeric(all.wholeDigits(), all.fractionDigits(), false) : all;
    }

    /** What has values of several types is a STRING, to which {@code from_json} copies the JSON. */
    static DataType type(JsonShape shape) {
        if (shape instanceof JsonShape.Fields object) {
            StructType struct = new StructType();
            for (JsonShape.Field field : object.fields()) {
                struct = struct.add(field.name(), type(field.shape()));
            }
            return struct;
        }
        if (shape instanceof JsonShape.Items items) {
            return DataTypes.createArrayType(type(items.element()));
        }
        if (shape instanceof JsonShape.Entries entries) {
            return DataTypes.createMapType(DataTypes.StringType, type(entries.value()));
        }
        if (shape instanceof JsonShape.OneOf choice) {
            List<DataType> types = choice.shapes().stream()
                    .filter(each -> !(each instanceof JsonShape.Null))
                    .map(ShapeTypes::type)
                    .distinct()
                    .toList();
            return types.size() == 1 ? types.get(0) : DataTypes.StringType;
        }
        if (shape instanceof JsonShape.Whole) {
            return DataTypes.LongType;
        }
        if (shape instanceof JsonShape.Numeric) {
            return DataTypes.DoubleType;
        }
        if (shape instanceof JsonShape.Bool) {
            return DataTypes.BooleanType;
        }
        if (shape instanceof JsonShape.Day) {
            return DataTypes.DateType;
        }
        return shape instanceof JsonShape.Time ? DataTypes.TimestampType : DataTypes.StringType;
    }
}
