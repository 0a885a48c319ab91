package io.kindling.engine.shape;

import io.kindling.engine.ir.Dimension;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Shapes of operators that move, join, cut or reduce axes. */
final class StructureShapes {
    private static final Set<String> KNOWN = Set.of(
            "Reshape",
            "Transpose",
            "Unsqueeze",
            "Squeeze",
            "Flatten",
            "Concat",
            "Slice",
            "Gather",
            "GatherElements",
            "GatherND",
            "Expand",
            "Range",
            "Tile",
            "ReduceSum",
            "ReduceMean",
            "ReduceMax",
            "ReduceMin",
            "ReduceL2",
            "ReduceProd");

    private StructureShapes() {}

    static boolean knows(String operator) {
        return KNOWN.contains(operator);
    }

    static Optional<List<Dimension>> of(NodeCall call) {
        return switch (call.node().opType()) {
            case "Shape" -> Optional.of(List.of(shapeLength(call)));
            case "Size" -> Optional.of(List.of());
            case "NonZero" -> call.shape(0).map(shape -> List.of(Dimension.of(shape.size()), Dimension.UNKNOWN));
            case "Reshape" -> reshape(call);
            case "Transpose" -> transpose(call);
            case "Unsqueeze" -> unsqueeze(call);
            case "Squeeze" -> squeeze(call);
            case "Flatten" -> flatten(call);
            case "Concat" -> concat(call);
            case "Split" -> split(call);
            case "Slice" -> slice(call);
            case "Gather" -> gather(call);
            case "GatherElements" -> call.shape(1);
            case "GatherND" -> gatherTuples(call);
            case "Expand" ->
                Dimensions.broadcast(
                        call.shape(0), call.content(1).map(NodeTypes::sizes).or(() -> length(call, 1)));
            case "Range" -> Optional.of(List.of(range(call)));
            case "Tile" -> tile(call);
            case "ArgMax", "ArgMin" -> reduce(call, new long[] {call.node().intAttribute("axis", 0)});
            default -> call.hasAxes(1) ? call.axes(1).flatMap(axes -> reduce(call, axes)) : reduceAll(call);
        };
    }

    /** Sizes of which only the number is known: the length of a shape tensor. */
    private static Optional<List<Dimension>> length(NodeCall call, int input) {
        return call.shape(input)
                .filter(shape -> shape.size() == 1 && shape.get(0).sizeOrMinusOne() >= 0)
                .map(shape -> Collections.nCopies((int) shape.get(0).sizeOrMinusOne(), Dimension.UNKNOWN));
    }

    private static Dimension shapeLength(NodeCall call) {
        return call.shape(0)
                .map(shape -> Dimension.of(Contents.part(call.node(), shape).size()))
                .orElse(Dimension.UNKNOWN);
    }

    private static Optional<List<Dimension>> reshape(NodeCall call) {
        return call.content(1).or(() -> length(call, 1)).map(wanted -> {
            List<Dimension> shape = new ArrayList<>();
            int open = -1;
            for (int i = 0; i < wanted.size(); i++) {
                Dimension size = wanted.get(i);
                if (size.equals(Dimension.of(0)) && call.node().intAttribute("allowzero", 0) == 0) {
                    int axis = i;
                    size = call.shape(0)
                            .filter(s -> axis < s.size())
                            .map(s -> s.get(axis))
                            .orElse(Dimension.UNKNOWN);
                } else if (size.equals(Dimension.of(-1))) {
                    open = i;
                    size = Dimension.of(1);
                } else if (size instanceof Dimension.Known known) {
                    size = Dimensions.of(known.size());
                }
                shape.add(size);
            }
            if (open >= 0) {
                Dimension rest = Dimensions.product(shape);
                shape.set(
                        open, call.shape(0).map(s -> remaining(s, shape, rest)).orElse(Dimension.UNKNOWN));
            }
            return shape;
        });
    }

    /** What −1 stands for: equal symbols cancel, known sizes divide. */
    private static Dimension remaining(List<Dimension> from, List<Dimension> to, Dimension rest) {
        Dimension all = Dimensions.product(from);
        if (all instanceof Dimension.Known) {
            return rest.sizeOrMinusOne() == 0 ? Dimension.UNKNOWN : Dimensions.divide(all, rest);
        }
        List<Dimension> left = new ArrayList<>(from);
        List<Dimension> divisors = new ArrayList<>(to);
        divisors.removeIf(dimension -> dimension instanceof Dimension.Symbol && left.remove(dimension));
        Dimension dividend = known(left);
        Dimension divisor = known(divisors);
        left.removeIf(Dimension.Known.class::isInstance);
        divisors.removeIf(Dimension.Known.class::isInstance);
        boolean whole = divisors.isEmpty()
                && divisor.sizeOrMinusOne() > 0
                && dividend.sizeOrMinusOne() % divisor.sizeOrMinusOne() == 0;
        return whole
                ? Dimensions.multiply(Dimensions.divide(dividend, divisor), Dimensions.product(left))
                : Dimension.UNKNOWN;
    }

