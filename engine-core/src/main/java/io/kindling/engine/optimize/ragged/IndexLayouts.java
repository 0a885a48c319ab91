package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.ragged.Fact.Indexed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** How operators that move axes move the indices of {@link Indexed} values. */
final class IndexLayouts {
    private IndexLayouts() {}

    static Indexed unsqueeze(Indexed data, long[] axes) {
        int rank = data.dims().size() + axes.length;
        boolean[] inserted = new boolean[rank];
        for (long axis : axes) {
            inserted[LayoutRules.axis(axis, rank)] = true;
        }
        List<Size> dims = new ArrayList<>();
        int[] places = new int[data.dims().size()];
        int from = 0;
        for (int k = 0; k < rank; k++) {
            if (inserted[k]) {
                dims.add(Size.of(1));
            } else {
                places[data.dims().size() - 1 - from] = rank - 1 - k;
                dims.add(data.dims().get(from++));
            }
        }
        return new Indexed(dims, data.element().forms(form -> form.move(places)));
    }

    static Optional<Indexed> squeeze(Indexed data, long[] axes) {
        int rank = data.dims().size();
        boolean[] removed = new boolean[rank];
        for (long axis : axes) {
            removed[LayoutRules.axis(axis, rank)] = true;
        }
        List<Size> dims = new ArrayList<>();
        for (int k = 0; k < rank; k++) {
            if (!removed[k]) {
                dims.add(data.dims().get(k));
            } else if (!data.dims().get(k).is(1)) {
                return Optional.empty();
            }
        }
        return relabel(data, dims);
    }

    /** Other dimensions of 1 between the same longer ones. */
    private static Optional<Indexed> relabel(Indexed data, List<Size> dims) {
        List<Integer> from = longAxes(data.dims());
        List<Integer> to = longAxes(dims);
        if (from.size() != to.size()) {
            return Optional.empty();
        }
        int[] places = new int[data.dims().size()];
        Arrays.fill(places, -1);
        for (int k = 0; k < from.size(); k++) {
            if (!data.dims().get(from.get(k)).equals(dims.get(to.get(k)))) {
                return Optional.empty();
            }
            places[data.dims().size() - 1 - from.get(k)] = dims.size() - 1 - to.get(k);
        }
        return Optional.of(new Indexed(dims, data.element().forms(form -> form.move(places))));
    }

    private static List<Integer> longAxes(List<Size> dims) {
        List<Integer> axes = new ArrayList<>();
        for (int k = 0; k < dims.size(); k++) {
            if (!dims.get(k).is(1)) {
                axes.add(k);
            }
        }
        return axes;
    }

    static Optional<Indexed> reshape(Node node, Indexed data, List<Size> target) {
        List<Size> dims = new ArrayList<>();
        List<Size> left = new ArrayList<>(data.dims());
        int open = -1;
        for (int k = 0; k < target.size(); k++) {
            Size size = target.get(k);
            if (size.is(0) && node.intAttribute("allowzero", 0) == 0) {
                if (k >= data.dims().size()) {
                    return Optional.empty();
                }
                size = data.dims().get(k);
            }
            if (size.is(-1)) {
                open = k;
            } else {
                left.remove(size);
            }
            dims.add(size);
        }
        left.removeIf(size -> size.is(1));
        if (open >= 0 && left.size() <= 1) {
            dims.set(open, left.isEmpty() ? Size.of(1) : left.remove(0));
        }
        return left.isEmpty() ? relabel(data, dims) : Optional.empty();
    }

    static Optional<Indexed> flatten(Indexed data, long axis) {
        int at = LayoutRules.axis(axis, data.dims().size());
        List<Size> rows = new ArrayList<>(data.dims().subList(0, at));
        List<Size> columns = new ArrayList<>(data.dims().subList(at, data.dims().size()));
        rows.removeIf(size -> size.is(1));
        columns.removeIf(size -> size.is(1));
        if (rows.size() > 1 || columns.size() > 1) {
            return Optional.empty();
        }
        return relabel(
                data,
                List.of(rows.isEmpty() ? Size.of(1) : rows.get(0), columns.isEmpty() ? Size.of(1) : columns.get(0)));
    }

