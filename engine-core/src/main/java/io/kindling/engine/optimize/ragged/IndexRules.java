package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.ragged.Fact.Fixed;
import io.kindling.engine.optimize.ragged.Fact.Indexed;
import io.kindling.engine.optimize.ragged.Fact.Sizes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.BiFunction;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoublePredicate;
import java.util.stream.LongStream;

/** Rules for what exporters compute positions and masks with: values that follow from sizes and indices alone. */
final class IndexRules {
    private static final int MAX_RANK = 8;

    private IndexRules() {}

    /** A value as a function of indices, where it is one. */
    static Optional<Indexed> indexed(Fact fact) {
        if (fact instanceof Indexed indexed) {
            return Optional.of(indexed);
        }
        if (fact instanceof Sizes sizes && sizes.values().size() == 1) {
            List<Size> dims = sizes.scalar() ? List.of() : List.of(Size.of(1));
            return Optional.of(
                    new Indexed(dims, new Element.Leaf(Form.of(sizes.values().get(0)))));
        }
        if (fact instanceof Fixed fixed && fixed.data().isPresent()) {
            OptionalDouble number = fixed.data().get().number();
            List<Size> dims =
                    LongStream.of(fixed.data().get().shape()).mapToObj(Size::of).toList();
            return number.isPresent()
                    ? Optional.of(new Indexed(dims, Element.of(number.getAsDouble())))
                    : Optional.empty();
        }
        return Optional.empty();
    }

    /**
     * What the node makes, where all that it computes with is known; empty when it does more than is followed here.
     *
     * @param fractions whether it makes floating point numbers
     */
    static Optional<Indexed> apply(Node node, List<Fact> inputs, boolean fractions) {
        boolean rounds = node.opType().equals("Div") && !fractions;
        if (rounds || !node.domain().isEmpty() || inputs.isEmpty() || inputs.contains(null)) {
            return Optional.empty();
        }
        Optional<Indexed> first = indexed(inputs.get(0));
        if (node.opType().equals("ConstantOfShape")) {
            return SizeRules.sizes(inputs.get(0)).map(sizes -> new Indexed(sizes.values(), Element.of(fill(node))));
        }
        if (first.isEmpty() || first.get().dims().size() > MAX_RANK) {
            return Optional.empty();
        }
        return switch (node.opType()) {
            case "Expand" -> SizeRules.sizes(inputs.get(1)).flatMap(sizes -> expand(first.get(), sizes.values()));
            case "Reshape" ->
                SizeRules.sizes(inputs.get(1))
                        .flatMap(sizes -> IndexLayouts.reshape(node, first.get(), sizes.values()));
            case "Unsqueeze" -> axes(node, inputs).map(axes -> IndexLayouts.unsqueeze(first.get(), axes));
            case "Squeeze" -> axes(node, inputs).flatMap(axes -> IndexLayouts.squeeze(first.get(), axes));
            case "Flatten" -> IndexLayouts.flatten(first.get(), node.intAttribute("axis", 1));
            case "Transpose" -> Optional.of(IndexLayouts.transpose(first.get(), node.intsAttribute("perm")));
            case "Slice" -> IndexLayouts.slice(first.get(), inputs);
            case "Gather" -> gather(node, first.get(), inputs.get(1));
            case "GatherND" -> gatherNd(node, first.get(), inputs.get(1));
            case "ScatterND" ->
                !node.stringAttribute("reduction", "none").equals("none")
                        ? Optional.empty()
                        : scatterNd(first.get(), inputs);
            case "Trilu" -> trilu(node, first.get(), inputs);
            case "CumSum" -> cumSum(node, first.get(), inputs.get(1));
            default -> elementwise(node, inputs);
        };
    }

    private static double fill(Node node) {
        return node.attribute("value").orElse(null) instanceof Attribute.TensorValue value
                ? value.tensor().number().orElse(Double.NaN)
                : 0;
    }

    static Optional<long[]> axes(Node node, List<Fact> inputs) {
        return node.intsAttribute("axes")
                .or(() -> inputs.size() > 1
                        ? SizeRules.sizes(inputs.get(1)).flatMap(SizeRules::constants)
                        : Optional.empty());
    }