    /** The product of the known sizes. */
    private static Dimension known(List<Dimension> sizes) {
        return Dimensions.product(
                sizes.stream().filter(Dimension.Known.class::isInstance).toList());
    }

    private static Optional<List<Dimension>> transpose(NodeCall call) {
        return call.shape(0).map(shape -> {
            Optional<long[]> order = call.node().intsAttribute("perm");
            List<Dimension> moved = new ArrayList<>(shape);
            if (order.isEmpty()) {
                Collections.reverse(moved);
            } else if (order.get().length == shape.size()) {
                for (int i = 0; i < moved.size(); i++) {
                    moved.set(i, shape.get(Math.floorMod(order.get()[i], shape.size())));
                }
            }
            return moved;
        });
    }

    private static Optional<List<Dimension>> unsqueeze(NodeCall call) {
        return call.shape(0).flatMap(shape -> call.axes(1).map(axes -> {
            int rank = shape.size() + axes.length;
            TreeSet<Integer> at = new TreeSet<>();
            Arrays.stream(axes).forEach(axis -> at.add(Math.floorMod(axis, rank)));
            List<Dimension> result = new ArrayList<>(shape);
            at.forEach(axis -> result.add(Math.min(axis, result.size()), Dimension.of(1)));
            return result;
        }));
    }

    private static Optional<List<Dimension>> squeeze(NodeCall call) {
        if (!call.hasAxes(1)) {
            return Optional.empty();
        }
        return call.shape(0).flatMap(shape -> call.axes(1).map(axes -> without(shape, axes)));
    }

    private static List<Dimension> without(List<Dimension> shape, long[] axes) {
        TreeSet<Integer> at = new TreeSet<>(Collections.reverseOrder());
        Arrays.stream(axes).filter(axis -> !shape.isEmpty()).forEach(axis -> at.add(Math.floorMod(axis, shape.size())));
        List<Dimension> result = new ArrayList<>(shape);
        at.forEach(axis -> result.remove((int) axis));
        return result;
    }

    private static Optional<List<Dimension>> flatten(NodeCall call) {
        return call.shape(0).map(shape -> {
            long axis = call.node().intAttribute("axis", 1);
            int at = (int) Math.max(0, Math.min(axis < 0 ? axis + shape.size() : axis, shape.size()));
            return List.of(
                    Dimensions.product(shape.subList(0, at)), Dimensions.product(shape.subList(at, shape.size())));
        });
    }

    private static Optional<List<Dimension>> concat(NodeCall call) {
        List<Dimension> result = null;
        for (int i = 0; i < call.node().inputs().size(); i++) {
            Optional<List<Dimension>> shape = call.shape(i);
            if (shape.isEmpty()
                    || shape.get().isEmpty()
                    || (result != null && result.size() != shape.get().size())) {
                return Optional.empty();
            }
            if (result == null) {
                result = new ArrayList<>(shape.get());
                continue;
            }
            int axis = Math.floorMod(call.node().intAttribute("axis", 0), result.size());
            for (int k = 0; k < result.size(); k++) {
                Dimension other = shape.get().get(k);
                result.set(
                        k, k == axis ? Dimensions.add(result.get(k), other) : Dimensions.merge(result.get(k), other));
            }
        }
        return Optional.ofNullable(result);
    }

    private static Optional<List<Dimension>> split(NodeCall call) {
        return call.shape(0).filter(shape -> !shape.isEmpty()).map(shape -> {
            List<Dimension> part = new ArrayList<>(shape);
            int axis = Math.floorMod(call.node().intAttribute("axis", 0), shape.size());
            long size = shape.get(axis).sizeOrMinusOne();
            int parts = call.node().outputs().size();
            boolean equal = !call.has(1) && !call.node().attributes().containsKey("split");
            part.set(axis, equal && size >= 0 && size % parts == 0 ? Dimension.of(size / parts) : Dimension.UNKNOWN);
            return part;
        });
    }

    /** Only the form with inputs; an axis that is cut by a known range of a known size stays known. */
    /** From 0 by 1 there are as many numbers as the limit says. */
    private static Dimension range(NodeCall call) {
        boolean counts = isNumber(call, 0, 0) && isNumber(call, 2, 1);
        return call.content(1)
                .filter(limit -> counts && limit.size() == 1)
                .map(limit -> limit.get(0) instanceof Dimension.Known known
                        ? Dimension.of(Math.max(0, known.size()))
                        : limit.get(0))
                .orElse(Dimension.UNKNOWN);
    }

    private static boolean isNumber(NodeCall call, int input, long number) {
        return call.integers(input)
                .filter(values -> values.length == 1 && values[0] == number)
                .isPresent();
    }

    private static Optional<List<Dimension>> slice(NodeCall call) {
        Optional<long[]> axes = call.hasAxes(3)
                ? call.axes(3)
                : call.content(1)
                        .map(List::size)
                        .or(() -> call.node().intsAttribute("starts").map(starts -> starts.length))
                        .map(StructureShapes::firstAxes);
        if (axes.isEmpty()) {
            return call.shape(0).map(Dimensions::ofEqualRank);
        }
        return call.shape(0).map(shape -> {
            List<Dimension> result = new ArrayList<>(shape);
            for (int i = 0; i < axes.get().length && !shape.isEmpty(); i++) {
                int axis = Math.floorMod(axes.get()[i], shape.size());
                result.set(axis, sliced(call, i, shape.get(axis)));
            }
            return result;
        });
    }

