package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.Node;
import io.kindling.engine.optimize.ragged.Fact.Coordinates;
import io.kindling.engine.optimize.ragged.Fact.Entries;
import io.kindling.engine.optimize.ragged.Fact.EntrySizes;
import io.kindling.engine.optimize.ragged.Fact.Fixed;
import io.kindling.engine.optimize.ragged.Fact.Indexed;
import io.kindling.engine.optimize.ragged.Fact.Sizes;
import io.kindling.engine.optimize.ragged.Fact.Tokens;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Follows lists of some of the tokens, as experts get them: {@code NonZero} says which tokens go to an expert, {@code Gather}
 * takes them, what is computed of them is scattered back to where they came from. Each entry of a list belongs to one token and
 * is made from it alone; how many entries there are depends on all tokens, but nothing is computed from it.
 */
final class EntryRules {
    private static final Set<String> KEEP_ADDRESSES =
            Set.of("Identity", "Cast", "Squeeze", "Unsqueeze", "Expand", "Reshape", "Transpose");

    private EntryRules() {}

    static boolean concerns(Node node, List<Fact> inputs) {
        return node.is("", "NonZero") && inputs.get(0) instanceof Tokens
                || inputs.stream()
                        .anyMatch(fact ->
                                fact instanceof Entries || fact instanceof Coordinates || fact instanceof EntrySizes);
    }

    static List<Fact> apply(Node node, List<Fact> inputs, TokenRules rules) {
        if (node.is("", "NonZero") && inputs.get(0) instanceof Tokens source) {
            return List.of(new Coordinates(node.outputs().get(0), source, false));
        }
        if (inputs.get(0) instanceof Coordinates coordinates) {
            return coordinates(node, coordinates, inputs);
        }
        String list = list(node, inputs);
        return switch (node.opType()) {
            case "Gather" ->
                inputs.get(0) instanceof Tokens data && inputs.get(1) instanceof Entries picked
                        ? List.of(gather(node, data, picked))
                        : plain(node, list, inputs, rules);
            case "ScatterElements", "ScatterND" -> List.of(scatter(node, inputs));
            case "Add", "Mul" ->
                address(node, list, inputs, rules)
                        .<List<Fact>>map(List::of)
                        .orElseGet(() -> plain(node, list, inputs, rules));
            case "Shape" -> List.of(sized(list, shape(node, inputs.get(0))));
            default -> plain(node, list, inputs, rules);
        };
    }

    private static Sizes shape(Node node, Fact input) {
        Optional<Fact> known =
                input instanceof Entries entries ? SizeRules.shape(node, entries.at()) : Optional.empty();
        return (Sizes) known.orElseThrow(() -> Refusal.at(node, "reads a shape that is not known"));
    }

    /** The one list that all inputs belong to. */
    private static String list(Node node, List<Fact> inputs) {
        List<String> lists = inputs.stream()
                .map(fact -> fact instanceof Entries entries
                        ? entries.list()
                        : fact instanceof EntrySizes sizes ? sizes.list() : null)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
        if (lists.size() != 1) {
            throw Refusal.at(node, "combines different lists of tokens");
        }
        return lists.get(0);
    }

    private static List<Fact> coordinates(Node node, Coordinates coordinates, List<Fact> inputs) {
        Tokens source = coordinates.source();
        int across = coordinates.listFirst() ? 1 : 0;
        if (node.is("", "Transpose")
                && Arrays.equals(node.intsAttribute("perm").orElse(new long[] {1, 0}), new long[] {1, 0})) {
            return List.of(new Coordinates(coordinates.list(), source, !coordinates.listFirst()));
        }
        boolean bySourceAxis = LayoutRules.axis(node.intAttribute("axis", 0), 2) == across;
        if (node.is("", "Split") && bySourceAxis && node.outputs().size() == source.rank()) {
            List<Size> dims = coordinates.listFirst() ? List.of(Size.FED, Size.of(1)) : List.of(Size.of(1), Size.FED);
            List<Fact> parts = new ArrayList<>();
            for (int axis = 0; axis < source.rank(); axis++) {
                parts.add(coordinate(coordinates, axis, new Tokens(dims, 1 - across)));
            }
            return parts;
        }
        Optional<long[]> index = inputs.size() > 1 && inputs.get(1) instanceof Fixed fixed
                ? fixed.integers().filter(values -> fixed.shape().orElseThrow().isEmpty())
                : Optional.empty();
        if (node.is("", "Gather") && bySourceAxis && index.isPresent()) {
            int axis = LayoutRules.axis(index.get()[0], source.rank());
            return List.of(coordinate(coordinates, axis, new Tokens(List.of(Size.FED), 0)));
        }
        throw Refusal.at(node, "does something with the places of tokens that is not followed");
    }

    private static Entries coordinate(Coordinates coordinates, int axis, Tokens at) {
        Tokens source = coordinates.source();
        return axis == source.axis()
                ? new Entries(coordinates.list(), at, source.perToken(), source.perToken())
                : new Entries(coordinates.list(), at, 0, source.dims().get(axis).constant());
    }

    private static boolean finds(Entries address, long perToken) {
        return address.stride() == perToken && address.bound() <= perToken;
    }

    private static Entries gather(Node node, Tokens data, Entries picked) {
        int axis = LayoutRules.axis(node.intAttribute("axis", 0), data.rank());
        if (axis != data.axis() || !finds(picked, data.perToken())) {
            throw Refusal.at(node, "gathers across tokens");
        }
        List<Size> dims = new ArrayList<>(data.dims().subList(0, axis));
        dims.addAll(picked.at().dims());
        dims.addAll(data.dims().subList(axis + 1, data.rank()));
        return Entries.of(picked.list(), new Tokens(dims, axis + picked.at().axis()));
    }