    private static Optional<Indexed> elementwise(Node node, List<Fact> inputs) {
        if (node.opType().equals("Concat")) {
            return concat(node, inputs);
        }
        List<Indexed> operands = new ArrayList<>();
        for (Fact input : inputs) {
            Optional<Indexed> operand = indexed(input);
            if (operand.isEmpty()) {
                return Optional.empty();
            }
            operands.add(operand.get());
        }
        if (node.opType().equals("Range")) {
            return range(operands);
        }
        List<Size> dims = operands.get(0).dims();
        for (Indexed operand : operands) {
            Optional<List<Size>> joined = broadcast(dims, operand.dims());
            if (joined.isEmpty()) {
                return Optional.empty();
            }
            dims = joined.get();
        }
        Element a = operands.get(0).element();
        if (operands.size() == 1) {
            return unary(node, a).map(new Built(dims)::of);
        }
        Element b = operands.get(1).element();
        if (node.opType().equals("Where") && operands.size() == 3) {
            return Optional.of(
                    new Indexed(dims, Element.choose(a, b, operands.get(2).element())));
        }
        BiFunction<Form, Form, Element> function = binary(node.opType());
        return function == null || operands.size() != 2
                ? Optional.empty()
                : Optional.of(new Indexed(dims, Element.combine(a, b, function)));
    }

    private record Built(List<Size> dims) {
        Indexed of(Element element) {
            return new Indexed(dims, element);
        }
    }

    private static Optional<Element> unary(Node node, Element a) {
        return switch (node.opType()) {
            case "Identity" -> Optional.of(a);
            case "Neg" -> Optional.of(Element.map(a, x -> new Element.Leaf(x.times(-1))));
            case "Sqrt" ->
                Optional.of(Element.map(a, x -> x.isConstant() ? Element.of(Math.sqrt(x.constant())) : Element.OPAQUE));
            case "Not" -> Optional.of(Element.map(a, x -> truth(x, value -> value == 0)));
            case "IsNaN" -> Optional.of(Element.map(a, x -> truth(x, value -> Double.isNaN(value))));
            case "Cast" -> cast(node, a);
            default -> Optional.empty();
        };
    }

    private static Element truth(Form form, DoublePredicate test) {
        return form.isConstant() ? Element.of(test.test(form.constant()) ? 1 : 0) : Element.OPAQUE;
    }

    private static Optional<Element> cast(Node node, Element a) {
        Optional<DataType> to = DataType.ofCode((int) node.intAttribute("to", 0));
        if (to.isEmpty()) {
            return Optional.empty();
        }
        return switch (to.get()) {
            case BOOL -> Optional.of(Element.map(a, x -> truth(x, value -> value != 0)));
            // Integers far below what these hold; what is a fraction or a huge mask value is not cast to integers.
            case FLOAT, DOUBLE -> Optional.of(a);
            // It holds few integers, but what hides a score stays far below all others.
            case FLOAT16 -> Optional.of(Element.map(a, x -> x.isConstant() ? new Element.Leaf(x) : Element.OPAQUE));
            case INT64, INT32 ->
                Optional.of(Element.map(
                        a, x -> x.constant() == Math.rint(x.constant()) ? new Element.Leaf(x) : Element.OPAQUE));
            default -> Optional.empty();
        };
    }

    private static BiFunction<Form, Form, Element> binary(String operator) {
        return switch (operator) {
            case "Add" -> (x, y) -> new Element.Leaf(x.plus(y));
            case "Sub" -> (x, y) -> new Element.Leaf(x.minus(y));
            case "Mul" -> IndexRules::product;
            case "Div" -> (x, y) -> constants(x, y, (p, q) -> p / q);
            case "Pow" -> (x, y) -> constants(x, y, Math::pow);
            case "And" -> (x, y) -> logic(x, y, true);
            case "Or" -> (x, y) -> logic(x, y, false);
            case "Less" -> (x, y) -> compare(y.minus(x), 1);
            case "Greater" -> (x, y) -> compare(x.minus(y), 1);
            case "LessOrEqual" -> (x, y) -> compare(y.minus(x), 0);
            case "GreaterOrEqual" -> (x, y) -> compare(x.minus(y), 0);
            case "Equal" -> (x, y) -> Element.choose(compare(x.minus(y), 0), compare(y.minus(x), 0), Element.FALSE);
            case "Max" -> (x, y) -> Element.choose(compare(x.minus(y), 0), new Element.Leaf(x), new Element.Leaf(y));
            case "Min" -> (x, y) -> Element.choose(compare(x.minus(y), 0), new Element.Leaf(y), new Element.Leaf(x));
            default -> null;
        };
    }

