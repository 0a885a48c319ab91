package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.metadata.DecoderIo;
import io.kindling.engine.optimize.ragged.Fact.Cache;
import io.kindling.engine.optimize.ragged.Fact.Indexed;
import io.kindling.engine.optimize.ragged.Fact.Past;
import io.kindling.engine.optimize.ragged.Fact.Peaks;
import io.kindling.engine.optimize.ragged.Fact.Scores;
import io.kindling.engine.optimize.ragged.Fact.Tokens;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * Follows attention that is written out: new keys and values are joined to the state, heads repeated, queries multiplied
 * with keys, scaled, masked, and put through Softmax. What goes with the values then is a call of attention on pages.
 */
final class CacheRules {
    /** What is masked stays far below all else when scaled by no less than this. */
    private static final double LEAST_MASKED_FACTOR = 0.05;

    private CacheRules() {}

    /** An attention whose parts have all been followed. */
    record Attention(Scores scores, Cache values) {}

    static boolean concerns(List<Fact> inputs) {
        return inputs.stream()
                .anyMatch(fact -> fact instanceof Past
                        || fact instanceof Cache
                        || fact instanceof Scores
                        || fact instanceof Peaks);
    }

    /**
     * What the node makes of caches and scores.
     *
     * @throws Refusal for what attention on pages does not do
     */
    static Fact apply(Node node, List<Fact> inputs) {
        Fact first = inputs.get(0);
        if (first instanceof Past past) {
            return join(node, past, inputs);
        }
        if (first instanceof Cache cache) {
            return cache(node, cache, inputs);
        }
        if (first instanceof Scores scores) {
            return scores(node, scores, inputs);
        }
        Fact second = inputs.size() > 1 ? inputs.get(1) : null;
        if (node.is("", "MatMul") && first instanceof Tokens query && second instanceof Cache keys) {
            return multiply(node, query, keys);
        }
        if (commutes(node) && second instanceof Cache cache) {
            return cache(node, cache, List.of(second, first));
        }
        if (commutes(node) && second instanceof Scores scores) {
            return scores(node, scores, List.of(second, first));
        }
        if (node.is("", "Where") && inputs.size() == 3) {
            return where(node, inputs);
        }
        throw unfollowed(node);
    }

    private static Refusal unfollowed(Node node) {
        return Refusal.at(node, "does something with cached keys or values that attention on pages does not");
    }

    private static boolean commutes(Node node) {
        return node.is("", "Mul") || node.is("", "Add");
    }

    private static Cache join(Node node, Past past, List<Fact> inputs) {
        DecoderIo.State state = past.state();
        boolean grows = node.is("", "Concat")
                && inputs.size() == 2
                && state.kind() != DecoderIo.Kind.FIXED
                && state.sequenceAxis() == 2
                && state.initialShape().size() == 4
                && LayoutRules.axis(node.intAttribute("axis", 0), 4) == 2
                && inputs.get(1) instanceof Tokens tokens
                && tokens.axis() == 2
                && tokens.dims()
                        .equals(List.of(
                                Size.of(1),
                                Size.of(state.initialShape().get(1)),
                                Size.FED,
                                Size.of(state.initialShape().get(3))));
        if (!grows) {
            throw unfollowed(node);
        }
        if (!past.returned().contains(node.outputs().get(0))) {
            throw Refusal.at(node, "does not return the state '" + state.output() + "' itself");
        }
        return new Cache(state, node.inputs().get(1), 1, Cache.Form.PLAIN, 1);
    }

    private static Fact cache(Node node, Cache cache, List<Fact> inputs) {
        switch (node.opType()) {
            case "Identity":
                return cache;
            case "Cast":
                if (isFloat(node)) {
                    return cache;
                }
                break;
            case "Unsqueeze":
                boolean grouping = cache.form() == Cache.Form.PLAIN
                        && cache.repeats() == 1
                        && IndexRules.axes(node, inputs)
                                .filter(axes -> axes.length == 1 && LayoutRules.axis(axes[0], 5) == 2)
                                .isPresent();
                if (grouping) {
                    return cache.with(Cache.Form.GROUPED, 1, 1);
                }
                break;
            case "Expand":
                return expand(node, cache, inputs);
            case "Reshape":
                return reshape(node, cache, inputs);
            case "Transpose":
                long[] order = node.intsAttribute("perm").orElse(new long[0]);
                if (Arrays.equals(order, new long[] {0, 1, 3, 2}) && cache.form() != Cache.Form.GROUPED) {
                    return cache.with(
                            cache.form() == Cache.Form.PLAIN ? Cache.Form.TRANSPOSED : Cache.Form.PLAIN,
                            cache.repeats(),
                            1);
                }
                break;
            case "Mul":
                OptionalDouble factor = number(inputs.get(1));
                if (factor.isPresent()) {
                    return cache.with(cache.form(), cache.repeats(), factor.getAsDouble());
                }
                break;
            default:
                break;
        }
        throw unfollowed(node);
    }