    /** What is scattered goes to the tokens that it came from; entries of one token keep their order. */
    private static Tokens scatter(Node node, List<Fact> inputs) {
        Optional<Tokens> data = TokenRules.constantTokens(inputs.get(0));
        boolean elements = node.opType().equals("ScatterElements");
        boolean plain = data.isPresent()
                && inputs.get(1) instanceof Entries places
                && inputs.get(2) instanceof Entries updates
                && finds(places, data.get().perToken())
                && places.at().axis() == updates.at().axis()
                && (elements
                        ? places.at().dims().equals(updates.at().dims())
                                && places.at().axis() == data.get().axis()
                                && LayoutRules.axis(
                                                node.intAttribute("axis", 0),
                                                data.get().rank())
                                        == data.get().axis()
                        : data.get().axis() == 0
                                && places.at().dims().equals(List.of(Size.FED, Size.of(1)))
                                && updates.at()
                                        .dims()
                                        .subList(1, updates.at().rank())
                                        .equals(data.get()
                                                .dims()
                                                .subList(1, data.get().rank())));
        if (!plain) {
            throw Refusal.at(node, "scatters across tokens");
        }
        return data.get();
    }

    /** Sums and products of places, from which a place in a list of several slices a token is made. */
    private static Optional<Entries> address(Node node, String list, List<Fact> inputs, TokenRules rules) {
        Fact first = inputs.get(0) instanceof Entries ? inputs.get(0) : inputs.get(1);
        Fact second = first == inputs.get(0) ? inputs.get(1) : inputs.get(0);
        if (!(first instanceof Entries a) || a.stride() < 0) {
            return Optional.empty();
        }
        List<Fact> operands = unwrapped(node, inputs);
        operands.replaceAll(fact -> fact instanceof Sizes sizes
                ? Fixed.ofShape(
                        sizes.scalar()
                                ? List.of()
                                : List.of((long) sizes.values().size()))
                : fact);
        Tokens at = (Tokens) rules.apply(node, operands).get(0);
        if (second instanceof Entries b) {
            return b.stride() < 0 || node.opType().equals("Mul")
                    ? Optional.empty()
                    : Optional.of(new Entries(list, at, a.stride() + b.stride(), a.bound() + b.bound() - 1));
        }
        OptionalLong factor = SizeRules.sizes(second)
                .flatMap(SizeRules::constants)
                .filter(values -> values.length == 1)
                .map(values -> OptionalLong.of(values[0]))
                .orElse(OptionalLong.empty());
        return factor.isPresent() && factor.getAsLong() > 0 && node.opType().equals("Mul")
                ? Optional.of(new Entries(
                        list, at, a.stride() * factor.getAsLong(), (a.bound() - 1) * factor.getAsLong() + 1))
                : Optional.empty();
    }

    /** Any other operator, with entries in the place of tokens. */
    private static List<Fact> plain(Node node, String list, List<Fact> inputs, TokenRules rules) {
        boolean keeps = KEEP_ADDRESSES.contains(node.opType());
        for (Fact input : inputs) {
            if (input instanceof Entries entries && entries.stride() > 0 && !keeps) {
                throw Refusal.at(node, "computes with the places of tokens");
            }
        }
        List<Fact> unwrapped = unwrapped(node, inputs);
        Optional<Fact> sizes = unwrapped.contains(null) ? Optional.empty() : SizeRules.apply(node, unwrapped);
        if (sizes.isEmpty() && unwrapped.stream().noneMatch(Tokens.class::isInstance)) {
            throw Refusal.at(node, "computes with a number of tokens in a way that is not followed");
        }
        List<Fact> outputs = sizes.map(List::of).orElseGet(() -> rules.apply(node, unwrapped));
        List<Fact> wrapped = new ArrayList<>();
        for (Fact output : outputs) {
            if (output instanceof Tokens at) {
                boolean address = keeps && inputs.get(0) instanceof Entries;
                Entries source = address ? (Entries) inputs.get(0) : Entries.of(list, at);
                wrapped.add(new Entries(list, at, source.stride(), source.bound()));
            } else {
                wrapped.add(output instanceof Sizes made ? sized(list, made) : output);
            }
        }
        return wrapped;
    }

    private static Fact sized(String list, Sizes sizes) {
        return sizes.values().stream().allMatch(Size::isConstant) ? sizes : new EntrySizes(list, sizes);
    }

    /** With S for the number of entries. */
    private static List<Fact> unwrapped(Node node, List<Fact> inputs) {
        List<Fact> result = new ArrayList<>();
        for (Fact input : inputs) {
            if (input instanceof Entries entries) {
                result.add(entries.at());
            } else if (input instanceof EntrySizes sizes) {
                result.add(sizes.sizes());
            } else if (input == null
                    || input instanceof Fixed
                    || input instanceof Sizes sizes && sizes.values().stream().allMatch(Size::isConstant)) {
                result.add(input);
            } else if (input instanceof Indexed value
                    && value.element().isConstant()
                    && value.dims().stream().allMatch(Size::isConstant)) {
                result.add(
                        Fixed.ofShape(value.dims().stream().map(Size::constant).toList()));
            } else {
                throw Refusal.at(node, "combines some of the tokens with what belongs to all");
            }
        }
        return result;
    }
}
