package io.kindling.engine.optimize;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueType.TensorType;
import io.kindling.engine.shape.ShapeInference;
import io.kindling.engine.shape.ShapeInference.Knowledge;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Replaces shape arithmetic by its result where the shapes that it reads are known as far as it reads them, and gives
 * Reshape a constant target where it differs from its input in known sizes only.
 */
final class ShapeFolding implements IndexedPass {
    @Override
    public String name() {
        return "shape_folding";
    }

    @Override
    public Graph apply(Graph graph, GraphIndex index) {
        return apply(graph, index.known());
    }

    private Graph apply(Graph graph, Knowledge known) {
        Set<String> outputs = new HashSet<>();
        graph.outputs().forEach(output -> outputs.add(output.name()));
        Set<String> taken = Bodies.defined(graph);
        Graph.Builder result = graph.toBuilder();
        result.nodes().clear();
        boolean changed = false;
        for (Node node : graph.nodes()) {
            Optional<TensorData> value = value(node, known);
            if (value.isPresent() && !outputs.contains(node.outputs().get(0))) {
                result.initializers().put(node.outputs().get(0), value.get());
                changed = true;
                continue;
            }
            Node kept = node;
            Optional<long[]> target = target(node, known);
            if (target.isPresent()) {
                String name = Names.fresh(node.outputs().get(0) + "/shape", taken);
                result.initializers().put(name, TensorData.ofLongs(new long[] {target.get().length}, target.get()));
                kept = copying(node, name);
            }
            kept = kept.mapBodies(body -> apply(body, ShapeInference.proveBody(body, known)));
            changed |= target.isPresent() || !kept.bodies().equals(node.bodies());
            result.nodes().add(kept);
        }
        return changed ? result.build() : graph;
    }

    /** The Reshape with a target in which 0 copies a size. */
    private static Node copying(Node reshape, String target) {
        Map<String, Attribute> attributes = new HashMap<>(reshape.attributes());
        attributes.remove("allowzero");
        List<String> inputs = List.of(reshape.inputs().get(0), target);
        return new Node(reshape.name(), reshape.domain(), reshape.opType(), inputs, reshape.outputs(), attributes);
    }

    /** The elements of an integer tensor that is the same in every run; comparisons stay for those who know them. */
    private static Optional<TensorData> value(Node node, Knowledge known) {
        if (!Purity.isPure(node) || node.outputs().size() != 1 || node.is("", "Constant")) {
            return Optional.empty();
        }
        String name = node.outputs().get(0);
        List<Dimension> elements = known.integers().get(name);
        if (elements == null
                || !(known.types().get(name) instanceof TensorType type)
                || type.elementType().isEmpty()
                || type.elementType().get() == DataType.BOOL
                || type.shape().isEmpty()
                || !allKnown(elements)
                || !allKnown(type.shape().get())) {
            return Optional.empty();
        }
        long[] shape = sizes(type.shape().get());
        long[] values = sizes(elements);
        long count = 1;
        for (long size : shape) {
            count *= size;
        }
        if (count != values.length) {
            return Optional.empty();
        }
        return Optional.of(
                type.elementType().get() == DataType.INT64
                        ? TensorData.ofLongs(shape, values)
                        : TensorData.ofInts(shape, narrow(values)));
    }

    private static int[] narrow(long[] values) {
        int[] narrow = new int[values.length];
        for (int k = 0; k < narrow.length; k++) {
            narrow[k] = (int) values[k];
        }
        return narrow;
    }

    private static boolean allKnown(List<Dimension> dimensions) {
        return dimensions.stream().allMatch(Dimension.Known.class::isInstance);
    }

    private static long[] sizes(List<Dimension> dimensions) {
        return dimensions.stream().mapToLong(d -> ((Dimension.Known) d).size()).toArray();
    }

    /** A constant target for a Reshape that has none: known sizes, copies of the input's, and at most one left open. */
    private static Optional<long[]> target(Node node, Knowledge known) {
        if (!node.is("", "Reshape") || node.inputs().size() < 2) {
            return Optional.empty();
        }
        List<Dimension> wanted = known.integers().get(node.inputs().get(1));
        if (wanted == null
                || allKnown(wanted)
                || !(known.types().get(node.inputs().get(0)) instanceof TensorType input)
                || input.shape().isEmpty()) {
            return Optional.empty();
        }
        List<Dimension> from = input.shape().get();
        long[] target = new long[wanted.size()];
        boolean copies = false;
        int given = 0;
        int opened = 0;
        for (int k = 0; k < target.length; k++) {
            Dimension size = wanted.get(k);
            if (size.equals(Dimension.of(0)) && node.intAttribute("allowzero", 0) != 0) {
                return Optional.empty();
            } else if (size instanceof Dimension.Known fixed) {
                target[k] = fixed.size();
                copies |= fixed.size() == 0;
                given += fixed.size() < 0 ? 1 : 0;
            } else if (size instanceof Dimension.Symbol && k < from.size() && size.equals(from.get(k))) {
                copies = true;
            } else {
                target[k] = -1;
                opened++;
            }
        }
        // In an empty tensor a size beside a copied 0 cannot be inferred: such an opening is not made here.
        boolean inferable = given + opened <= 1 && (opened == 0 || !copies);
        return inferable ? Optional.of(target) : Optional.empty();
    }
}
