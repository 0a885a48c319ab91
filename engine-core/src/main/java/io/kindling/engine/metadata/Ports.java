package io.kindling.engine.metadata;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType.TensorType;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The inputs and outputs of a graph, as metadata talks of them. */
final class Ports {
    private final Graph graph;
    private final Set<String> inputs;
    private final Set<String> outputs;

    Ports(Graph graph) {
        this.graph = graph;
        inputs = names(graph.inputs());
        outputs = names(graph.outputs());
    }

    private static Set<String> names(List<ValueInfo> values) {
        return values.stream().map(ValueInfo::name).collect(Collectors.toCollection(LinkedHashSet::new));
    }

    Graph graph() {
        return graph;
    }

    /** Names, in graph order. */
    Set<String> inputs() {
        return inputs;
    }

    Set<String> outputs() {
        return outputs;
    }

    Optional<TensorType> inputType(String name) {
        return type(graph.inputs(), name);
    }

    Optional<TensorType> outputType(String name) {
        return type(graph.outputs(), name);
    }

    private static Optional<TensorType> type(List<ValueInfo> values, String name) {
        return values.stream()
                .filter(value -> value.name().equals(name))
                .findFirst()
                .flatMap(Ports::tensor);
    }

    static Optional<TensorType> tensor(ValueInfo value) {
        return value.type() instanceof TensorType type ? Optional.of(type) : Optional.empty();
    }

    /** {@code ("input_ids", Int64, [-1, -1])}: −1 is a size that is not fixed. */
    static String describe(ValueInfo port) {
        Optional<TensorType> type = tensor(port);
        String element = type.flatMap(TensorType::elementType).map(Ports::title).orElse("Unknown");
        String shape = type.flatMap(TensorType::shape)
                .map(dimensions -> dimensions.stream()
                        .map(Dimension::sizeOrMinusOne)
                        .toList()
                        .toString())
                .orElse("[...]");
        return "(\"" + port.name() + "\", " + element + ", " + shape + ")";
    }

    private static String title(DataType type) {
        String name = type == DataType.FLOAT ? "FLOAT32" : type == DataType.DOUBLE ? "FLOAT64" : type.name();
        return name.charAt(0) + name.substring(1).toLowerCase(Locale.ROOT);
    }
}