    static Indexed transpose(Indexed data, Optional<long[]> order) {
        int rank = data.dims().size();
        List<Size> dims = new ArrayList<>();
        int[] places = new int[rank];
        for (int k = 0; k < rank; k++) {
            int from = order.isPresent() ? (int) order.get()[k] : rank - 1 - k;
            dims.add(data.dims().get(from));
            places[rank - 1 - from] = rank - 1 - k;
        }
        return new Indexed(dims, data.element().forms(form -> form.move(places)));
    }

    /** Cuts along axes with starts and ends that are sizes; inputs as in opset 10 and later. */
    static Optional<Indexed> slice(Indexed data, List<Fact> inputs) {
        List<List<Size>> bounds = new ArrayList<>();
        for (int k = 1; k < inputs.size(); k++) {
            Optional<Fact.Sizes> sizes = SizeRules.sizes(inputs.get(k));
            if (sizes.isEmpty()) {
                return Optional.empty();
            }
            bounds.add(sizes.get().values());
        }
        if (bounds.size() < 2
                || (bounds.size() > 3 && !bounds.get(3).stream().allMatch(step -> step.is(1)))
                || (bounds.size() > 2 && !bounds.get(2).stream().allMatch(Size::isConstant))) {
            return Optional.empty();
        }
        List<Size> dims = new ArrayList<>(data.dims());
        Element element = data.element();
        for (int k = 0; k < bounds.get(0).size(); k++) {
            int axis = bounds.size() > 2 ? LayoutRules.axis(bounds.get(2).get(k).constant(), dims.size()) : k;
            Size size = dims.get(axis);
            Optional<Size> start = bound(bounds.get(0).get(k), size);
            Optional<Size> end = bound(bounds.get(1).get(k), size);
            if (start.isEmpty() || end.isEmpty()) {
                return Optional.empty();
            }
            int fromEnd = dims.size() - 1 - axis;
            Form index = Form.index(fromEnd).plus(Form.of(start.get()));
            element = element.forms(form -> form.substitute(fromEnd, index));
            dims.set(axis, end.get().plus(start.get().times(-1)));
        }
        return Optional.of(new Indexed(dims, element));
    }

    /** A bound of a slice from the start of the axis; empty when it may need to be clamped. */
    private static Optional<Size> bound(Size bound, Size size) {
        if (bound.equals(size) || bound.is(0)) {
            return Optional.of(bound);
        }
        if (bound.isConstant() && bound.constant() >= Integer.MAX_VALUE) {
            return Optional.of(size);
        }
        // From the end: −S on an axis that is L long, or −1 on one that has an element in every run.
        Size fromStart = size.plus(bound);
        boolean within = bound.equals(Size.FED.times(-1)) && size.equals(Size.TOTAL)
                || bound.is(-1) && (size.equals(Size.TOTAL) || size.equals(Size.FED))
                || size.isConstant() && bound.isConstant() && bound.constant() < 0 && fromStart.constant() >= 0;
        if (within) {
            return Optional.of(fromStart);
        }
        boolean before = Form.of(bound).least(List.of()) >= 0
                && Form.of(size.plus(bound.times(-1))).least(List.of()) >= 0;
        return before ? Optional.of(bound) : Optional.empty();
    }

    /** Dimensions that are 1 long have index 0, whatever the formula says. */
    static Element settled(List<Size> dims, Element element) {
        int[] places = new int[dims.size()];
        Arrays.setAll(places, k -> dims.get(dims.size() - 1 - k).is(1) ? -1 : k);
        Element moved = Arrays.stream(places).noneMatch(place -> place < 0)
                ? element
                : element.forms(form -> form.move(places));
        return decided(dims, moved);
    }

    /** Without choices that are made in the same way all over the tensor. */
    private static Element decided(List<Size> dims, Element element) {
        if (!(element instanceof Element.Choice choice)) {
            return element;
        }
        Form test = choice.atLeastZero();
        if (test.least(dims) >= 0) {
            return decided(dims, choice.yes());
        }
        if (test.times(-1).least(dims) > 0) {
            return decided(dims, choice.no());
        }
        return new Element.Choice(test, decided(dims, choice.yes()), decided(dims, choice.no()));
    }
}
