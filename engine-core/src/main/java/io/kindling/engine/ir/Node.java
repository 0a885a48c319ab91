package io.kindling.engine.ir;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * One operator call. An empty string in {@code inputs} or {@code outputs} is an absent optional one. The default domain
 * is the empty string ({@code ai.onnx} is normalised to it).
 *
 * @param name unique within its graph once loaded; the loader makes one up where the file has none
 */
public record Node(
        String name,
        String domain,
        String opType,
        List<String> inputs,
        List<String> outputs,
        Map<String, Attribute> attributes) {

    public Node {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        attributes = Map.copyOf(attributes);
    }

    public Optional<Attribute> attribute(String key) {
        return Optional.ofNullable(attributes.get(key));
    }

    public long intAttribute(String key, long absent) {
        return attributes.get(key) instanceof Attribute.IntValue value ? value.value() : absent;
    }

    public float floatAttribute(String key, float absent) {
        return attributes.get(key) instanceof Attribute.FloatValue value ? value.value() : absent;
    }

    public String stringAttribute(String key, String absent) {
        return attributes.get(key) instanceof Attribute.StringValue value ? value.text() : absent;
    }

    public Optional<long[]> intsAttribute(String key) {
        return attributes.get(key) instanceof Attribute.IntsValue value
                ? Optional.of(value.values())
                : Optional.empty();
    }

    public Optional<Graph> graphAttribute(String key) {
        return attributes.get(key) instanceof Attribute.GraphValue value
                ? Optional.of(value.graph())
                : Optional.empty();
    }

    /** The operator as users write it: {@code MatMul}, {@code com.microsoft::GroupQueryAttention}. */
    public String operator() {
        return domain.isEmpty() ? opType : domain + "::" + opType;
    }

    public boolean is(String domain, String opType) {
        return this.domain.equals(domain) && this.opType.equals(opType);
    }

    public Node withInputs(List<String> newInputs) {
        return new Node(name, domain, opType, newInputs, outputs, attributes);
    }

    /** Every graph inside the node: what If, Loop, Scan and SequenceMap run. */
    public List<Graph> bodies() {
        return attributes.values().stream()
                .flatMap(attribute -> attribute instanceof Attribute.GraphValue value
                        ? Stream.of(value.graph())
                        : attribute instanceof Attribute.GraphsValue values ? values.graphs().stream() : Stream.empty())
                .toList();
    }

    /** The node with every body replaced. */
    public Node mapBodies(UnaryOperator<Graph> change) {
        if (bodies().isEmpty()) {
            return this;
        }
        Map<String, Attribute> changed = new HashMap<>();
        attributes.forEach((key, attribute) -> {
            if (attribute instanceof Attribute.GraphValue value) {
                attribute = new Attribute.GraphValue(change.apply(value.graph()));
            } else if (attribute instanceof Attribute.GraphsValue values) {
                attribute = new Attribute.GraphsValue(
                        values.graphs().stream().map(change).toList());
            }
            changed.put(key, attribute);
        });
        return new Node(name, domain, opType, inputs, outputs, changed);
    }
}
