package io.kindling.engine.optimize;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Graphs in short hand: {@code "a,b -> Add -> c"} is a node, named by its first output. */
final class Graphs {
    private Graphs() {}

    static Graph graph(String inputs, String outputs, Node... nodes) {
        Graph.Builder graph = Graph.builder("g");
        names(inputs).forEach(name -> graph.inputs().add(new ValueInfo(name, ValueType.UNKNOWN)));
        names(outputs).forEach(name -> graph.outputs().add(new ValueInfo(name, ValueType.UNKNOWN)));
        graph.nodes().addAll(Arrays.asList(nodes));
        return graph.build();
    }

    static Node node(String text) {
        return node(text, Map.of());
    }

    static Node node(String text, Map<String, Attribute> attributes) {
        String[] parts = text.split("->");
        String operator = parts[1].strip();
        int colon = operator.indexOf("::");
        String domain = colon < 0 ? "" : operator.substring(0, colon);
        List<String> outputs = names(parts[2]);
        String type = colon < 0 ? operator : operator.substring(colon + 2);
        return new Node(outputs.get(0), domain, type, names(parts[0]), outputs, attributes);
    }

    static Node branch(String text, Graph body) {
        return node(text, Map.of("then_branch", new Attribute.GraphValue(body)));
    }

    static List<String> names(String text) {
        return text.isBlank()
                ? List.of()
                : Arrays.stream(text.strip().split(",")).map(String::strip).toList();
    }

    /** Nodes in the same short hand. */
    static List<String> show(Graph graph) {
        return graph.nodes().stream()
                .map(node -> String.join(",", node.inputs()) + " -> " + node.operator() + " -> "
                        + String.join(",", node.outputs()))
                .toList();
    }
}
