package io.kindling.spark.convert;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.KindlingException;
import io.kindling.engine.error.OptionException;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType.MapType;
import io.kindling.engine.ir.ValueType.SequenceType;
import io.kindling.engine.ir.ValueType.TensorType;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.Locale;
import java.util.Optional;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;

/** The column types of a graph's outputs. */
public final class OutputTypes {
    private OutputTypes() {}

    /**
     * The type of an output's column: its elements, in an ARRAY for each axis behind the rows'; maps for a sequence of maps.
     *
     * @throws OptionException when the graph does not say enough, so that the caller must
     */
    public static DataType of(ValueInfo output, RowAxis axis) {
        if (output.type() instanceof TensorType tensor
                && tensor.elementType().isPresent()
                && tensor.shape().isPresent()) {
            int rank = tensor.shape().get().size();
            boolean rows = axis == RowAxis.BATCH
                    || axis == RowAxis.ONE
                            && rank > 0
                            && tensor.shape().get().get(0).sizeOrMinusOne() <= 1;
            return nested(element(output.name(), tensor.elementType().get()), rank - (rows ? 1 : 0));
        }
        if (output.type() instanceof SequenceType sequence
                && sequence.elementType() instanceof MapType map
                && map.valueType() instanceof TensorType values
                && values.elementType().isPresent()
                && axis != RowAxis.NONE) {
            return DataTypes.createMapType(
                    element(output.name(), map.keyType()),
                    element(output.name(), values.elementType().get()),
                    false);
        }
        if (output.type() instanceof TensorType) {
            throw new OptionException("the graph does not say the type and rank of its output '" + output.name()
                    + "'; give its column's type: output(\"" + output.name()
                    + "\", \"column\", type); in SQL, onnx.run_json needs none");
        }
        throw new OptionException(
                "output '" + output.name() + "' is " + output.type().text()
                        + ", for which there is no column; tensors and, with a row axis, sequences of maps have one");
    }

    /**
     * The same of what an output turned out to be.
     *
     * @throws KindlingException UNSUPPORTED for what no column can hold
     */
    static DataType of(String port, Value output, RowAxis axis) {
        if (output instanceof Tensor tensor) {
            boolean rows = axis == RowAxis.BATCH || axis == RowAxis.ONE && tensor.rank() > 0 && tensor.dim(0) == 1;
            return nested(element(port, tensor.type()), tensor.rank() - (rows ? 1 : 0));
        }
        if (axis != RowAxis.NONE
                && output instanceof Value.Sequence sequence
                && !sequence.elements().isEmpty()
                && sequence.elements().get(0) instanceof Value.Map map) {
            return DataTypes.createMapType(
                    element(port, map.keys().type()), element(port, map.values().type()), false);
        }
        throw new KindlingException(
                ErrorCode.UNSUPPORTED,
                "output '" + port + "' is a "
                        + output.getClass().getSimpleName().toLowerCase(Locale.ROOT)
                        + ", for which there is no column; tensors and, with a row axis, sequences of maps have one");
    }

    private static DataType nested(DataType element, int depth) {
        return depth == 0 ? element : DataTypes.createArrayType(nested(element, depth - 1), false);
    }

    /** The Spark type that holds all values of an element type; 16-bit floats are widened. */
    static DataType element(String port, io.kindling.engine.ir.DataType type) {
        return known(type)
                .orElseThrow(() -> new KindlingException(
                        ErrorCode.UNSUPPORTED,
                        "port '" + port + "' has elements of " + type.onnxName()
                                + ", for which there is no column; add a Cast to the graph"));
    }

    private static Optional<DataType> known(io.kindling.engine.ir.DataType type) {
        return Optional.ofNullable(
                switch (type) {
                    case FLOAT, FLOAT16, BFLOAT16 -> DataTypes.FloatType;
                    case DOUBLE -> DataTypes.DoubleType;
                    case BOOL -> DataTypes.BooleanType;
                    case STRING -> DataTypes.StringType;
                    case INT8 -> DataTypes.ByteType;
                    case UINT8, INT16 -> DataTypes.ShortType;
                    case UINT16, INT32 -> DataTypes.IntegerType;
                    case UINT32, INT64 -> DataTypes.LongType;
                    case UINT64 -> DataTypes.createDecimalType(20, 0);
                    default -> null;
                });
    }

    /** How many ARRAYs lie around the elements. */
    static int depth(DataType type) {
        return type instanceof ArrayType array ? 1 + depth(array.elementType()) : 0;
    }

    /** What lies in all ARRAYs. */
    static DataType innermost(DataType type) {
        return type instanceof ArrayType array ? innermost(array.elementType()) : type;
    }
}