    private static boolean isFloat(Node node) {
        long to = node.intAttribute("to", 0);
        return to == DataType.FLOAT.code() || to == DataType.FLOAT16.code();
    }

    private static Cache expand(Node node, Cache cache, List<Fact> inputs) {
        Optional<List<Size>> dims =
                SizeRules.sizes(inputs.get(1)).flatMap(sizes -> IndexRules.broadcast(cache.dims(), sizes.values()));
        if (dims.isPresent() && dims.get().equals(cache.dims())) {
            return cache;
        }
        if (cache.form() != Cache.Form.GROUPED
                || dims.isEmpty()
                || !dims.get().get(2).isConstant()) {
            throw unfollowed(node);
        }
        Cache repeated = cache.with(Cache.Form.GROUPED, dims.get().get(2).constant(), 1);
        if (cache.repeats() != 1 || !repeated.dims().equals(dims.get())) {
            throw unfollowed(node);
        }
        return repeated;
    }

    private static Cache reshape(Node node, Cache cache, List<Fact> inputs) {
        Cache plain = cache.with(Cache.Form.PLAIN, cache.repeats(), 1);
        Optional<List<Size>> wanted = SizeRules.sizes(inputs.get(1)).map(Fact.Sizes::values);
        boolean joins = cache.form() != Cache.Form.TRANSPOSED
                && wanted.isPresent()
                && wanted.get().size() == 4
                && matches(node, cache.dims(), wanted.get(), plain.dims());
        if (!joins) {
            throw unfollowed(node);
        }
        return plain;
    }

    /** Whether a reshape target gives these dimensions, one at most being left open. */
    private static boolean matches(Node node, List<Size> from, List<Size> target, List<Size> dims) {
        int open = 0;
        for (int k = 0; k < dims.size(); k++) {
            Size size = target.get(k);
            if (size.is(0) && node.intAttribute("allowzero", 0) == 0) {
                size = from.get(k);
            }
            if (size.is(-1)) {
                open++;
            } else if (!size.equals(dims.get(k))) {
                return false;
            }
        }
        return open <= 1;
    }

    private static Scores multiply(Node node, Tokens query, Cache keys) {
        boolean shared = keys.heads() * keys.repeats() == 1;
        long heads = shared && query.rank() == 4 && query.dims().get(1).isConstant()
                ? query.dims().get(1).constant()
                : keys.heads() * keys.repeats();
        boolean fits = keys.form() == Cache.Form.TRANSPOSED && isHeads(query, heads, keys.size());
        if (!fits) {
            throw unfollowed(node);
        }
        return Scores.of(node.inputs().get(0), keys, heads, keys.scale(), 0);
    }

    private static boolean isHeads(Tokens query, long heads, long size) {
        return query.axis() == 2 && query.dims().equals(List.of(Size.of(1), Size.of(heads), Size.FED, Size.of(size)));
    }

    private static Fact scores(Node node, Scores scores, List<Fact> inputs) {
        boolean masked = scores.window().isPresent();
        OptionalDouble number = inputs.size() > 1 ? number(inputs.get(1)) : OptionalDouble.empty();
        switch (node.opType()) {
            case "Identity":
                return scores;
            case "Cast":
                if (isFloat(node)) {
                    return scores;
                }
                break;
            case "Mul", "Div":
                if (number.isPresent() && scores.softcap() == 0 && scores.sink().isEmpty() && !scores.weights()) {
                    double factor = node.opType().equals("Mul") ? number.getAsDouble() : 1 / number.getAsDouble();
                    if (!masked || factor >= LEAST_MASKED_FACTOR) {
                        return scores.scaled(factor);
                    }
                }
                break;
            case "Add":
                if (scores.isMaskable() && IndexRules.indexed(inputs.get(1)).isPresent()) {
                    return masked(
                            node, scores, IndexRules.indexed(inputs.get(1)).get(), true);
                }
                break;
            case "Softmax":
                if (masked && !scores.weights() && LayoutRules.axis(node.intAttribute("axis", -1), 4) == 3) {
                    return scores.normalised();
                }
                break;
            case "Concat":
                if (masked && scores.sink().isEmpty() && SinkRules.joins(node, scores, inputs)) {
                    return scores.withSink(node.inputs().get(1));
                }
                break;
            case "ReduceMax":
                boolean rows = IndexRules.axes(node, inputs)
                        .filter(axes -> axes.length == 1 && LayoutRules.axis(axes[0], 4) == 3)
                        .isPresent();
                if (rows && node.intAttribute("keepdims", 1) != 0) {
                    return new Peaks(scores);
                }
                break;
            case "Sub":
                if (inputs.get(1).equals(new Peaks(scores)) && !scores.weights()) {
                    return scores;
                }
                break;
            case "Slice":
                if (scores.weights() && scores.sinkJoined() && SinkRules.cutsLast(inputs)) {
                    return scores.withoutSinkColumn();
                }
                break;
            case "IsNaN":
                if (scores.weights()) {
                    // A token always sees itself, so that its weights are numbers.
                    return new Indexed(scores.dims(), Element.FALSE);
                }
                break;
            case "MatMul":
                break;
            default:
                break;
        }
        throw unfollowed(node);
    }

