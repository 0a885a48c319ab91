package io.kindling.engine.optimize;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Turns Constant nodes into initializers, so that a constant is a constant in one way only. */
final class ConstantNodes implements GraphPass {
    @Override
    public String name() {
        return "constant_nodes";
    }

    @Override
    public Graph apply(Graph graph) {
        Set<String> outputs = new HashSet<>();
        graph.outputs().forEach(output -> outputs.add(output.name()));
        Graph.Builder result = graph.toBuilder();
        result.nodes().clear();
        boolean changed = false;
        for (Node node : graph.nodes()) {
            Optional<TensorData> value = node.is("", "Constant") ? value(node) : Optional.empty();
            if (value.isPresent() && !outputs.contains(node.outputs().get(0))) {
                result.initializers().put(node.outputs().get(0), value.get());
                changed = true;
            } else {
                Node inner = node.mapBodies(this::apply);
                changed |= !inner.bodies().equals(node.bodies());
                result.nodes().add(inner);
            }
        }
        return changed ? result.build() : graph;
    }

    /** The value of a Constant, whichever of its attributes holds it. */
    static Optional<TensorData> value(Node constant) {
        if (constant.attributes().size() != 1) {
            return Optional.empty();
        }
        Map.Entry<String, Attribute> entry =
                constant.attributes().entrySet().iterator().next();
        Attribute attribute = entry.getValue();
        if (attribute instanceof Attribute.TensorValue value) {
            return Optional.of(value.tensor());
        } else if (attribute instanceof Attribute.IntValue value) {
            return Optional.of(TensorData.ofLongs(new long[0], value.value()));
        } else if (attribute instanceof Attribute.FloatValue value) {
            return Optional.of(TensorData.ofFloats(new long[0], value.value()));
        } else if (attribute instanceof Attribute.IntsValue values) {
            return Optional.of(TensorData.ofLongs(new long[] {values.values().length}, values.values()));
        } else if (attribute instanceof Attribute.FloatsValue values) {
            return Optional.of(TensorData.ofFloats(new long[] {values.values().length}, values.values()));
        } else if (attribute instanceof Attribute.StringValue value) {
            return Optional.of(strings(new long[0], List.of(value)));
        } else if (attribute instanceof Attribute.StringsValue values) {
            return Optional.of(strings(new long[] {values.values().size()}, values.values()));
        }
        return Optional.empty();
    }

    private static TensorData strings(long[] shape, List<Attribute.StringValue> values) {
        List<String> texts = values.stream().map(Attribute.StringValue::text).toList();
        return new TensorData(DataType.STRING, shape, new TensorData.Strings(texts));
    }
}
