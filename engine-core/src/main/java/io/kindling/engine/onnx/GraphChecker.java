package io.kindling.engine.onnx;

import io.kindling.engine.error.ErrorCode;
import io.kindling.engine.error.ModelException;
import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.ValueInfo;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Proves a graph sound: every value is defined once and before it is read (nodes are put in order where a file has them
 * out of order), every name resolves in its graph or an enclosing one, and every node's domain is imported.
 */
final class GraphChecker {
    private final OnnxModel model;

    private GraphChecker(OnnxModel model) {
        this.model = model;
    }

    /** The model's graph with its nodes in topological order. */
    static Graph check(OnnxModel model) {
        return new GraphChecker(model).check(model.graph(), Set.of());
    }

    private Graph check(Graph graph, Set<String> outer) {
        Map<String, Integer> producers = new HashMap<>();
        Set<String> sources = new HashSet<>();
        for (ValueInfo input : graph.inputs()) {
            if (input.name().isEmpty() || !sources.add(input.name())) {
                throw invalid("input '" + input.name() + "'", "is unnamed or defined twice");
            }
        }
        for (String initializer : graph.initializers().keySet()) {
            if (!sources.add(initializer)) {
                throw invalid("initializer '" + initializer + "'", "has the name of another value");
            }
        }
        for (int index = 0; index < graph.nodes().size(); index++) {
            Node node = graph.nodes().get(index);
            if (model.opset(node.domain()).isEmpty()) {
                throw invalid(describe(node), "is of domain '" + node.domain() + "', which opset_import does not list");
            }
            if (node.attributes().values().stream().anyMatch(Attribute.Reference.class::isInstance)) {
                throw invalid(describe(node), "has an attribute that refers to a function's, but is in no function");
            }
            for (String output : node.outputs()) {
                if (output.isEmpty()) {
                    continue;
                }
                if (sources.contains(output) || producers.put(output, index) != null) {
                    throw invalid(describe(node), "defines value '" + output + "', which is defined already");
                }
            }
        }
        List<Node> ordered = order(graph, producers, sources, outer);
        for (ValueInfo output : graph.outputs()) {
            if (!producers.containsKey(output.name())
                    && !sources.contains(output.name())
                    && !outer.contains(output.name())) {
                throw invalid("output '" + output.name() + "'", "is defined by no node, input or initializer");
            }
        }
        Graph.Builder checked = graph.toBuilder();
        checked.nodes().clear();
        Set<String> visible = new HashSet<>();
        if (ordered.stream().anyMatch(GraphChecker::hasBodies)) {
            visible.addAll(outer);
            visible.addAll(sources);
            visible.addAll(producers.keySet());
        }
        ordered.forEach(node -> checked.nodes().add(node.mapBodies(body -> check(body, visible))));
        return checked.build();
    }

    private List<Node> order(Graph graph, Map<String, Integer> producers, Set<String> sources, Set<String> outer) {
        int count = graph.nodes().size();
        int[] waiting = new int[count];
        List<List<Integer>> readers = new ArrayList<>(count);
        for (int k = 0; k < count; k++) {
            readers.add(new ArrayList<>());
        }
        boolean inOrder = true;
        for (int index = 0; index < count; index++) {
            Node node = graph.nodes().get(index);
            Set<String> reads = new HashSet<>(node.inputs());
            Set<String> captures = new HashSet<>();
            collectCaptures(node, captures);
            for (String name : reads) {
                if (!name.isEmpty()
                        && !producers.containsKey(name)
                        && !sources.contains(name)
                        && !outer.contains(name)) {
                    throw invalid(
                            describe(node), "reads value '" + name + "', which no node, input or initializer defines");
                }
            }
            reads.addAll(captures);
            for (String name : reads) {
                Integer producer = producers.get(name);
                if (producer != null) {
                    waiting[index]++;
                    readers.get(producer).add(index);
                    inOrder &= producer < index;
                }
            }
        }
        return inOrder ? graph.nodes() : sorted(graph, waiting, readers);
    }

    private List<Node> sorted(Graph graph, int[] waiting, List<List<Integer>> readers) {
        Deque<Integer> ready = new ArrayDeque<>();
        for (int index = 0; index < waiting.length; index++) {
            if (waiting[index] == 0) {
                ready.add(index);
            }
        }
        List<Node> ordered = new ArrayList<>(waiting.length);
        while (!ready.isEmpty()) {
            int index = ready.remove();
            ordered.add(graph.nodes().get(index));
            for (int reader : readers.get(index)) {
                if (--waiting[reader] == 0) {
                    ready.add(reader);
                }
            }
        }
        if (ordered.size() < waiting.length) {
            for (int index = 0; index < waiting.length; index++) {
                if (waiting[index] > 0) {
                    throw invalid(describe(graph.nodes().get(index)), "is part of a cycle or behind one");
                }
            }
        }
        return ordered;
    }

    /** Names that a node's subgraphs read and do not define themselves. */
    private static void collectCaptures(Node node, Set<String> captures) {
        for (Graph body : node.bodies()) {
            Set<String> defined = new HashSet<>(body.initializers().keySet());
            body.inputs().forEach(input -> defined.add(input.name()));
            body.nodes().forEach(inner -> defined.addAll(inner.outputs()));
            Set<String> read = new HashSet<>();
            for (Node inner : body.nodes()) {
                read.addAll(inner.inputs());
                collectCaptures(inner, read);
            }
            body.outputs().forEach(output -> read.add(output.name()));
            read.removeAll(defined);
            captures.addAll(read);
        }
    }

    private static boolean hasBodies(Node node) {
        return !node.bodies().isEmpty();
    }

    private static String describe(Node node) {
        return "node '" + node.name() + "' (" + node.operator() + ")";
    }

    private ModelException invalid(String element, String problem) {
        return new ModelException(ErrorCode.MODEL_INVALID, model.source(), element, problem);
    }
}
