package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.metadata.DecoderIo;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The branch of a merged decoder that reads the cache. What is proven of it for any past is proven for an empty one as well,
 * so that the other branch, which computes the same without a cache, need not run.
 */
final class CacheBranch {
    private CacheBranch() {}

    /** The model with that branch in place of the {@code If}; the model itself where it has none. */
    static OnnxModel of(OnnxModel model, DecoderIo io) {
        if (io.useCacheBranch().isEmpty()) {
            return model;
        }
        Graph graph = model.graph();
        Graph.Builder builder = graph.toBuilder();
        builder.nodes().clear();
        for (Node node : graph.nodes()) {
            boolean merged = node.is("", "If")
                    && node.inputs().get(0).equals(io.useCacheBranch().get());
            if (merged && node.attributes().get("then_branch") instanceof Attribute.GraphValue branch) {
                inline(node, branch.graph(), graph, builder);
            } else {
                builder.nodes().add(node);
            }
        }
        return new OnnxModel(
                model.source(),
                model.irVersion(),
                model.opsetImports(),
                builder.build(),
                model.functions(),
                model.metadata());
    }

    private static void inline(Node node, Graph branch, Graph outer, Graph.Builder into) {
        Set<String> taken = new HashSet<>(outer.initializers().keySet());
        outer.inputs().forEach(input -> taken.add(input.name()));
        outer.nodes().stream().filter(other -> other != node).forEach(other -> taken.addAll(other.outputs()));
        List<String> made = new ArrayList<>(branch.initializers().keySet());
        branch.nodes().forEach(inner -> made.addAll(inner.outputs()));
        for (String name : made) {
            if (!name.isEmpty() && !taken.add(name)) {
                throw Refusal.at(node, "has a branch that uses the name '" + name + "' again");
            }
        }
        into.initializers().putAll(branch.initializers());
        into.nodes().addAll(branch.nodes());
        for (int k = 0; k < node.outputs().size(); k++) {
            String from = branch.outputs().get(k).name();
            String to = node.outputs().get(k);
            if (!from.equals(to)) {
                into.nodes().add(new Node(to, "", "Identity", List.of(from), List.of(to), Map.of()));
            }
        }
    }
}