    /** Whether a difference of integers is at least {@code least}. */
    private static Element compare(Form difference, int least) {
        return difference.isConstant() || difference.constant() == Math.rint(difference.constant())
                ? Element.test(difference.plus(Form.of(-least)))
                : Element.OPAQUE;
    }

    private static Element product(Form x, Form y) {
        if (x.isConstant() && y.isConstant()) {
            return Element.of(x.constant() * y.constant());
        }
        Form factor = x.isConstant() ? x : y;
        boolean whole = factor.isConstant() && factor.constant() == Math.rint(factor.constant());
        return whole ? new Element.Leaf((x.isConstant() ? y : x).times((long) factor.constant())) : Element.OPAQUE;
    }

    private static Element constants(Form x, Form y, DoubleBinaryOperator function) {
        return x.isConstant() && y.isConstant()
                ? Element.of(function.applyAsDouble(x.constant(), y.constant()))
                : Element.OPAQUE;
    }

    private static Element logic(Form x, Form y, boolean and) {
        if (!x.isConstant() || !y.isConstant()) {
            return Element.OPAQUE;
        }
        boolean a = x.constant() != 0;
        boolean b = y.constant() != 0;
        return Element.of((and ? a && b : a || b) ? 1 : 0);
    }

    static Optional<List<Size>> broadcast(List<Size> a, List<Size> b) {
        int rank = Math.max(a.size(), b.size());
        List<Size> dims = new ArrayList<>(Collections.nCopies(rank, Size.of(1)));
        for (List<Size> each : List.of(a, b)) {
            for (int k = 0; k < each.size(); k++) {
                int at = rank - each.size() + k;
                if (dims.get(at).is(1)) {
                    dims.set(at, each.get(k));
                } else if (!each.get(k).is(1) && !each.get(k).equals(dims.get(at))) {
                    return Optional.empty();
                }
            }
        }
        return Optional.of(dims);
    }

    private static Optional<Indexed> expand(Indexed data, List<Size> target) {
        return broadcast(data.dims(), target).map(dims -> new Indexed(dims, data.element()));
    }

    private static Optional<Indexed> range(List<Indexed> operands) {
        boolean plain = operands.size() == 3
                && operands.stream().allMatch(operand -> operand.element() instanceof Element.Leaf)
                && operands.get(2).element().equals(Element.of(1));
        if (!plain) {
            return Optional.empty();
        }
        Form start = ((Element.Leaf) operands.get(0).element()).form();
        Form length = ((Element.Leaf) operands.get(1).element()).form().minus(start);
        if (!length.axes().isEmpty() || !start.axes().isEmpty()) {
            return Optional.empty();
        }
        Size size = new Size((long) length.constant(), length.fed(), length.total());
        return Optional.of(new Indexed(List.of(size), new Element.Leaf(start.plus(Form.index(0)))));
    }

    private static Optional<Indexed> gather(Node node, Indexed data, Fact by) {
        Optional<Indexed> indices = indexed(by);
        if (indices.isEmpty() || data.dims().isEmpty()) {
            return Optional.empty();
        }
        int axis = LayoutRules.axis(node.intAttribute("axis", 0), data.dims().size());
        List<Size> dims = new ArrayList<>(data.dims().subList(0, axis));
        dims.addAll(indices.get().dims());
        dims.addAll(data.dims().subList(axis + 1, data.dims().size()));
        return Optional.of(new Indexed(dims, data.element().isConstant() ? data.element() : Element.OPAQUE));
    }

    private static Optional<Indexed> gatherNd(Node node, Indexed data, Fact by) {
        Optional<Indexed> indices = indexed(by);
        boolean whole = indices.isPresent()
                && node.intAttribute("batch_dims", 0) == 0
                && data.element().isConstant()
                && !indices.get().dims().isEmpty()
                && indices.get()
                        .dims()
                        .get(indices.get().dims().size() - 1)
                        .is(data.dims().size());
        return whole
                ? Optional.of(new Indexed(
                        indices.get().dims().subList(0, indices.get().dims().size() - 1), data.element()))
                : Optional.empty();
    }

