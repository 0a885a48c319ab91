package io.kindling.engine.shape;

import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.ValueInfo;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.ir.ValueType.TensorType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Types and symbolic shapes of a graph's values, from its ports, its constants and the operators between. Permissive: what
 * it does not know stays unknown, and it never refuses a model. For showing and for planning, never for sizing memory:
 * symbols are a file's claims.
 */
public final class ShapeInference {
    private final Map<String, ValueType> types = new LinkedHashMap<>();
    private final Map<String, List<Dimension>> contents = new HashMap<>();

    private ShapeInference() {}

    /** Types of all values of the main graph by name; {@link ValueType#UNKNOWN} where nothing is known. */
    public static Map<String, ValueType> infer(OnnxModel model) {
        ShapeInference inference = new ShapeInference();
        inference.run(model.graph());
        return inference.types;
    }

    private void run(Graph graph) {
        graph.inputs().forEach(input -> types.put(input.name(), input.type()));
        graph.initializers().forEach((name, tensor) -> {
            types.put(name, NodeTypes.of(tensor));
            Contents.of(tensor).ifPresent(content -> contents.put(name, content));
        });
        Map<String, ValueType> declared = new HashMap<>(graph.valueTypes());
        for (ValueInfo output : graph.outputs()) {
            declared.put(output.name(), output.type());
        }
        for (Node node : graph.nodes()) {
            NodeCall call = new NodeCall(node, types, contents);
            List<ValueType> inferred = NodeTypes.of(call);
            for (int i = 0; i < node.outputs().size(); i++) {
                String output = node.outputs().get(i);
                if (!output.isEmpty()) {
                    ValueType type = i < inferred.size() ? inferred.get(i) : ValueType.UNKNOWN;
                    types.put(output, merge(type, declared.getOrDefault(output, ValueType.UNKNOWN)));
                }
            }
            if (node.outputs().size() == 1) {
                Contents.of(call)
                        .ifPresent(content -> contents.put(node.outputs().get(0), content));
            }
        }
    }

    private static ValueType merge(ValueType inferred, ValueType declared) {
        if (!(inferred instanceof TensorType a)) {
            return inferred.equals(ValueType.UNKNOWN) ? declared : inferred;
        }
        if (!(declared instanceof TensorType b)) {
            return inferred;
        }
        return new TensorType(a.elementType().or(b::elementType), mergeShapes(a.shape(), b.shape()));
    }

    private static Optional<List<Dimension>> mergeShapes(
            Optional<List<Dimension>> inferred, Optional<List<Dimension>> declared) {
        if (inferred.isEmpty()
                || declared.isEmpty()
                || inferred.get().size() != declared.get().size()) {
            return inferred.or(() -> declared);
        }
        List<Dimension> merged = new ArrayList<>();
        for (int i = 0; i < inferred.get().size(); i++) {
            merged.add(Dimensions.merge(inferred.get().get(i), declared.get().get(i)));
        }
        return Optional.of(merged);
    }
}
