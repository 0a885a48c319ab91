package io.kindling.engine.optimize.ragged;

import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The value of a tensor's element by where it stands, as a tree of choices; truth values are 1 and 0. */
sealed interface Element {
    /** No exporter's mask comes near it; it bounds the work on hostile graphs. */
    int MAX_CHOICES = 4096;

    /** A number. */
    record Leaf(Form form) implements Element {}

    /** One of two, by whether a form is at least zero. */
    record Choice(Form atLeastZero, Element yes, Element no) implements Element {}

    /** Some number that is not followed. */
    record Opaque() implements Element {}

    Element OPAQUE = new Opaque();
    Element TRUE = of(1);
    Element FALSE = of(0);

    static Element of(double value) {
        return new Leaf(Form.of(value));
    }

    /** Whether the form is at least zero. */
    static Element test(Form form) {
        return choice(form, TRUE, FALSE);
    }

    private static Element choice(Form test, Element yes, Element no) {
        if (test.isConstant()) {
            return test.constant() >= 0 ? yes : no;
        }
        return yes.equals(no) ? yes : new Choice(test, yes, no);
    }

    /** What a function of numbers makes of an element. */
    static Element map(Element element, Function<Form, Element> function) {
        return combine(element, FALSE, (form, unused) -> function.apply(form));
    }

    /** What a function of two numbers makes of elements at the same place. */
    static Element combine(Element a, Element b, BiFunction<Form, Form, Element> function) {
        if ((long) a.choices() * b.choices() > MAX_CHOICES) {
            return OPAQUE;
        }
        if (a instanceof Choice choice) {
            return choice(
                    choice.atLeastZero(),
                    combine(choice.yes(), b.given(choice.atLeastZero(), true), function)
                            .given(choice.atLeastZero(), true),
                    combine(choice.no(), b.given(choice.atLeastZero(), false), function)
                            .given(choice.atLeastZero(), false));
        }
        if (b instanceof Choice) {
            return combine(b, a, (y, x) -> function.apply(x, y));
        }
        return a instanceof Leaf x && b instanceof Leaf y ? function.apply(x.form(), y.form()) : OPAQUE;
    }

    /** {@code yes} where the condition is not zero. */
    static Element choose(Element condition, Element yes, Element no) {
        if (condition instanceof Choice choice && condition.choices() <= MAX_CHOICES) {
            Form test = choice.atLeastZero();
            return choice(
                    test,
                    choose(choice.yes(), yes.given(test, true), no.given(test, true)),
                    choose(choice.no(), yes.given(test, false), no.given(test, false)));
        }
        return condition instanceof Leaf leaf && leaf.form().isConstant()
                ? leaf.form().constant() != 0 ? yes : no
                : OPAQUE;
    }

    /** The element where a test is known to hold or to fail. */
    default Element given(Form test, boolean holds) {
        if (!(this instanceof Choice choice)) {
            return this;
        }
        if (choice.atLeastZero().equals(test)) {
            return (holds ? choice.yes() : choice.no()).given(test, holds);
        }
        return choice(
                choice.atLeastZero(),
                choice.yes().given(test, holds),
                choice.no().given(test, holds));
    }

    /** Every form in it changed. */
    default Element forms(UnaryOperator<Form> change) {
        if (this instanceof Choice choice) {
            return choice(
                    change.apply(choice.atLeastZero()),
                    choice.yes().forms(change),
                    choice.no().forms(change));
        }
        return this instanceof Leaf leaf ? new Leaf(change.apply(leaf.form())) : this;
    }

    /** Numbers that it may be. */
    default int choices() {
        return this instanceof Choice choice
                ? choice.yes().choices() + choice.no().choices()
                : 1;
    }

    /** Whether it is one number everywhere. */
    default boolean isConstant() {
        return this instanceof Leaf leaf && leaf.form().isConstant();
    }
}
