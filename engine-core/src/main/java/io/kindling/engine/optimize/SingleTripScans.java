package io.kindling.engine.optimize;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.shape.ShapeInference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Replaces recurrent Scans by the nodes of their bodies, for runs in which every Scan makes one trip, such as the decode
 * steps of a hybrid decoder: a scan input loses its axis, a scan output gains one, a state goes in and out as it is. The
 * result means the same as the graph only in such runs, so that this pass is none of {@link Optimizer#standardPasses()}.
 */
public final class SingleTripScans implements GraphPass {
    @Override
    public String name() {
        return "inline_single_trip_scan_bodies";
    }

    @Override
    public Graph apply(Graph graph) {
        Set<String> taken = Bodies.defined(graph);
        taken.addAll(Bodies.definedInside(graph));
        Set<String> visible = new HashSet<>(graph.initializers().keySet());
        graph.inputs().forEach(input -> visible.add(input.name()));
        Map<String, ValueType> types = ShapeInference.infer(graph);
        Graph.Builder result = graph.toBuilder();
        result.nodes().clear();
        boolean changed = false;
        for (Node node : graph.nodes()) {
            if (isEligible(node, types, visible)) {
                new Inlining(node, taken, result).run();
                changed = true;
            } else {
                result.nodes().add(node);
            }
            visible.addAll(node.outputs());
        }
        return changed ? result.build() : graph;
    }

    private static boolean isEligible(Node node, Map<String, ValueType> types, Set<String> visible) {
        Graph body = node.is("", "Scan") ? node.graphAttribute("body").orElse(null) : null;
        if (body == null) {
            return false;
        }
        int scans = (int) node.intAttribute("num_scan_inputs", 0);
        int states = node.inputs().size() - scans;
        boolean fits = scans >= 1
                && states >= 1
                && body.inputs().size() == node.inputs().size()
                && body.outputs().size() == node.outputs().size()
                && node.outputs().size() >= states
                && axes(node, "scan_input_axes", scans).length == scans
                && axes(node, "scan_output_axes", node.outputs().size() - states).length
                        == node.outputs().size() - states;
        if (!fits || body.nodes().stream().anyMatch(inner -> !inner.bodies().isEmpty())) {
            return false;
        }
        long[] axes = axes(node, "scan_input_axes", scans);
        for (int k = 0; k < scans; k++) {
            if (makesOtherThanOneTrip(types.get(node.inputs().get(states + k)), axes[k])) {
                return false;
            }
        }
        Set<String> captured = new HashSet<>();
        body.nodes().forEach(inner -> captured.addAll(inner.inputs()));
        body.outputs().forEach(output -> captured.add(output.name()));
        captured.removeAll(Bodies.defined(body));
        captured.remove("");
        return visible.containsAll(captured);
    }

    private static boolean makesOtherThanOneTrip(ValueType type, long axis) {
        if (!(type instanceof ValueType.TensorType tensor) || tensor.shape().isEmpty()) {
            return false;
        }
        List<Dimension> shape = tensor.shape().get();
        long at = axis < 0 ? axis + shape.size() : axis;
        return at < 0
                || at >= shape.size()
                || (shape.get((int) at) instanceof Dimension.Known length && length.size() != 1);
    }

    private static long[] axes(Node scan, String attribute, int count) {
        return scan.intsAttribute(attribute).orElseGet(() -> new long[count]);
    }

    /** One Scan becoming straight-line nodes of the graph around it. */
    private static final class Inlining {
        private final Node scan;
        private final Graph body;
        private final int states;
        private final Set<String> taken;
        private final Graph.Builder result;
        private final Map<String, String> names = new HashMap<>();

        Inlining(Node scan, Set<String> taken, Graph.Builder result) {
            this.scan = scan;
            this.body = scan.graphAttribute("body").orElseThrow();
            this.states = scan.inputs().size() - (int) scan.intAttribute("num_scan_inputs", 0);
            this.taken = taken;
            this.result = result;
        }

        void run() {
            bindFormals();
            body.initializers().forEach((name, tensor) -> {
                names.put(name, fresh(name));
                result.initializers().put(names.get(name), tensor);
            });
            List<Node> after = bindResults();
            for (Node inner : body.nodes()) {
                for (String output : inner.outputs()) {
                    names.computeIfAbsent(output, name -> name.isEmpty() ? "" : fresh(name));
                }
                result.nodes()
                        .add(new Node(
                                scan.name() + "/" + inner.name(),
                                inner.domain(),
                                inner.opType(),
                                inner.inputs().stream().map(this::actual).toList(),
                                inner.outputs().stream().map(names::get).toList(),
                                inner.attributes()));
            }
            body.valueTypes().forEach((name, type) -> {
                if (names.containsKey(name)) {
                    result.valueTypes().putIfAbsent(names.get(name), type);
                }
            });
            result.nodes().addAll(after);
        }

        private void bindFormals() {
            long[] axes = axes(scan, "scan_input_axes", scan.inputs().size() - states);
            for (int k = 0; k < body.inputs().size(); k++) {
                String formal = body.inputs().get(k).name();
                String given = scan.inputs().get(k);
                if (k < states) {
                    names.put(formal, given);
                } else {
                    names.put(formal, fresh(formal));
                    result.nodes().add(moved("Squeeze", given, names.get(formal), axes[k - states]));
                }
            }
        }

        /** Lets nodes of the body write outputs of the Scan where they can; gives back what is left to do behind them. */
        private List<Node> bindResults() {
            Set<String> computed = new HashSet<>();
            body.nodes().forEach(inner -> computed.addAll(inner.outputs()));
            long[] axes = axes(scan, "scan_output_axes", scan.outputs().size() - states);
            List<Node> after = new ArrayList<>();
            for (int k = 0; k < scan.outputs().size(); k++) {
                String wanted = scan.outputs().get(k);
                String inner = body.outputs().get(k).name();
                if (wanted.isEmpty()) {
                    continue;
                }
                boolean direct = k < states && computed.contains(inner) && !names.containsKey(inner);
                if (direct) {
                    names.put(inner, wanted);
                    continue;
                }
                if (computed.contains(inner)) {
                    names.computeIfAbsent(inner, this::fresh);
                }
                after.add(
                        k < states
                                ? new Node(
                                        scan.name() + "/" + wanted,
                                        "",
                                        "Identity",
                                        List.of(actual(inner)),
                                        List.of(wanted),
                                        Map.of())
                                : moved("Unsqueeze", actual(inner), wanted, axes[k - states]));
            }
            return after;
        }

        /** With the axis as an attribute, the form that needs no constant. */
        private Node moved(String operator, String input, String output, long axis) {
            return new Node(
                    scan.name() + "/" + output,
                    "",
                    operator,
                    List.of(input),
                    List.of(output),
                    Map.of("axes", Attribute.of(new long[] {axis})));
        }

        /** Names that the body does not define are captures, which keep theirs. */
        private String actual(String name) {
            return names.getOrDefault(name, name);
        }

        private String fresh(String name) {
            return Names.fresh(scan.name() + "/" + name, taken);
        }
    }
}
