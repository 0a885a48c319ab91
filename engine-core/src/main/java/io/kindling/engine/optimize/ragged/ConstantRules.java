package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.Attribute;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.optimize.ragged.Fact.Fixed;
import io.kindling.engine.optimize.ragged.Fact.Indexed;
import io.kindling.engine.optimize.ragged.Fact.Sizes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Shapes of what is computed from constants alone, where the token rules will ask for them. */
final class ConstantRules {
    private ConstantRules() {}

    static Fixed result(Node node, List<Fact> inputs) {
        Optional<List<Long>> shape =
                inputs.isEmpty() || inputs.get(0) == null ? Optional.empty() : ((Fixed) inputs.get(0)).shape();
        if (shape.isEmpty()) {
            return Fixed.unknown();
        }
        return switch (node.opType()) {
            case "Cast", "DequantizeLinear", "Identity", "Neg", "Sqrt", "Exp", "Cos", "Sin", "Reciprocal" ->
                Fixed.ofShape(shape.get());
            case "Transpose" -> transpose(node, shape.get());
            case "Reshape" -> reshape(node, (Fixed) inputs.get(0), (Fixed) inputs.get(1));
            default -> Fixed.unknown();
        };
    }

    /** A {@code Constant} node. */
    static Fact constant(Node node) {
        if (node.attributes().get("value") instanceof Attribute.TensorValue tensor) {
            return Fixed.of(tensor.tensor());
        }
        if (node.attributes().get("value_int") instanceof Attribute.IntValue value) {
            return new Sizes(List.of(Size.of(value.value())), true);
        }
        if (node.attributes().get("value_ints") instanceof Attribute.IntsValue values) {
            return Fixed.of(TensorData.ofLongs(new long[] {values.values().length}, values.values()));
        }
        return node.attributes().containsKey("value_float") ? Fixed.ofShape(List.of()) : Fixed.unknown();
    }

    /** {@code Expand} or {@code Tile} of a constant, which may give every token the same. */
    static Optional<Fact> expanded(Node node, List<Fact> inputs) {
        boolean expands = node.is("", "Expand");
        boolean plain = (expands || node.is("", "Tile"))
                && inputs.get(0) instanceof Fixed
                && SizeRules.sizes(inputs.get(1)).isPresent();
        if (!plain) {
            return Optional.empty();
        }
        List<Size> sizes = SizeRules.sizes(inputs.get(1)).orElseThrow().values();
        return SizeRules.dims(inputs.get(0))
                .flatMap(dims -> expands ? IndexRules.broadcast(dims, sizes) : tiled(dims, sizes))
                .flatMap(dims -> dims.stream().allMatch(Size::isConstant)
                        ? Optional.of(
                                Fixed.ofShape(dims.stream().map(Size::constant).toList()))
                        : TokenRules.overTokens(dims));
    }

    /** {@code NonZero} of a tensor that has no zero: the places themselves follow from its shape. */
    static Optional<Fact> places(Node node, List<Fact> inputs) {
        boolean all = node.is("", "NonZero")
                && inputs.get(0) instanceof Indexed full
                && full.element().isConstant()
                && !full.element().equals(Element.FALSE)
                && full.dims().stream().allMatch(Size::isConstant);
        if (!all) {
            return Optional.empty();
        }
        List<Size> dims = ((Indexed) inputs.get(0)).dims();
        long count = dims.stream().mapToLong(Size::constant).reduce(1, Math::multiplyExact);
        return Optional.of(Fixed.ofShape(List.of((long) dims.size(), count)));
    }

    private static Optional<List<Size>> tiled(List<Size> dims, List<Size> repeats) {
        if (dims.size() != repeats.size() || !repeats.stream().allMatch(Size::isConstant)) {
            return Optional.empty();
        }
        List<Size> result = new ArrayList<>();
        for (int k = 0; k < dims.size(); k++) {
            result.add(dims.get(k).times(repeats.get(k).constant()));
        }
        return Optional.of(result);
    }

    private static Fixed transpose(Node node, List<Long> shape) {
        List<Long> permuted = new ArrayList<>();
        for (int k = 0; k < shape.size(); k++) {
            int reversed = shape.size() - 1 - k;
            permuted.add(shape.get(node.intsAttribute("perm")
                    .map(order -> (int) order[permuted.size()])
                    .orElse(reversed)));
        }
        return Fixed.ofShape(permuted);
    }

    /** The element type is kept along, since narrow elements are packed. */
    private static Fixed reshape(Node node, Fixed input, Fixed target) {
        Optional<long[]> wanted = target.integers();
        if (wanted.isEmpty() || node.intAttribute("allowzero", 0) != 0) {
            return Fixed.unknown();
        }
        List<Long> from = input.shape().orElseThrow();
        long whole = from.stream().reduce(1L, (a, b) -> a * b);
        List<Long> dims = new ArrayList<>();
        long known = 1;
        for (int k = 0; k < wanted.get().length; k++) {
            long size = wanted.get()[k] == 0 ? from.get(k) : wanted.get()[k];
            known *= size < 0 ? 1 : size;
            dims.add(size);
        }
        long rest = known == 0 ? 0 : whole / known;
        dims.replaceAll(size -> size < 0 ? rest : size);
        return new Fixed(Optional.of(List.copyOf(dims)), input.data().filter(data -> false));
    }
}
