package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.ragged.Fact.Cache;
import io.kindling.engine.optimize.ragged.Fact.Fixed;
import io.kindling.engine.optimize.ragged.Fact.Indexed;
import io.kindling.engine.optimize.ragged.Fact.Past;
import io.kindling.engine.optimize.ragged.Fact.Scores;
import io.kindling.engine.optimize.ragged.Fact.Sizes;
import io.kindling.engine.optimize.ragged.Fact.Tokens;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/** Rules for the integer arithmetic on shapes that exporters write. */
final class SizeRules {
    private SizeRules() {}

    /** A value as sizes, if it is made of sizes or small integer constants. */
    static Optional<Sizes> sizes(Fact fact) {
        if (fact instanceof Sizes sizes) {
            return Optional.of(sizes);
        }
        if (fact instanceof Fixed fixed
                && fixed.shape().isPresent()
                && fixed.shape().get().size() <= 1) {
            return fixed.integers()
                    .map(values -> new Sizes(
                            LongStream.of(values).mapToObj(Size::of).toList(),
                            fixed.shape().get().isEmpty()));
        }
        return Optional.empty();
    }

    /** The numbers, where none depends on the run. */
    static Optional<long[]> constants(Sizes sizes) {
        return sizes.values().stream().allMatch(Size::isConstant)
                ? Optional.of(sizes.values().stream().mapToLong(Size::constant).toArray())
                : Optional.empty();
    }

    /** The dimensions of a value, if known. */
    static Optional<List<Size>> dims(Fact fact) {
        if (fact instanceof Tokens tokens) {
            return Optional.of(tokens.dims());
        }
        if (fact instanceof Indexed indexed) {
            return Optional.of(indexed.dims());
        }
        if (fact instanceof Past past) {
            return Optional.of(past.dims());
        }
        if (fact instanceof Cache cache) {
            return Optional.of(cache.dims());
        }
        if (fact instanceof Scores scores) {
            return Optional.of(scores.dims());
        }
        if (fact instanceof Fact.Mixed mixed) {
            return mixed.dims();
        }
        if (fact instanceof Fixed fixed) {
            return fixed.shape().map(shape -> shape.stream().map(Size::of).toList());
        }
        return Optional.empty();
    }

    /** {@code Shape}, with its {@code start} and {@code end}. */
    static Optional<Fact> shape(Node node, Fact input) {
        return dims(input).map(dims -> {
            int rank = dims.size();
            int start = clamp(node.intAttribute("start", 0), rank);
            int end = clamp(node.intAttribute("end", rank), rank);
            return new Sizes(dims.subList(start, Math.max(start, end)), false);
        });
    }

    private static int clamp(long index, int rank) {
        return (int) Math.max(0, Math.min(rank, index < 0 ? index + rank : index));
    }

    /** Whatever the operator does to sizes; empty when it does more than is followed here. */
    static Optional<Fact> apply(Node node, List<Fact> inputs) {
        if (node.opType().equals("ReduceSum") && inputs.get(0) instanceof Indexed mask) {
            return sumOfOnes(node, mask, inputs);
        }
        if (node.opType().equals("ReduceMax") && inputs.get(0) instanceof Indexed same) {
            return onlyNumber(node, same, inputs);
        }
        List<Sizes> sizes = new ArrayList<>();
        for (Fact input : inputs) {
            Optional<Sizes> known = sizes(input);
            if (known.isEmpty()) {
                return Optional.empty();
            }
            sizes.add(known.get());
        }
        return Optional.ofNullable(
                switch (node.opType()) {
                    case "Cast" -> toInteger(node) ? sizes.get(0) : null;
                    case "Identity" -> sizes.get(0);
                    case "Unsqueeze" ->
                        sizes.get(0).scalar() ? new Sizes(sizes.get(0).values(), false) : null;
                    case "Squeeze" ->
                        sizes.get(0).values().size() == 1
                                ? new Sizes(sizes.get(0).values(), true)
                                : null;
                    case "Concat" ->
                        new Sizes(
                                sizes.stream()
                                        .flatMap(part -> part.values().stream())
                                        .toList(),
                                false);
                    case "Gather" -> gather(sizes.get(0), sizes.get(1));
                    case "Slice" -> slice(sizes);
                    case "Add" -> combine(sizes, 1);
                    case "Sub" -> combine(sizes, -1);
                    case "Mul" -> product(sizes);
                    case "Div" -> quotient(sizes);
                    case "Equal" -> equal(sizes);
                    case "Where" -> where(sizes);
                    case "Reshape" -> reshape(sizes);
                    case "Expand" -> expand(sizes);
                    default -> null;
                });
    }

