package io.kindling.spark.source;

import static io.kindling.spark.convert.InternalValues.toInternalRow;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.catalyst.InternalRow;

/** Rows of nodes and weights: those of the graph, then of what is nested in it, then of functions. */
final class GraphWalk {
    private final List<InternalRow> nodes = new ArrayList<>();
    private final List<InternalRow> weights = new ArrayList<>();

    GraphWalk(OnnxModel model) {
        graph("", model.graph());
        for (OnnxModel.Function function : model.functions()) {
            nodes(function.domain() + "::" + function.name(), function.nodes());
        }
    }

    List<InternalRow> nodes() {
        return nodes;
    }

    List<InternalRow> weights() {
        return weights;
    }

    /** A domain as users know it. */
    static String label(String domain) {
        return domain.isEmpty() ? "ai.onnx" : domain;
    }

    private void graph(String path, Graph graph) {
        graph.initializers().forEach((name, data) -> weights.add(MetadataKind.weight(path, name, data)));
        nodes(path, graph.nodes());
    }

    private void nodes(String path, List<Node> inOrder) {
        for (int k = 0; k < inOrder.size(); k++) {
            Node node = inOrder.get(k);
            Map<String, String> attributes = new TreeMap<>();
            node.attributes().forEach((name, value) -> attributes.put(name, text(value)));
            nodes.add(toInternalRow(
                    path,
                    k,
                    node.name(),
                    label(node.domain()),
                    node.opType(),
                    node.inputs(),
                    node.outputs(),
                    attributes));
        }
        for (Node node : inOrder) {
            new TreeMap<>(node.attributes()).forEach((name, value) -> {
                String inner = (path.isEmpty() ? "" : path + '/') + node.name() + '/' + name;
                if (value instanceof Attribute.GraphValue nested) {
                    graph(inner, nested.graph());
                } else if (value instanceof Attribute.GraphsValue several) {
                    several.graphs().forEach(nested -> graph(inner, nested));
                }
            });
        }
    }

    private static String text(Attribute attribute) {
        if (attribute instanceof Attribute.IntValue value) {
            return Long.toString(value.value());
        }
        if (attribute instanceof Attribute.FloatValue value) {
            return Float.toString(value.value());
        }
        if (attribute instanceof Attribute.StringValue value) {
            return value.text();
        }
        if (attribute instanceof Attribute.IntsValue value) {
            return Arrays.toString(value.values());
        }
        if (attribute instanceof Attribute.FloatsValue value) {
            return Arrays.toString(value.values());
        }
        if (attribute instanceof Attribute.StringsValue value) {
            return value.values().stream()
                    .map(Attribute.StringValue::text)
                    .toList()
                    .toString();
        }
        if (attribute instanceof Attribute.TensorValue value) {
            return value.tensor().toString();
        }
        if (attribute instanceof Attribute.TensorsValue value) {
            return value.tensors().toString();
        }
        if (attribute instanceof Attribute.GraphValue value) {
            return value.graph().name();
        }
        if (attribute instanceof Attribute.GraphsValue value) {
            return value.graphs().stream().map(Graph::name).toList().toString();
        }
        if (attribute instanceof Attribute.TypeValue value) {
            return value.type().text();
        }
        return '@' + ((Attribute.Reference) attribute).name();
    }
}
