package io.kindling.engine.shape;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.OnnxModel;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.ir.ValueType.TensorType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Types and symbolic shapes of a graph's values, from its ports, its constants and the operators between. Permissive: what
 * it does not know stays unknown, and it never refuses a model. For showing and for planning, never for sizing memory:
 * symbols are a file's claims.
 */
public final class ShapeInference {
    private final Map<String, ValueType> types;
    private final Map<String, List<Dimension>> integers;
    private boolean namesSizes;

    private ShapeInference(Knowledge known) {
        types = new LinkedHashMap<>(known.types());
        integers = new HashMap<>(known.integers());
    }

    /**
     * What is known of values by name.
     *
     * @param integers elements of small int64, int32 and bool tensors of rank 0 or 1; a known element may be negative
     */
    public record Knowledge(Map<String, ValueType> types, Map<String, List<Dimension>> integers) {
        public static final Knowledge NONE = new Knowledge(Map.of(), Map.of());
    }

    /** Types of all values of the main graph by name; {@link ValueType#UNKNOWN} where nothing is known. */
    public static Map<String, ValueType> infer(OnnxModel model) {
        return infer(model.graph());
    }

    /** Types of all values of a graph; see {@link #infer(OnnxModel)}. */
    public static Map<String, ValueType> infer(Graph graph) {
        Map<String, ValueType> declared = new HashMap<>(graph.valueTypes());
        graph.outputs().forEach(output -> declared.put(output.name(), output.type()));
        ShapeInference inference = new ShapeInference(Knowledge.NONE);
        graph.inputs().forEach(input -> inference.types.put(input.name(), input.type()));
        inference.run(graph, declared);
        return inference.types;
    }

    /**
     * What follows from the operators, the constants and the ports of a main graph, which are checked when it runs. What
     * the file says of values between is not believed. A size of which nothing is known gets a symbol of its own where it
     * first occurs, so that sizes which come from it are known to be equal.
     */
    public static Knowledge prove(Graph graph) {
        ShapeInference inference = new ShapeInference(Knowledge.NONE);
        inference.namesSizes = true;
        graph.inputs().forEach(input -> inference.types.put(input.name(), named(input.name(), distinct(input.type()))));
        inference.run(graph, Map.of());
        return new Knowledge(inference.types, inference.integers);
    }

    /** The same for the body of a node, which sees the values around it; of its own inputs nothing is believed. */
    public static Knowledge proveBody(Graph body, Knowledge outer) {
        ShapeInference inference = new ShapeInference(outer);
        inference.namesSizes = true;
        body.inputs().forEach(input -> {
            inference.types.put(input.name(), ValueType.UNKNOWN);
            inference.integers.remove(input.name());
        });
        inference.run(body, Map.of());
        return new Knowledge(inference.types, inference.integers);
    }

    private void run(Graph graph, Map<String, ValueType> declared) {
        graph.initializers().forEach((name, tensor) -> {
            types.put(name, NodeTypes.of(tensor));
            set(name, Contents.of(tensor));
        });
        for (Node node : graph.nodes()) {
            NodeCall call = new NodeCall(node, types, integers);
            List<ValueType> inferred = NodeTypes.of(call);
            for (int i = 0; i < node.outputs().size(); i++) {
                String output = node.outputs().get(i);
                if (!output.isEmpty()) {
                    ValueType type = i < inferred.size() ? inferred.get(i) : ValueType.UNKNOWN;
                    ValueType merged = merge(type, declared.getOrDefault(output, ValueType.UNKNOWN));
                    types.put(output, namesSizes ? named(output, merged) : merged);
                }
            }
            node.outputs().forEach(integers::remove);
            if (node.outputs().size() == 1
                    && mayBeSizes(types.get(node.outputs().get(0)))) {
                set(node.outputs().get(0), Contents.of(call));
            }
        }
    }

    /** The type with symbols for unknown sizes, which no other value gets. */
    private static ValueType named(String value, ValueType type) {
        return mapSizes(
                type,
                (axis, size) -> size.equals(Dimension.UNKNOWN) ? Dimension.of("size " + axis + " of " + value) : size);
    }

    /** A symbol that stands twice in one shape is a file's name for two sizes. */
    private static ValueType distinct(ValueType type) {
        return type instanceof TensorType tensor
                ? mapSizes(
                        type,
                        (axis, size) -> size instanceof Dimension.Symbol
                                        && Collections.frequency(tensor.shape().orElseThrow(), size) > 1
                                ? Dimension.UNKNOWN
                                : size)
                : type;
    }

    private static ValueType mapSizes(ValueType type, BiFunction<Integer, Dimension, Dimension> change) {
        if (!(type instanceof TensorType tensor) || tensor.shape().isEmpty()) {
            return type;
        }
        List<Dimension> sizes = new ArrayList<>(tensor.shape().get());
        for (int axis = 0; axis < sizes.size(); axis++) {
            sizes.set(axis, change.apply(axis, sizes.get(axis)));
        }
        return new TensorType(tensor.elementType(), Optional.of(sizes));
    }

    private void set(String name, Optional<List<Dimension>> elements) {
        integers.remove(name);
        elements.ifPresent(known -> integers.put(name, known));
    }

    /** Shapes computed in other types round on the way; elements of more axes than one are not followed. */
    private static boolean mayBeSizes(ValueType type) {
        return type instanceof TensorType tensor
                && tensor.shape().map(shape -> shape.size() <= 1).orElse(true)
                && tensor.elementType()
                        .filter(element ->
                                element == DataType.INT64 || element == DataType.INT32 || element == DataType.BOOL)
                        .isPresent();
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