    private static long[] firstAxes(int count) {
        long[] axes = new long[count];
        Arrays.setAll(axes, i -> i);
        return axes;
    }

    private static Dimension sliced(NodeCall call, int index, Dimension size) {
        Optional<long[]> starts = call.integers(1, "starts").filter(values -> index < values.length);
        Optional<long[]> ends = call.integers(2, "ends").filter(values -> index < values.length);
        long step = call.has(4)
                ? call.integers(4)
                        .filter(s -> index < s.length)
                        .map(s -> s[index])
                        .orElse(0L)
                : 1;
        if (starts.isEmpty() || step != 1) {
            return Dimension.UNKNOWN;
        }
        long start = starts.get()[index];
        if (ends.isEmpty()) {
            return call.content(2)
                    .filter(all -> start == 0 && index < all.size())
                    .map(all -> smaller(all.get(index), size))
                    .orElse(Dimension.UNKNOWN);
        }
        long end = ends.get()[index];
        if (start == 0 && end >= Integer.MAX_VALUE) {
            return size;
        }
        long length = size.sizeOrMinusOne();
        if (length < 0) {
            return Dimension.UNKNOWN;
        }
        long from = Math.max(0, Math.min(start < 0 ? start + length : start, length));
        long to = Math.max(0, Math.min(end < 0 ? end + length : end, length));
        return Dimension.of(Math.max(0, to - from));
    }

    /** Of an end that is the size of something and an axis to be cut there, which may be shorter. */
    private static Dimension smaller(Dimension end, Dimension size) {
        return end.equals(size)
                ? size
                : end instanceof Dimension.Symbol symbol && size.sizeOrMinusOne() > 0
                        ? new Dimension.AtMost(symbol, size.sizeOrMinusOne())
                        : Dimension.UNKNOWN;
    }

    private static Optional<List<Dimension>> gather(NodeCall call) {
        if (call.shape(0).isEmpty()
                || call.shape(1).isEmpty()
                || call.shape(0).get().isEmpty()) {
            return Optional.empty();
        }
        List<Dimension> data = call.shape(0).get();
        int axis = Math.floorMod(call.node().intAttribute("axis", 0), data.size());
        List<Dimension> result = new ArrayList<>(data.subList(0, axis));
        result.addAll(call.shape(1).get());
        result.addAll(data.subList(axis + 1, data.size()));
        return Optional.of(result);
    }

    /** Indices are tuples along their last axis, each of which chooses a part of the data. */
    private static Optional<List<Dimension>> gatherTuples(NodeCall call) {
        return call.shape(0).flatMap(data -> call.shape(1)
                .filter(indices -> !indices.isEmpty())
                .flatMap(indices -> {
                    int last = indices.size() - 1;
                    long chosen =
                            indices.get(last).sizeOrMinusOne() + call.node().intAttribute("batch_dims", 0);
                    boolean fits = indices.get(last).sizeOrMinusOne() > 0 && chosen > 0 && chosen <= data.size();
                    return fits
                            ? Optional.of(Stream.concat(
                                            indices.subList(0, last).stream(),
                                            data.subList((int) chosen, data.size()).stream())
                                    .toList())
                            : Optional.empty();
                }));
    }

    private static Optional<List<Dimension>> tile(NodeCall call) {
        return call.shape(0).map(shape -> {
            List<Dimension> result = new ArrayList<>(shape);
            Optional<List<Dimension>> repeats = call.content(1).filter(list -> list.size() == shape.size());
            for (int i = 0; i < result.size(); i++) {
                result.set(
                        i,
                        repeats.isEmpty()
                                ? Dimension.UNKNOWN
                                : Dimensions.multiply(
                                        shape.get(i), repeats.get().get(i)));
            }
            return result;
        });
    }

    private static Optional<List<Dimension>> reduce(NodeCall call, long[] axes) {
        if (axes.length == 0) {
            return reduceAll(call);
        }
        return call.shape(0).filter(shape -> !shape.isEmpty()).map(shape -> {
            if (call.node().intAttribute("keepdims", 1) == 0) {
                return without(shape, axes);
            }
            List<Dimension> result = new ArrayList<>(shape);
            Arrays.stream(axes).forEach(axis -> result.set(Math.floorMod(axis, shape.size()), Dimension.of(1)));
            return result;
        });
    }

    private static Optional<List<Dimension>> reduceAll(NodeCall call) {
        if (call.node().intAttribute("noop_with_empty_axes", 0) != 0) {
            return call.shape(0);
        }
        if (call.node().intAttribute("keepdims", 1) == 0) {
            return Optional.of(List.of());
        }
        return call.shape(0).map(shape -> Collections.nCopies(shape.size(), Dimension.of(1)));
    }
}
