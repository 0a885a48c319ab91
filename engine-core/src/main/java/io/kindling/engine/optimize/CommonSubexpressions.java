package io.kindling.engine.optimize;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Computes equal calls of deterministic operators once. */
final class CommonSubexpressions implements GraphPass {
    /** What makes two calls equal; outputs count by which of them are there. */
    private record Call(String operator, List<String> inputs, List<Boolean> outputs, Map<String, Object> attributes) {}

    @Override
    public String name() {
        return "common_subexpressions";
    }

    @Override
    public Graph apply(Graph graph) {
        return Substitution.apply(graph, () -> {
            Map<Call, Node> seen = new HashMap<>();
            return node -> {
                Node first = Purity.isPure(node) ? seen.putIfAbsent(call(node), node) : null;
                return first == null ? List.of() : first.outputs();
            };
        });
    }

    private static Call call(Node node) {
        Map<String, Object> attributes = new TreeMap<>();
        node.attributes().forEach((key, attribute) -> attributes.put(key, comparable(attribute)));
        return new Call(
                node.operator(),
                node.inputs(),
                node.outputs().stream().map(String::isEmpty).toList(),
                attributes);
    }

    /** The attribute as something whose equality is that of its content. */
    private static Object comparable(Attribute attribute) {
        if (attribute instanceof Attribute.StringValue value) {
            return ByteBuffer.wrap(value.bytes());
        } else if (attribute instanceof Attribute.IntsValue values) {
            return Arrays.stream(values.values()).boxed().toList();
        } else if (attribute instanceof Attribute.FloatsValue values) {
            int[] bits = new int[values.values().length];
            Arrays.setAll(bits, i -> Float.floatToRawIntBits(values.values()[i]));
            return List.of("floats", Arrays.stream(bits).boxed().toList());
        } else if (attribute instanceof Attribute.StringsValue values) {
            return values.values().stream()
                    .map(value -> ByteBuffer.wrap(value.bytes()))
                    .toList();
        } else if (attribute instanceof Attribute.TensorValue value) {
            TensorData tensor = value.tensor();
            return List.of(tensor.type(), Arrays.stream(tensor.shape()).boxed().toList(), tensor.content());
        }
        return attribute;
    }
}
