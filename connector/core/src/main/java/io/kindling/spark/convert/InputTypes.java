package io.kindling.spark.convert;

import io.kindling.engine.error.OptionException;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType.TensorType;
import java.util.List;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Which columns may feed a port; ranges of values and shapes are for each row to keep. */
public final class InputTypes {
    private InputTypes() {}

    /** @throws OptionException saying what to cast */
    public static void check(ValueInfo port, DataType column) {
        if (!(port.type() instanceof TensorType tensor) || tensor.elementType().isEmpty()) {
            return; // refused by name when the tensors are made
        }
        io.kindling.engine.ir.DataType type = tensor.elementType().get();
        DataType element = OutputTypes.innermost(column);
        boolean fits =
                switch (type) {
                    case STRING -> element instanceof StringType;
                    case BOOL -> element instanceof BooleanType || raw(column);
                    case FLOAT, DOUBLE, FLOAT16, BFLOAT16 -> element instanceof NumericType || raw(column);
                    default ->
                        element instanceof NumericType
                                        && !(element instanceof DecimalType)
                                        && !element.equals(org.apache.spark.sql.types.DataTypes.FloatType)
                                        && !element.equals(org.apache.spark.sql.types.DataTypes.DoubleType)
                                || raw(column);
                };
        if (!fits) {
            throw new OptionException("a column of " + column.sql() + " cannot feed input '" + port.name() + "' of "
                    + type.onnxName() + " without loss; cast the column");
        }
    }

    /**
     * Whether rows hold whole tensors: an array as deep as its port has axes leaves none for the rows.
     *
     * @param columns named like the ports that they feed
     */
    public static boolean areWhole(List<ValueInfo> ports, StructType columns) {
        for (StructField column : columns.fields()) {
            int depth = OutputTypes.depth(column.dataType());
            for (ValueInfo port : ports) {
                if (depth > 0
                        && port.name().equals(column.name())
                        && port.type() instanceof TensorType tensor
                        && tensor.shape().filter(shape -> shape.size() == depth).isPresent()) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Whether a column may feed some port: numbers, booleans, texts, arrays of them, or raw elements. */
    public static boolean isFeedable(DataType column) {
        DataType element = OutputTypes.innermost(column);
        return element instanceof NumericType
                || element instanceof BooleanType
                || element instanceof StringType
                || column instanceof NullType
                || raw(column);
    }

    private static boolean raw(DataType column) {
        return column instanceof BinaryType
                || column instanceof StructType struct
                        && struct.getFieldIndex("data").isDefined()
                        && struct.getFieldIndex("shape").isDefined();
    }
}
