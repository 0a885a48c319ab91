package io.kindling.engine.ir;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The declared or inferred type of a graph value. */
public sealed interface ValueType {
    /** A tensor; {@code shape} is empty when even the rank is unknown. {@code elementType} is empty when undeclared. */
    record TensorType(Optional<DataType> elementType, Optional<List<Dimension>> shape) implements ValueType {
        public TensorType {
            shape = shape.map(List::copyOf);
        }

        public static TensorType of(DataType type, List<Dimension> shape) {
            return new TensorType(Optional.of(type), Optional.of(shape));
        }
    }

    /** An ONNX sequence of values of one type. */
    record SequenceType(ValueType elementType) implements ValueType {}

    /** An ONNX optional. */
    record OptionalType(ValueType elementType) implements ValueType {}

    /** An ONNX map, which {@code ai.onnx.ml} uses. */
    record MapType(DataType keyType, ValueType valueType) implements ValueType {}

    /** Nothing is known. */
    record UnknownType() implements ValueType {}

    ValueType UNKNOWN = new UnknownType();

    /** As users read it: {@code float[batch, 3]}, {@code sequence(map(int64, float[]))}. */
    default String text() {
        if (this instanceof TensorType tensor) {
            String element = tensor.elementType().map(DataType::onnxName).orElse("?");
            return element
                    + tensor.shape()
                            .map(dimensions -> dimensions.stream()
                                    .map(Object::toString)
                                    .collect(Collectors.joining(", ", "[", "]")))
                            .orElse("[…]");
        }
        if (this instanceof SequenceType sequence) {
            return "sequence(" + sequence.elementType().text() + ")";
        }
        if (this instanceof OptionalType optional) {
            return "optional(" + optional.elementType().text() + ")";
        }
        return this instanceof MapType map
                ? "map(" + map.keyType().onnxName() + ", " + map.valueType().text() + ")"
                : "?";
    }
}
