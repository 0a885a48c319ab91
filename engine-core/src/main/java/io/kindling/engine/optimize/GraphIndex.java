package io.kindling.engine.optimize;

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
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Supplier;

/** Who makes and who reads the values of one graph or body, and what is surely known of them. */
final class GraphIndex {
    private final Map<String, Node> producers = new HashMap<>();
    private final Map<String, Integer> reads = new HashMap<>();
    private final Map<String, TensorData> constants;
    private final Set<String> taken;
    private final Set<String> outputs = new HashSet<>();
    private final Supplier<Knowledge> inference;
    private Knowledge known;

    private GraphIndex(Graph graph, Map<String, TensorData> outer, Supplier<Knowledge> inference) {
        constants = new HashMap<>(outer);
        taken = Bodies.defined(graph);
        constants.keySet().removeAll(taken);
        constants.putAll(graph.initializers());
        taken.addAll(Bodies.definedInside(graph));
        taken.addAll(outer.keySet());
        this.inference = inference;
        for (Node node : graph.nodes()) {
            node.outputs().forEach(output -> producers.put(output, node));
            node.inputs().forEach(input -> reads.merge(input, 1, Integer::sum));
            Set<String> captured = Bodies.reads(node);
            captured.removeAll(node.inputs());
            captured.forEach(input -> reads.merge(input, 1, Integer::sum));
        }
        graph.outputs().forEach(output -> {
            reads.merge(output.name(), 1, Integer::sum);
            outputs.add(output.name());
        });
    }

    static GraphIndex of(Graph graph) {
        return new GraphIndex(graph, Map.of(), () -> ShapeInference.prove(graph));
    }

    /** The index of a body of a node of this graph. */
    GraphIndex ofBody(Graph body) {
        return new GraphIndex(body, constants, () -> ShapeInference.proveBody(body, known()));
    }

    Knowledge known() {
        if (known == null) {
            known = inference.get();
        }
        return known;
    }

    /** The node of this graph that makes the value, if it is of the default domain's type and has no attributes. */
    Optional<Node> plain(String value, String opType) {
        return producer(value, opType).filter(node -> node.attributes().isEmpty());
    }

    /** The node of this graph that makes the value, if it is of the default domain's type. */
    Optional<Node> producer(String value, String opType) {
        return producer(value).filter(node -> node.is("", opType));
    }

    Optional<Node> producer(String value) {
        return Optional.ofNullable(producers.get(value));
    }

    /** Whether the value is read exactly once, being an output of the graph counting as well. */
    boolean isReadOnce(String value) {
        return reads(value) == 1;
    }

    /** How often the value is read; see {@link #isReadOnce}. */
    int reads(String value) {
        return reads.getOrDefault(value, 0);
    }

    /** Whether the value is an output of this graph. */
    boolean isOutput(String value) {
        return outputs.contains(value);
    }

    Optional<TensorData> constant(String value) {
        return Optional.ofNullable(constants.get(value));
    }

    /** The one element of a constant that has no other. */
    OptionalDouble number(String value) {
        TensorData constant = constants.get(value);
        return constant == null || constant.type() == DataType.BOOL ? OptionalDouble.empty() : constant.number();
    }

    /** The elements of an integer value, where all are known. */
    Optional<long[]> integers(String value) {
        return Optional.ofNullable(known().integers().get(value))
                .filter(elements -> elements.stream().allMatch(Dimension.Known.class::isInstance))
                .map(elements -> elements.stream()
                        .mapToLong(element -> ((Dimension.Known) element).size())
                        .toArray());
    }

    private Optional<TensorType> tensor(String value) {
        return Optional.ofNullable(known().types().get(value))
                .filter(TensorType.class::isInstance)
                .map(TensorType.class::cast);
    }

    Optional<DataType> type(String value) {
        return tensor(value).flatMap(TensorType::elementType);
    }

    boolean isFloat(String value) {
        return type(value).equals(Optional.of(DataType.FLOAT));
    }

    Optional<List<Dimension>> shape(String value) {
        return tensor(value).flatMap(TensorType::shape);
    }

    /** The rank, or −1. */
    int rank(String value) {
        return shape(value).map(List::size).orElse(-1);
    }

    /** The size of the last axis, or −1. */
    long width(String value) {
        return shape(value)
                .filter(shape -> !shape.isEmpty())
                .map(shape -> shape.get(shape.size() - 1).sizeOrMinusOne())
                .orElse(-1L);
    }

    /** Whether the value is a float32 vector of this length. */
    boolean isVector(String value, long length) {
        return isFloat(value) && rank(value) == 1 && width(value) == length;
    }

    /** Axes of a reduction that are the last one alone. */
    boolean reducesLastAxis(Node reduction) {
        boolean given = reduction.inputs().size() > 1;
        Optional<long[]> axes = given ? integers(reduction.inputs().get(1)) : reduction.intsAttribute("axes");
        int rank = rank(reduction.inputs().get(0));
        return reduction.intAttribute("keepdims", 1) == 1
                && axes.filter(list -> list.length == 1 && (list[0] == -1 || list[0] == rank - 1))
                        .isPresent();
    }

    /** A name for a new value that nothing here has. */
    String fresh(String name) {
        return Names.fresh(name, taken);
    }

    /** The other operand, where the node adds or multiplies two and one is {@code operand}. */
    static Optional<String> other(Node node, String operand) {
        int at = node.inputs().indexOf(operand);
        return at < 0 || node.inputs().size() != 2
                ? Optional.empty()
                : Optional.of(node.inputs().get(1 - at));
    }

    /** What is added to the number by the Add that makes the value. */
    Optional<String> addedTo(double number, String value) {
        return plain(value, "Add").flatMap(add -> add.inputs().stream()
                .filter(input -> Monomial.equal(number(input).orElse(Double.NaN), number))
                .findFirst()
                .flatMap(input -> other(add, input)));
    }
}