    /** The row sum of a mask of ones {@code [1, L]}. */
    private static Optional<Fact> sumOfOnes(Node node, Indexed ones, List<Fact> inputs) {
        long[] axes = node.intsAttribute("axes")
                .or(() ->
                        inputs.size() > 1 && inputs.get(1) instanceof Fixed fixed ? fixed.integers() : Optional.empty())
                .orElse(new long[0]);
        boolean overLast =
                axes.length == 1 && (axes[0] == -1 || axes[0] == ones.dims().size() - 1);
        if (!overLast
                || !ones.element().equals(Element.TRUE)
                || ones.dims().size() != 2
                || !ones.dims().get(0).is(1)) {
            return Optional.empty();
        }
        // With keepdims the shape is [1, 1], else [1]; what reads it looks at the one value.
        return Optional.of(new Sizes(List.of(ones.dims().get(1)), false));
    }

    /** The largest of integers that are all the same. */
    private static Optional<Fact> onlyNumber(Node node, Indexed same, List<Fact> inputs) {
        boolean one = same.element().isConstant()
                && node.intAttribute("keepdims", 1) == 0
                && node.intsAttribute("axes").isEmpty()
                && inputs.size() == 1
                && same.dims().stream().allMatch(size -> size.isConstant() && size.constant() > 0);
        double number = one ? ((Element.Leaf) same.element()).form().constant() : Double.NaN;
        return number == Math.rint(number)
                ? Optional.of(new Sizes(List.of(Size.of((long) number)), true))
                : Optional.empty();
    }

    private static Sizes gather(Sizes data, Sizes indices) {
        List<Size> picked = new ArrayList<>();
        for (Size index : indices.values()) {
            if (!index.isConstant()) {
                return null;
            }
            int at = (int)
                    (index.constant() < 0 ? index.constant() + data.values().size() : index.constant());
            if (at < 0 || at >= data.values().size()) {
                return null;
            }
            picked.add(data.values().get(at));
        }
        return new Sizes(picked, indices.scalar());
    }

    private static Sizes slice(List<Sizes> inputs) {
        boolean plain = inputs.size() >= 3
                && inputs.subList(1, inputs.size()).stream()
                        .allMatch(part -> part.values().size() == 1
                                && part.values().get(0).isConstant())
                && (inputs.size() < 5 || inputs.get(4).values().get(0).is(1));
        if (!plain) {
            return null;
        }
        List<Size> data = inputs.get(0).values();
        int start = clamp(inputs.get(1).values().get(0).constant(), data.size());
        int end = clamp(inputs.get(2).values().get(0).constant(), data.size());
        return new Sizes(data.subList(start, Math.max(start, end)), false);
    }

    private static Sizes combine(List<Sizes> inputs, long sign) {
        List<Size> left = inputs.get(0).values();
        List<Size> right = inputs.get(1).values();
        if (left.size() != 1 && right.size() != 1 && left.size() != right.size()) {
            return null;
        }
        Size[] sums = new Size[Math.max(left.size(), right.size())];
        Arrays.setAll(sums, k -> left.get(left.size() == 1 ? 0 : k)
                .plus(right.get(right.size() == 1 ? 0 : k).times(sign)));
        return new Sizes(List.of(sums), inputs.get(0).scalar() && inputs.get(1).scalar());
    }

