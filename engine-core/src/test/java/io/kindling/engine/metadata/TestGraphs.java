package io.kindling.engine.metadata;

import com.fasterxml.jackson.databind.JsonNode;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType.TensorType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Graphs that have ports and no content, since metadata looks at nothing else. */
final class TestGraphs {
    private TestGraphs() {}

    /** A port; sizes are numbers, or texts for symbols. */
    static ValueInfo port(String name, DataType type, Object... sizes) {
        List<Dimension> shape = Arrays.stream(sizes)
                .map(size -> size instanceof Number number
                        ? Dimension.of(number.longValue())
                        : Dimension.of(size.toString()))
                .toList();
        return new ValueInfo(name, TensorType.of(type, shape));
    }

    static OnnxModel model(List<ValueInfo> inputs, List<ValueInfo> outputs, List<Node> nodes) {
        Graph graph = new Graph("test", inputs, outputs, nodes, Map.of(), Map.of());
        return new OnnxModel("test.onnx", 10, Map.of("", 18L), graph, List.of(), Map.of());
    }

    /** A line of exports.jsonl. */
    static OnnxModel model(JsonNode line) {
        List<Node> nodes = new ArrayList<>();
        for (JsonNode node : line.get("attention")) {
            Map<String, Attribute> attributes = new HashMap<>();
            node.properties().forEach(field -> {
                if (field.getValue().isInt()) {
                    attributes.put(field.getKey(), Attribute.of(field.getValue().longValue()));
                }
            });
            List<String> inputs = new ArrayList<>(List.of("query", "", ""));
            node.get("inputs").forEach(input -> inputs.add(input.asText()));
            nodes.add(new Node(
                    "node" + nodes.size(),
                    "com.microsoft",
                    "GroupQueryAttention",
                    inputs,
                    List.of("out" + nodes.size()),
                    attributes));
        }
        return model(ports(line.get("inputs")), ports(line.get("outputs")), nodes);
    }

    private static List<ValueInfo> ports(JsonNode ports) {
        List<ValueInfo> values = new ArrayList<>();
        for (JsonNode port : ports) {
            List<Object> sizes = new ArrayList<>();
            port.get(2).forEach(size -> sizes.add(size.isNumber() ? size.asLong() : size.asText()));
            values.add(port(port.get(0).asText(), DataType.valueOf(port.get(1).asText()), sizes.toArray()));
        }
        return values;
    }
}
