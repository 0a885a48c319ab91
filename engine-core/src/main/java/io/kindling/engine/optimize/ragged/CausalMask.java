package io.kindling.engine.optimize.ragged;

import io.kindling.engine.optimize.ragged.Element.Choice;
import io.kindling.engine.optimize.ragged.Element.Leaf;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Decides whether a mask {@code […, S, L]} lets every token see itself and the tokens before it, all of them or the last
 * few. A mask whose choices all hang on {@code d = (L − S + query) − key} alone is decided exactly: beyond the largest
 * constant in its tests nothing changes any more, so that looking at every d up to there is a proof.
 */
final class CausalMask {
    /** The widest window that is looked for. */
    private static final long MAX_WINDOW = 1 << 20;

    /** Below it a score has no weight beside one that is not masked. */
    static final double MASKED = -1e4;

    private static final List<Size> OVER = List.of(Size.FED, Size.TOTAL);

    private CausalMask() {}

    /**
     * How many positions a token sees, itself included; −1 for all.
     *
     * @param additive whether elements are added to scores, 0 where a token may look; else 1 where it may look
     * @return empty when the mask is another one, or cannot be decided
     */
    static OptionalLong window(List<Size> dims, Element element, boolean additive) {
        int rank = dims.size();
        boolean overTokens = rank >= 2
                && dims.get(rank - 1).equals(Size.TOTAL)
                && dims.get(rank - 2).equals(Size.FED)
                && dims.subList(0, rank - 2).stream().allMatch(size -> size.is(1));
        if (!overTokens) {
            return OptionalLong.empty();
        }
        Set<Long> bounds = new HashSet<>();
        Element decided = decide(element, List.of(), bounds);
        long reach = bounds.stream().mapToLong(Math::abs).max().orElse(0) + 1;
        if (decided == null || reach > MAX_WINDOW) {
            return OptionalLong.empty();
        }
        long first = -1;
        for (long d = -reach; d <= reach; d++) {
            Element at = at(decided, d);
            if (!at.isConstant()) {
                return OptionalLong.empty();
            }
            double value = ((Leaf) at).form().constant();
            boolean seen = additive ? value == 0 : value == 1;
            boolean hidden = additive ? value <= MASKED : value == 0;
            boolean beyond = first >= 0;
            if (!seen && !hidden || seen && (d < 0 || beyond)) {
                return OptionalLong.empty();
            }
            if (hidden && d >= 0 && !beyond) {
                first = d;
            }
        }
        return first == 0 ? OptionalLong.empty() : OptionalLong.of(first);
    }

    /**
     * With every test either gone or one of d; null when there is another.
     *
     * @param known forms that are at least zero wherever the element is asked for
     */
    private static Element decide(Element element, List<Form> known, Set<Long> bounds) {
        if (!(element instanceof Choice choice)) {
            return element;
        }
        Form test = choice.atLeastZero();
        if (isImplied(test, known)) {
            return decide(choice.yes(), known, bounds);
        }
        if (isImplied(negated(test), known)) {
            return decide(choice.no(), known, bounds);
        }
        // What is no test of d may follow from one.
        Optional<Form> distance = distanceTest(element);
        if (distance.isEmpty()) {
            return null;
        }
        Form split = distance.get();
        bounds.add((long) split.constant());
        Element yes = decide(element.given(split, true), with(known, split), bounds);
        Element no = decide(element.given(split, false), with(known, negated(split)), bounds);
        return yes == null || no == null ? null : new Choice(split, yes, no);
    }

    private static boolean isImplied(Form test, List<Form> known) {
        return test.least(OVER) >= 0
                || known.stream().anyMatch(form -> test.minus(form).least(OVER) >= 0);
    }

    /** Of integers: below zero is at least one below it. */
    private static Form negated(Form test) {
        return test.times(-1).plus(Form.of(-1));
    }

    private static List<Form> with(List<Form> known, Form more) {
        List<Form> all = new ArrayList<>(known);
        all.add(more);
        return all;
    }

    private static Optional<Form> distanceTest(Element element) {
        if (!(element instanceof Choice choice)) {
            return Optional.empty();
        }
        return isOfDistance(choice.atLeastZero())
                ? Optional.of(choice.atLeastZero())
                : distanceTest(choice.yes()).or(() -> distanceTest(choice.no()));
    }

    private static boolean isOfDistance(Form test) {
        long slope = test.axis(1);
        return Math.abs(slope) == 1
                && test.axis(0) == -slope
                && test.total() == slope
                && test.fed() == -slope
                && test.axes().size() <= 2
                && test.constant() == Math.rint(test.constant());
    }

    private static Element at(Element element, long d) {
        return element instanceof Choice choice
                ? at(
                        choice.atLeastZero().axis(1) * d + choice.atLeastZero().constant() >= 0
                                ? choice.yes()
                                : choice.no(),
                        d)
                : element;
    }
}