    private static Sizes product(List<Sizes> inputs) {
        List<Size> left = inputs.get(0).values();
        List<Size> right = inputs.get(1).values();
        boolean scalar = inputs.get(0).scalar() && inputs.get(1).scalar();
        if (left.size() != 1 || right.size() != 1) {
            return null;
        }
        if (right.get(0).isConstant()) {
            return new Sizes(List.of(left.get(0).times(right.get(0).constant())), scalar);
        }
        return left.get(0).isConstant()
                ? new Sizes(List.of(right.get(0).times(left.get(0).constant())), scalar)
                : null;
    }

    private static boolean toInteger(Node node) {
        long to = node.intAttribute("to", 0);
        return to == DataType.INT64.code() || to == DataType.INT32.code();
    }

    /** Of constants that are not negative, so that it does not matter how is rounded. */
    private static Sizes quotient(List<Sizes> inputs) {
        Size left = inputs.get(0).values().get(0);
        Size right = inputs.get(1).values().get(0);
        boolean plain = inputs.get(0).values().size() == 1
                && inputs.get(1).values().size() == 1
                && left.isConstant()
                && right.isConstant()
                && left.constant() >= 0
                && right.constant() > 0;
        return plain
                ? new Sizes(
                        List.of(Size.of(left.constant() / right.constant())),
                        inputs.get(0).scalar() && inputs.get(1).scalar())
                : null;
    }

    /** Truth values as 1 and 0, where they are the same in every run. */
    private static Sizes equal(List<Sizes> inputs) {
        Sizes differences = combine(inputs, -1);
        if (differences == null) {
            return null;
        }
        List<Size> truths = new ArrayList<>();
        for (Size difference : differences.values()) {
            boolean positive = difference.fed() >= 0
                    && difference.total() >= 0
                    && difference.constant() + difference.fed() + difference.total() > 0;
            if (!positive && !difference.isConstant()) {
                return null;
            }
            truths.add(Size.of(difference.is(0) ? 1 : 0));
        }
        return new Sizes(truths, differences.scalar());
    }

    private static Sizes where(List<Sizes> inputs) {
        int count = inputs.stream().mapToInt(part -> part.values().size()).max().orElse(0);
        List<Size> picked = new ArrayList<>();
        for (int k = 0; k < count; k++) {
            Size condition = each(inputs.get(0), k, count);
            Size yes = each(inputs.get(1), k, count);
            Size no = each(inputs.get(2), k, count);
            if (condition == null || yes == null || no == null || !condition.isConstant()) {
                return null;
            }
            picked.add(condition.is(0) ? no : yes);
        }
        return new Sizes(picked, inputs.stream().allMatch(Sizes::scalar));
    }

    private static Size each(Sizes sizes, int index, int count) {
        return sizes.values().size() == 1
                ? sizes.values().get(0)
                : sizes.values().size() == count ? sizes.values().get(index) : null;
    }

    /** To rank 1 or 0. */
    private static Sizes reshape(List<Sizes> inputs) {
        List<Size> target = inputs.get(1).values();
        List<Size> data = inputs.get(0).values();
        if (target.isEmpty()) {
            return data.size() == 1 ? new Sizes(data, true) : null;
        }
        boolean row =
                target.size() == 1 && (target.get(0).is(-1) || target.get(0).is(data.size()));
        return row ? new Sizes(data, false) : null;
    }

    /** To a short list. */
    private static Sizes expand(List<Sizes> inputs) {
        List<Size> data = inputs.get(0).values();
        List<Size> target = inputs.get(1).values();
        boolean row = target.size() == 1
                && target.get(0).isConstant()
                && target.get(0).constant() <= Byte.MAX_VALUE
                && data.size() == 1;
        return row ? new Sizes(Collections.nCopies((int) target.get(0).constant(), data.get(0)), false) : null;
    }
}
