package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.ragged.Fact.Fixed;
import io.kindling.engine.optimize.ragged.Fact.Tokens;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Rules for products of tokens with constant matrices. */
final class ProductRules {
    private ProductRules() {}

    static Tokens matMul(Node node, List<Fact> inputs) {
        if (inputs.get(0) instanceof Fixed rows && inputs.get(1) instanceof Tokens columns) {
            return columns(node, rows, columns);
        }
        Tokens input = TokenRules.tokens(node, inputs, 0);
        Optional<List<Long>> weight = inputs.get(1) instanceof Fixed fixed ? fixed.shape() : Optional.empty();
        if (weight.isPresent() && weight.get().size() > 2 && input.axis() == input.rank() - 2) {
            return eachWithItsOwn(node, input, weight.get());
        }
        if (weight.isEmpty() || weight.get().size() != 2) {
            throw Refusal.at(node, "multiplies tokens with something that is no constant matrix");
        }
        return product(node, input, weight.get().get(1));
    }

    /** Rows of tokens times constant matrices, one for each index of the axes before. */
    private static Tokens eachWithItsOwn(Node node, Tokens rows, List<Long> weights) {
        int before = weights.size() - 2;
        List<Size> matrices = weights.subList(0, before).stream().map(Size::of).toList();
        List<Size> result = new ArrayList<>(IndexRules.broadcast(rows.dims().subList(0, rows.rank() - 2), matrices)
                .orElseThrow(() -> Refusal.at(node, "multiplies " + rows.dims() + " with " + weights)));
        result.add(rows.dims().get(rows.axis()));
        result.add(Size.of(weights.get(before + 1)));
        return new Tokens(result, result.size() - 2);
    }

    /** A constant times columns that are tokens. */
    private static Tokens columns(Node node, Fixed rows, Tokens columns) {
        Optional<List<Size>> left = SizeRules.dims(rows).filter(dims -> dims.size() >= 2);
        int last = columns.rank() - 1;
        if (left.isEmpty() || columns.rank() < 2 || columns.axis() != last) {
            throw Refusal.at(node, "multiplies a constant with tokens that are no columns");
        }
        List<Size> dims = left.get();
        List<Size> result = new ArrayList<>(IndexRules.broadcast(
                        dims.subList(0, dims.size() - 2), columns.dims().subList(0, last - 1))
                .orElseThrow(() -> Refusal.at(node, "multiplies " + dims + " with " + columns.dims())));
        result.add(dims.get(dims.size() - 2));
        result.add(columns.dims().get(last));
        return new Tokens(result, result.size() - 1);
    }

    static Tokens nBits(Node node, List<Fact> inputs) {
        TokenRules.requireFixed(node, inputs, 1);
        return product(node, TokenRules.tokens(node, inputs, 0), node.intAttribute("N", -1));
    }

    static Tokens gemm(Node node, List<Fact> inputs) {
        Tokens input = TokenRules.tokens(node, inputs, 0);
        TokenRules.requireFixed(node, inputs, 1);
        Optional<List<Long>> weight = ((Fixed) inputs.get(1)).shape();
        boolean biasPerFeature = inputs.size() < 3
                || inputs.get(2) == null
                || ((Fixed) inputs.get(2))
                        .shape()
                        .filter(shape -> shape.size() < 2 || shape.get(0) == 1)
                        .isPresent();
        if (node.intAttribute("transA", 0) != 0 || weight.isEmpty() || !biasPerFeature) {
            throw Refusal.at(node, "is no plain product with a constant matrix");
        }
        return product(node, input, weight.get().get(node.intAttribute("transB", 0) != 0 ? 0 : 1));
    }

    private static Tokens product(Node node, Tokens input, long features) {
        int last = input.rank() - 1;
        LayoutRules.requireOffTokens(node, input, last);
        return input.withDim(last, Size.of(features));
    }
}
