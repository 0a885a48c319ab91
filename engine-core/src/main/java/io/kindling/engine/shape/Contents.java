package io.kindling.engine.shape;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Dimension;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.stream.IntStream;

/**
 * Elements of small integer tensors as dimensions, followed through the operators that exporters compute shapes with. A
 * known element may be negative here; it is a number, not yet a size. What is compared with such gives 0 or 1.
 */
final class Contents {
    private static final int MAX_ELEMENTS = 64;

    private Contents() {}

    static Optional<List<Dimension>> of(TensorData tensor) {
        return tensor.shape().length > 1 || tensor.elementCount() > MAX_ELEMENTS
                ? Optional.empty()
                : tensor.integers().map(Contents::dimensions);
    }

    private static List<Dimension> dimensions(long[] values) {
        return Arrays.stream(values).mapToObj(Dimension::of).toList();
    }

    /** Elements of a node's output, where its inputs tell them. */
    static Optional<List<Dimension>> of(NodeCall call) {
        return switch (call.node().opType()) {
            case "Constant" -> constant(call);
            case "Shape" -> call.shape(0).map(shape -> part(call.node(), shape));
            case "Cast" -> cast(call);
            case "Unsqueeze", "Squeeze", "Identity" -> call.content(0);
            case "Reshape" -> call.shape(1).isPresent() ? call.content(0) : Optional.empty();
            case "Gather" -> gather(call);
            case "Concat" -> concat(call);
            case "Slice" -> slice(call);
            case "Add" -> combine(call, Dimensions::add);
            case "Sub" -> combine(call, Dimensions::subtract);
            case "Mul" -> combine(call, Dimensions::multiply);
            case "Div" -> combine(call, Dimensions::divide);
            case "Equal" -> combine(call, Contents::equal);
            case "Where" -> where(call);
            default -> Optional.empty();
        };
    }

    /** The sizes that a Shape gives of all. */
    static List<Dimension> part(Node node, List<Dimension> shape) {
        int start = bound(node.intAttribute("start", 0), shape.size());
        int end = bound(node.intAttribute("end", shape.size()), shape.size());
        return shape.subList(start, Math.max(start, end));
    }

    private static int bound(long index, int size) {
        return (int) Math.max(0, Math.min(index < 0 ? index + size : index, size));
    }

    private static Optional<List<Dimension>> constant(NodeCall call) {
        if (call.node().attribute("value").orElse(null) instanceof Attribute.TensorValue value) {
            return of(value.tensor());
        }
        if (call.node().attributes().containsKey("value_int")) {
            return Optional.of(List.of(Dimension.of(call.node().intAttribute("value_int", 0))));
        }
        return call.node()
                .intsAttribute("value_ints")
                .filter(values -> values.length <= MAX_ELEMENTS)
                .map(Contents::dimensions);
    }

    private static Optional<List<Dimension>> gather(NodeCall call) {
        return call.content(0).filter(list -> !list.isEmpty()).flatMap(list -> call.integers(1)
                .map(indices -> {
                    List<Dimension> result = new ArrayList<>();
                    for (long index : indices) {
                        result.add(list.get(Math.floorMod(index, list.size())));
                    }
                    return result;
                }));
    }

    private static Optional<List<Dimension>> concat(NodeCall call) {
        List<Dimension> result = new ArrayList<>();
        for (int i = 0; i < call.node().inputs().size(); i++) {
            if (call.content(i).isEmpty()) {
                return Optional.empty();
            }
            result.addAll(call.content(i).get());
        }
        return result.size() <= MAX_ELEMENTS ? Optional.of(result) : Optional.empty();
    }

    private static Optional<List<Dimension>> slice(NodeCall call) {
        Optional<long[]> starts = call.integers(1, "starts").filter(values -> values.length == 1);
        Optional<long[]> ends = call.integers(2, "ends").filter(values -> values.length == 1);
        boolean stepped = call.has(4)
                && !call.integers(4).map(s -> s.length == 1 && s[0] == 1).orElse(false);
        if (starts.isEmpty() || ends.isEmpty() || stepped) {
            return Optional.empty();
        }
        return call.content(0).map(list -> {
            int from = bound(starts.get()[0], list.size());
            return list.subList(from, Math.max(from, bound(ends.get()[0], list.size())));
        });
    }

    private static Optional<List<Dimension>> cast(NodeCall call) {
        boolean toBool = call.node().intAttribute("to", 0) == DataType.BOOL.code();
        return call.content(0)
                .map(list -> toBool ? list.stream().map(Contents::truth).toList() : list);
    }

    private static Dimension truth(Dimension number) {
        return number instanceof Dimension.Known known ? Dimension.of(known.size() == 0 ? 0 : 1) : Dimension.UNKNOWN;
    }

    private static Dimension equal(Dimension a, Dimension b) {
        boolean known = a instanceof Dimension.Known && b instanceof Dimension.Known;
        boolean same = a.equals(b) && !a.equals(Dimension.UNKNOWN);
        return same ? Dimension.of(1) : known || isNoSize(a, b) || isNoSize(b, a) ? Dimension.of(0) : Dimension.UNKNOWN;
    }

    /** Whether the number is negative and the other one a size. */
    private static boolean isNoSize(Dimension number, Dimension size) {
        return number instanceof Dimension.Known known && known.size() < 0 && size instanceof Dimension.Symbol;
    }

    private static Optional<List<Dimension>> where(NodeCall call) {
        return call.integers(0).flatMap(conditions -> call.content(1)
                .flatMap(a -> call.content(2).flatMap(b -> {
                    boolean equallyLong = conditions.length == a.size() && conditions.length == b.size();
                    return equallyLong
                            ? Optional.of(IntStream.range(0, conditions.length)
                                    .mapToObj(k -> conditions[k] != 0 ? a.get(k) : b.get(k))
                                    .toList())
                            : Optional.empty();
                })));
    }

    private static Optional<List<Dimension>> combine(NodeCall call, BinaryOperator<Dimension> operator) {
        return call.content(0).flatMap(a -> call.content(1).flatMap(b -> {
            int size = Math.max(a.size(), b.size());
            if ((a.size() != size && a.size() != 1) || (b.size() != size && b.size() != 1)) {
                return Optional.empty();
            }
            List<Dimension> result = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                result.add(operator.apply(a.get(a.size() == 1 ? 0 : i), b.get(b.size() == 1 ? 0 : i)));
            }
            return Optional.of(result);
        }));
    }
}
