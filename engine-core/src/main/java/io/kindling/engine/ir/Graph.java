package io.kindling.engine.ir;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A graph in single static assignment: nodes in topological order, every value named once. Immutable.
 *
 * @param inputs graph inputs that are no initializers
 * @param initializers constants by name, in file order
 * @param valueTypes what the file or inference says of inner values; a hint, never to be trusted for memory
 */
public record Graph(
        String name,
        List<ValueInfo> inputs,
        List<ValueInfo> outputs,
        List<Node> nodes,
        Map<String, TensorData> initializers,
        Map<String, ValueType> valueTypes) {

    public Graph {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        nodes = List.copyOf(nodes);
        initializers = Collections.unmodifiableMap(new LinkedHashMap<>(initializers));
        valueTypes = Map.copyOf(valueTypes);
    }

    public static Builder builder(String name) {
        return new Builder(name);
    }

    /** A builder that starts from this graph. */
    public Builder toBuilder() {
        Builder builder = new Builder(name);
        builder.inputs.addAll(inputs);
        builder.outputs.addAll(outputs);
        builder.nodes.addAll(nodes);
        builder.initializers.putAll(initializers);
        builder.valueTypes.putAll(valueTypes);
        return builder;
    }

    /** Mutable while a graph is made; the lists are open to passes that replace whole stretches. */
    public static final class Builder {
        private final String name;
        private final List<ValueInfo> inputs = new ArrayList<>();
        private final List<ValueInfo> outputs = new ArrayList<>();
        private final List<Node> nodes = new ArrayList<>();
        private final Map<String, TensorData> initializers = new LinkedHashMap<>();
        private final Map<String, ValueType> valueTypes = new LinkedHashMap<>();

        private Builder(String name) {
            this.name = name;
        }

        public List<ValueInfo> inputs() {
            return inputs;
        }

        public List<ValueInfo> outputs() {
            return outputs;
        }

        public List<Node> nodes() {
            return nodes;
        }

        public Map<String, TensorData> initializers() {
            return initializers;
        }

        public Map<String, ValueType> valueTypes() {
            return valueTypes;
        }

        public Graph build() {
            return new Graph(name, inputs, outputs, nodes, initializers, valueTypes);
        }
    }
}
