package io.kindling.engine.shape;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.ValueType;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A node with what is known of its inputs.
 *
 * @param types of all values so far
 * @param contents elements of small integer tensors, which are shapes and indices more often than not
 */
record NodeCall(Node node, Map<String, ValueType> types, Map<String, List<Dimension>> contents) {
    boolean has(int input) {
        return input < node.inputs().size() && !node.inputs().get(input).isEmpty();
    }

    private Optional<ValueType.TensorType> tensor(int input) {
        return has(input) && types.get(node.inputs().get(input)) instanceof ValueType.TensorType tensor
                ? Optional.of(tensor)
                : Optional.empty();
    }

    Optional<DataType> type(int input) {
        return tensor(input).flatMap(ValueType.TensorType::elementType);
    }

    Optional<List<Dimension>> shape(int input) {
        return tensor(input).flatMap(ValueType.TensorType::shape);
    }

    Optional<List<Dimension>> content(int input) {
        return has(input) ? Optional.ofNullable(contents.get(node.inputs().get(input))) : Optional.empty();
    }

    /** The elements of an integer input, when all are known. */
    Optional<long[]> integers(int input) {
        return content(input)
                .filter(list -> list.stream().allMatch(Dimension.Known.class::isInstance))
                .map(list -> list.stream()
                        .mapToLong(element -> ((Dimension.Known) element).size())
                        .toArray());
    }

    /** Integers that are an attribute in older opsets and an input in newer ones. */
    Optional<long[]> integers(int input, String attribute) {
        return has(input) ? integers(input) : node.intsAttribute(attribute);
    }

    Optional<long[]> axes(int input) {
        return integers(input, "axes");
    }

    boolean hasAxes(int input) {
        return has(input) || node.attributes().containsKey("axes");
    }
}
