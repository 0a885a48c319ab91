package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Graph;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.ir.ValueType;
import io.kindling.engine.optimize.ragged.Fact.Indexed;
import io.kindling.engine.optimize.ragged.Fact.Sizes;
import io.kindling.engine.optimize.ragged.Fact.Tokens;
import io.kindling.engine.shape.ShapeInference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * Integers that a packed run does not have as the graph computes them: where the graph counts its tokens itself, each
 * token's position is put in place of the count, and sizes that never change become constants.
 */
final class Positions {
    private static final Form POSITION = Form.of(Size.TOTAL.plus(Size.FED.times(-1)));

    private final Map<String, ValueType> types;
    private final Map<String, TensorData> constants;

    /** @param constants takes what the new nodes read */
    Positions(Graph graph, Map<String, TensorData> constants) {
        this.types = ShapeInference.infer(graph);
        this.constants = constants;
    }

    /** {@code [1, S]} of position ids. */
    static Indexed ids() {
        return new Indexed(List.of(Size.of(1), Size.FED), new Element.Leaf(POSITION.plus(Form.index(0))));
    }

    /** The value as tokens, where it is a position plus a constant along one axis. */
    Optional<Tokens> tokens(Indexed value) {
        List<Size> dims = value.dims();
        int axis = dims.indexOf(Size.FED);
        boolean alone = axis >= 0
                && value.element() instanceof Element.Leaf leaf
                && leaf.form()
                        .minus(POSITION)
                        .minus(Form.index(dims.size() - 1 - axis))
                        .isConstant();
        for (int k = 0; k < dims.size(); k++) {
            alone &= k == axis || dims.get(k).is(1);
        }
        return alone ? Optional.of(new Tokens(dims, axis)) : Optional.empty();
    }

    /** Nodes that compute such a value from the packed tokens' positions; empty when its type is not known. */
    List<Node> nodes(String name, Indexed value) {
        Optional<DataType> type = integerType(name);
        if (type.isEmpty()) {
            return List.of();
        }
        List<Node> nodes = new ArrayList<>();
        String cast = name + "/kindling.position";
        nodes.add(node("Cast", List.of(RaggedModel.TOKEN_POSITION), cast, Map.of("to", Attribute.of((long)
                type.get().code()))));
        long offset =
                (long) ((Element.Leaf) value.element()).form().minus(POSITION).constant();
        if (offset != 0) {
            String constant = "kindling.offset." + type.get().onnxName() + "." + offset;
            constants.put(constant, integers(type.get(), new long[] {1}, offset));
            nodes.add(node("Add", List.of(cast, constant), cast + ".moved", Map.of()));
            cast += ".moved";
        }
        long[] shape = new long[value.dims().size()];
        for (int k = 0; k < shape.length; k++) {
            shape[k] = value.dims().get(k).is(1) ? 1 : -1;
        }
        constants.put(name + "/kindling.shape", TensorData.ofLongs(new long[] {shape.length}, shape));
        nodes.add(node("Reshape", List.of(cast, name + "/kindling.shape"), name, Map.of()));
        return nodes;
    }

    /** A node that gives these sizes, where they are the same in every run and their type is known. */
    Optional<Node> constant(String name, Sizes sizes) {
        return SizeRules.constants(sizes).flatMap(values -> integerType(name).map(type -> {
            long[] shape = sizes.scalar() ? new long[0] : new long[] {values.length};
            Attribute value = new Attribute.TensorValue(integers(type, shape, values));
            return node("Constant", List.of(), name, Map.of("value", value));
        }));
    }

    boolean isFraction(String name) {
        return type(name)
                .filter(known -> known == DataType.FLOAT || known == DataType.FLOAT16)
                .isPresent();
    }

    private Optional<DataType> integerType(String name) {
        return type(name).filter(known -> known == DataType.INT64 || known == DataType.INT32);
    }

    /** The element type of a value of the graph, where it can be told. */
    Optional<DataType> type(String name) {
        return types.get(name) instanceof ValueType.TensorType tensor ? tensor.elementType() : Optional.empty();
    }

    private static TensorData integers(DataType type, long[] shape, long... values) {
        return type == DataType.INT64
                ? TensorData.ofLongs(shape, values)
                : TensorData.ofInts(
                        shape, LongStream.of(values).mapToInt(Math::toIntExact).toArray());
    }

    private static Node node(String operator, List<String> inputs, String output, Map<String, Attribute> attributes) {
        return new Node(output, "", operator, inputs, List.of(output), attributes);
    }
}
