package io.kindling.engine.optimize.ragged;

import java.util.ArrayList;
import java.util.List;

/**
 * A number that depends linearly on the sizes of a run and on where an element stands:
 * {@code constant + fed * S + total * L + Σ axes[k] * index of the k-th axis from the end}.
 */
record Form(double constant, long fed, long total, List<Long> axes) {
    static final Form ZERO = new Form(0, 0, 0, List.of());

    Form {
        int used = axes.size();
        while (used > 0 && axes.get(used - 1) == 0) {
            used--;
        }
        axes = List.copyOf(axes.subList(0, used));
    }

    static Form of(double constant) {
        return new Form(constant, 0, 0, List.of());
    }

    static Form of(Size size) {
        return new Form(size.constant(), size.fed(), size.total(), List.of());
    }

    /** The index along the k-th axis from the end. */
    static Form index(int fromEnd) {
        List<Long> axes = new ArrayList<>();
        for (int k = 0; k < fromEnd; k++) {
            axes.add(0L);
        }
        axes.add(1L);
        return new Form(0, 0, 0, axes);
    }

    long axis(int fromEnd) {
        return fromEnd < axes.size() ? axes.get(fromEnd) : 0;
    }

    boolean isConstant() {
        return fed == 0 && total == 0 && axes.isEmpty();
    }

    Form plus(Form other) {
        List<Long> sum = new ArrayList<>();
        for (int k = 0; k < Math.max(axes.size(), other.axes.size()); k++) {
            sum.add(axis(k) + other.axis(k));
        }
        return new Form(constant + other.constant, fed + other.fed, total + other.total, sum);
    }

    Form times(long factor) {
        return new Form(
                constant * factor,
                fed * factor,
                total * factor,
                axes.stream().map(axis -> axis * factor).toList());
    }

    Form minus(Form other) {
        return plus(other.times(-1));
    }

    /**
     * The least value over all runs and places in a tensor: indices lie from 0 to a dimension less 1, and S tokens are fed
     * after P = L − S others, {@code S ≥ 1}, {@code P ≥ 0}. −∞ where there is none.
     */
    double least(List<Size> dims) {
        if (axes.size() > dims.size()) {
            return Double.NEGATIVE_INFINITY;
        }
        Form lowest = new Form(constant, fed, total, List.of());
        for (int k = 0; k < axes.size(); k++) {
            if (axes.get(k) < 0) {
                Size last = dims.get(dims.size() - 1 - k).plus(Size.of(-1));
                lowest = lowest.plus(of(last).times(axes.get(k)));
            }
        }
        boolean falls = lowest.total < 0 || lowest.fed + lowest.total < 0;
        return falls ? Double.NEGATIVE_INFINITY : lowest.constant + lowest.fed + lowest.total;
    }

    /** With another form in place of the index of an axis. */
    Form substitute(int fromEnd, Form index) {
        List<Long> others = new ArrayList<>(axes);
        if (fromEnd < others.size()) {
            others.set(fromEnd, 0L);
        }
        return new Form(constant, fed, total, others).plus(index.times(axis(fromEnd)));
    }

    /** With axes at other places: {@code places[k]} is where the k-th axis from the end goes, −1 where it is 1 long. */
    Form move(int[] places) {
        Form moved = new Form(constant, fed, total, List.of());
        for (int k = 0; k < axes.size(); k++) {
            if (axes.get(k) != 0 && places[k] >= 0) {
                moved = moved.plus(index(places[k]).times(axes.get(k)));
            }
        }
        return moved;
    }
}