    private static Scores masked(Node node, Scores scores, Indexed mask, boolean additive) {
        OptionalLong window = CausalMask.window(mask.dims(), mask.element(), additive);
        if (window.isEmpty()) {
            throw Refusal.at(node, "masks scores in a way that is not proven to be causal over " + mask.dims());
        }
        return scores.masked(window);
    }

    /** {@code Where(mask, scores, −∞)}, or a guard against rows that see nothing, of which there are none. */
    private static Fact where(Node node, List<Fact> inputs) {
        Optional<Indexed> condition = IndexRules.indexed(inputs.get(0));
        if (condition.isPresent() && condition.get().element().equals(Element.FALSE)) {
            return inputs.get(2);
        }
        OptionalDouble hidden = number(inputs.get(2));
        boolean masks = condition.isPresent()
                && inputs.get(1) instanceof Scores scores
                && scores.isMaskable()
                && hidden.isPresent()
                && hidden.getAsDouble() <= CausalMask.MASKED;
        if (!masks) {
            throw unfollowed(node);
        }
        return masked(node, (Scores) inputs.get(1), condition.get(), false);
    }

    private static OptionalDouble number(Fact fact) {
        return IndexRules.indexed(fact)
                .filter(value -> value.element().isConstant())
                .filter(value -> value.dims().stream().allMatch(size -> size.is(1)))
                .map(value -> OptionalDouble.of(
                        ((Element.Leaf) value.element()).form().constant()))
                .orElse(OptionalDouble.empty());
    }

    /** The attention that the node completes, where it does. */
    static Optional<Attention> complete(Node node, List<Fact> inputs) {
        boolean product = node.is("", "MatMul")
                && inputs.get(0) instanceof Scores scores
                && scores.weights()
                && !scores.sinkJoined()
                && inputs.get(1) instanceof Cache values
                && values.form() == Cache.Form.PLAIN
                && values.scale() == 1
                && (values.heads() * values.repeats() == scores.heads() || values.heads() * values.repeats() == 1)
                && values.heads() == scores.keys().heads()
                && values.size() <= scores.keys().size();
        if (product) {
            return Optional.of(new Attention((Scores) inputs.get(0), (Cache) inputs.get(1)));
        }
        return node.is("", "Attention") ? Optional.of(attention(node, inputs)) : Optional.empty();
    }

    /** The operator {@code Attention} (since 23) over whole keys and values, {@code [1, heads, …]} each. */
    private static Attention attention(Node node, List<Fact> inputs) {
        List<Fact> given = new ArrayList<>(inputs);
        boolean plain = given.size() == 4
                && node.outputs().size() == 1
                && node.intAttribute("is_causal", 0) == 0
                && given.get(0) instanceof Tokens
                && given.get(1) instanceof Cache
                && given.get(2) instanceof Cache
                && IndexRules.indexed(given.get(3)).isPresent();
        if (!plain) {
            throw unfollowed(node);
        }
        Tokens query = (Tokens) given.get(0);
        Cache keys = (Cache) given.get(1);
        Cache values = (Cache) given.get(2);
        long heads = query.dims().size() == 4 ? query.dims().get(1).constant() : 0;
        boolean fits = keys.form() == Cache.Form.PLAIN
                && values.form() == Cache.Form.PLAIN
                && keys.heads() == values.heads()
                && keys.repeats() == values.repeats()
                && keys.size() == values.size()
                && values.scale() == 1
                && heads > 0
                && heads % (keys.heads() * keys.repeats()) == 0
                && isHeads(query, heads, keys.size());
        if (!fits) {
            throw unfollowed(node);
        }
        double scale = node.floatAttribute("scale", (float) (1 / Math.sqrt(keys.size())));
        Scores scores =
                Scores.of(node.inputs().get(0), keys, heads, scale * keys.scale(), node.floatAttribute("softcap", 0));
        Indexed mask = IndexRules.indexed(given.get(3)).orElseThrow();
        return new Attention(masked(node, scores, mask, !isTruth(mask.element())), values);
    }

    /** Whether a mask says where a token may look, rather than what is added. */
    private static boolean isTruth(Element element) {
        if (element instanceof Element.Choice choice) {
            return isTruth(choice.yes()) && isTruth(choice.no());
        }
        return element.equals(Element.TRUE) || element.equals(Element.FALSE);
    }
}
