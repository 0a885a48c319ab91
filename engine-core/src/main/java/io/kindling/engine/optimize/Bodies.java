package io.kindling.engine.optimize;

import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.ValueInfo;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Graphs inside nodes: what If, Loop, Scan and SequenceMap run, which see the values of the graphs around them. */
final class Bodies {
    private Bodies() {}

    /** Names that a node reads, itself and through its bodies. */
    static Set<String> reads(Node node) {
        Set<String> reads = new HashSet<>(node.inputs());
        for (Graph body : node.bodies()) {
            Set<String> captured = new HashSet<>();
            body.nodes().forEach(inner -> captured.addAll(reads(inner)));
            body.outputs().forEach(output -> captured.add(output.name()));
            captured.removeAll(defined(body));
            reads.addAll(captured);
        }
        reads.remove("");
        return reads;
    }

    /** Names that a graph itself defines. */
    static Set<String> defined(Graph graph) {
        Set<String> defined = new HashSet<>(graph.initializers().keySet());
        graph.inputs().forEach(input -> defined.add(input.name()));
        graph.nodes().forEach(node -> defined.addAll(node.outputs()));
        defined.remove("");
        return defined;
    }

    /** Names that any graph inside of this one defines. */
    static Set<String> definedInside(Graph graph) {
        Set<String> names = new HashSet<>();
        for (Node node : graph.nodes()) {
            for (Graph body : node.bodies()) {
                names.addAll(defined(body));
                names.addAll(definedInside(body));
            }
        }
        return names;
    }

    /** The node reading other names: those of the map by what they map to, inside its bodies too. */
    static Node renameReads(Node node, Map<String, String> names) {
        if (names.isEmpty()) {
            return node;
        }
        List<String> inputs = node.inputs().stream()
                .map(input -> names.getOrDefault(input, input))
                .toList();
        return node.withInputs(inputs).mapBodies(body -> {
            Map<String, String> visible = new HashMap<>(names);
            visible.keySet().removeAll(defined(body));
            Graph.Builder renamed = body.toBuilder();
            renamed.nodes().replaceAll(inner -> renameReads(inner, visible));
            renamed.outputs()
                    .replaceAll(
                            output -> new ValueInfo(visible.getOrDefault(output.name(), output.name()), output.type()));
            return renamed.build();
        });
    }
}