    private static Optional<Indexed> concat(Node node, List<Fact> inputs) {
        List<Size> dims = null;
        int axis = 0;
        List<Indexed> parts = new ArrayList<>();
        for (Fact input : inputs) {
            Optional<Indexed> part = indexed(input);
            if (part.isEmpty() || part.get().dims().isEmpty()) {
                return Optional.empty();
            }
            parts.add(part.get());
            if (dims == null) {
                dims = new ArrayList<>(part.get().dims());
                axis = LayoutRules.axis(node.intAttribute("axis", 0), dims.size());
            } else {
                dims.set(axis, dims.get(axis).plus(part.get().dims().get(axis)));
            }
        }
        return Optional.of(new Indexed(dims, joined(parts, dims.size() - 1 - axis)));
    }

    /** Parts one behind the other along an axis. */
    private static Element joined(List<Indexed> parts, int fromEnd) {
        Form behind = Form.index(fromEnd);
        Element element = null;
        for (int k = 0; k < parts.size(); k++) {
            Form index = behind;
            Element part = parts.get(k).element().forms(form -> form.substitute(fromEnd, index));
            List<Size> dims = parts.get(k).dims();
            Element before = element;
            // What lies before this part is chosen where the index into this part is below zero.
            element = before == null ? part : Element.choose(Element.test(index), part, before);
            behind = behind.minus(Form.of(dims.get(dims.size() - 1 - fromEnd)));
            if (element.choices() > Element.MAX_CHOICES) {
                return Element.OPAQUE;
            }
        }
        return element;
    }

    /**
     * {@code ScatterND} that writes every element to its own place, as assigning to a slice that is the whole tensor is
     * exported: the result is what is written.
     */
    private static Optional<Indexed> scatterNd(Indexed data, List<Fact> inputs) {
        Optional<Indexed> indices = indexed(inputs.get(1));
        Optional<Indexed> updates = indexed(inputs.get(2));
        int rank = data.dims().size();
        List<Size> grid = new ArrayList<>(data.dims());
        grid.add(Size.of(rank));
        boolean whole = indices.isPresent()
                && updates.isPresent()
                && indices.get().dims().equals(grid)
                && updates.get().dims().equals(data.dims());
        for (int axis = 0; whole && axis < rank; axis++) {
            Form coordinate = Form.of(axis);
            Element found = indices.get().element().forms(form -> form.substitute(0, coordinate));
            Form own = data.dims().get(axis).is(1) ? Form.ZERO : Form.index(rank - axis);
            whole = found.equals(new Element.Leaf(own));
        }
        return whole ? updates : Optional.empty();
    }

    private static Optional<Indexed> trilu(Node node, Indexed data, List<Fact> inputs) {
        Optional<Indexed> diagonal = inputs.size() > 1 ? indexed(inputs.get(1)) : Optional.of(ZERO);
        if (diagonal.isEmpty()
                || !(diagonal.get().element() instanceof Element.Leaf shift)
                || data.dims().size() < 2) {
            return Optional.empty();
        }
        Form above = Form.index(0).minus(Form.index(1)).minus(shift.form());
        Element keeps = node.intAttribute("upper", 1) != 0 ? Element.test(above) : Element.test(above.times(-1));
        return Optional.of(new Indexed(data.dims(), Element.choose(keeps, data.element(), Element.FALSE)));
    }

    private static final Indexed ZERO = new Indexed(List.of(), Element.FALSE);

    /** Sums of the same number over and over. */
    private static Optional<Indexed> cumSum(Node node, Indexed data, Fact over) {
        Optional<long[]> axis = SizeRules.sizes(over).flatMap(SizeRules::constants);
        boolean plain = axis.isPresent()
                && axis.get().length == 1
                && data.element().isConstant()
                && node.intAttribute("exclusive", 0) == 0
                && node.intAttribute("reverse", 0) == 0;
        if (!plain) {
            return Optional.empty();
        }
        int fromEnd = data.dims().size()
                - 1
                - LayoutRules.axis(axis.get()[0], data.dims().size());
        Form count = Form.index(fromEnd).plus(Form.of(1));
        return Optional.of(new Indexed(data.dims(), Element.map(data.element(), x -> product(x, count))));
    }
}
