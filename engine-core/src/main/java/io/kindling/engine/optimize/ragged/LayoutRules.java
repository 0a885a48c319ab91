package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.DataType;
import io.kindling.engine.ir.Node;
import io.kindling.engine.ir.TensorData;
import io.kindling.engine.optimize.ragged.Fact.Fixed;
import io.kindling.engine.optimize.ragged.Fact.Indexed;
import io.kindling.engine.optimize.ragged.Fact.Sizes;
import io.kindling.engine.optimize.ragged.Fact.Stacked;
import io.kindling.engine.optimize.ragged.Fact.Tokens;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/** Rules for operators that move elements without mixing tokens. */
final class LayoutRules {
    private LayoutRules() {}

    static int axis(long axis, int rank) {
        return (int) (axis < 0 ? axis + rank : axis);
    }

    /** A row-major relabelling: what stands before the token axis and what belongs to one token must stay as large as it is. */
    static Tokens reshape(Node node, Tokens input, Fact target) {
        Sizes wanted =
                SizeRules.sizes(target).orElseThrow(() -> Refusal.at(node, "reshapes to a shape that is not known"));
        boolean zeroCopies = node.intAttribute("allowzero", 0) == 0;
        List<Size> dims = new ArrayList<>();
        int open = -1;
        for (int k = 0; k < wanted.values().size(); k++) {
            Size size = wanted.values().get(k);
            if (size.is(0) && zeroCopies) {
                size = input.dims().get(k);
            } else if (size.is(-1)) {
                open = k;
            }
            dims.add(size);
        }
        if (open >= 0) {
            dims.set(open, Size.of(1));
            dims.set(open, remaining(node, input.dims(), dims));
        }
        return tokens(node, input, dims);
    }

    private static Size remaining(Node node, List<Size> all, List<Size> others) {
        long[] whole = product(node, all);
        long[] known = product(node, others);
        if (known[1] > whole[1] || known[0] == 0 || whole[0] % known[0] != 0) {
            throw Refusal.at(node, "reshapes " + all + " in a way that cannot be followed");
        }
        long factor = whole[0] / known[0];
        return whole[1] > known[1] ? Size.FED.times(factor) : Size.of(factor);
    }

    /** Product as a constant and the power of S. */
    private static long[] product(Node node, List<Size> dims) {
        long constant = 1;
        long power = 0;
        for (Size size : dims) {
            if (size.isFedMultiple()) {
                power++;
                constant *= size.fed();
            } else if (size.isConstant()) {
                constant *= size.constant();
            } else {
                throw Refusal.at(node, "depends on the number of earlier tokens");
            }
        }
        return new long[] {constant, power};
    }

    private static Tokens tokens(Node node, Tokens input, List<Size> dims) {
        int axis = -1;
        for (int k = 0; k < dims.size(); k++) {
            if (dims.get(k).isFedMultiple() && axis < 0) {
                axis = k;
            } else if (!dims.get(k).isConstant()) {
                throw Refusal.at(node, "depends on the number of earlier tokens");
            }
        }
        boolean same = axis >= 0
                && product(node, dims.subList(0, axis))[0]
                        == product(node, input.dims().subList(0, input.axis()))[0]
                && product(node, dims)[0] == product(node, input.dims())[0];
        if (!same) {
            throw Refusal.at(node, "reshapes " + input.dims() + " to " + dims + ", which mixes tokens");
        }
        return new Tokens(dims, axis);
    }

    static Tokens transpose(Node node, Tokens input) {
        int rank = input.rank();
        long[] order = node.intsAttribute("perm")
                .orElseGet(
                        () -> LongStream.range(0, rank).map(k -> rank - 1 - k).toArray());
        List<Size> dims = new ArrayList<>();
        int axis = -1;
        for (int k = 0; k < rank; k++) {
            dims.add(input.dims().get((int) order[k]));
            axis = order[k] == input.axis() ? k : axis;
        }
        return new Tokens(dims, axis);
    }

    static Tokens unsqueeze(Node node, Tokens input, long[] axes) {
        int rank = input.rank() + axes.length;
        List<Integer> inserted =
                LongStream.of(axes).mapToObj(a -> axis(a, rank)).sorted().toList();
        List<Size> dims = new ArrayList<>(input.dims());
        int axis = input.axis();
        for (int at : inserted) {
            dims.add(at, Size.of(1));
            axis += at <= axis ? 1 : 0;
        }
        return new Tokens(dims, axis);
    }

    static Tokens squeeze(Node node, Tokens input, long[] axes) {
        List<Integer> removed = LongStream.of(axes)
                .mapToObj(a -> axis(a, input.rank()))
                .sorted(Collections.reverseOrder())
                .toList();
        List<Size> dims = new ArrayList<>(input.dims());
        int axis = input.axis();
        for (int at : removed) {
            if (!dims.remove(at).is(1)) {
                throw Refusal.at(node, "removes an axis that is not 1 long");
            }
            axis -= at < axis ? 1 : 0;
        }
        return new Tokens(dims, axis);
    }

    /** To two axes, those before {@code axis} and the others. */
    static Tokens flatten(Node node, Tokens input) {
        int at = axis(node.intAttribute("axis", 1), input.rank());
        List<Size> dims = new ArrayList<>();
        for (List<Size> part : List.of(input.dims().subList(0, at), input.dims().subList(at, input.rank()))) {
            long[] size = product(node, part);
            dims.add(size[1] > 0 ? Size.FED.times(size[0]) : Size.of(size[0]));
        }
        return tokens(node, input, dims);
    }

    /** The dimensions of a slice across tokens, whose elements are not followed. */
    static Optional<List<Size>> sliced(Node node, List<Fact> inputs) {
        return node.is("", "Slice") && inputs.get(0) instanceof Tokens tokens
                ? IndexLayouts.slice(new Indexed(tokens.dims(), Element.OPAQUE), inputs)
                        .map(Indexed::dims)
                : Optional.empty();
    }

    /** Further axes before, and axes of 1 made longer; as many slices a token as before. */
    static Tokens expand(Node node, Tokens input, Fact target) {
        List<Size> dims = SizeRules.sizes(target)
                .flatMap(sizes -> IndexRules.broadcast(input.dims(), sizes.values()))
                .orElseThrow(() -> Refusal.at(node, "expands to a shape that is not known"));
        int axis = dims.size() - input.rank() + input.axis();
        for (int k = 0; k < dims.size(); k++) {
            if (k == axis
                    ? !dims.get(k).equals(input.dims().get(input.axis()))
                    : !dims.get(k).isConstant()) {
                throw Refusal.at(node, "expands " + input.dims() + " to " + dims + ", which mixes tokens");
            }
        }
        return new Tokens(dims, axis);
    }

    /** Repetitions off the token axis, or of all tokens one after the other. */
    static Fact tile(Node node, Tokens input, List<Fact> inputs) {
        long[] repeats = integers(node, inputs, 1).orElseThrow();
        if (input.axis() == 0
                && repeats[0] > 1
                && LongStream.of(repeats).skip(1).allMatch(count -> count == 1)) {
            return new Stacked(input, repeats[0]);
        }
        Tokens result = input;
        for (int k = 0; k < repeats.length; k++) {
            if (repeats[k] != 1) {
                requireOffTokens(node, input, k);
                result = result.withDim(k, result.dims().get(k).times(repeats[k]));
            }
        }
        return result;
    }

    /** Elements of every token put at places that the token names. */
    static Tokens scatterElements(Node node, List<Fact> inputs) {
        boolean apart = inputs.get(0) instanceof Tokens data
                && inputs.get(1) instanceof Tokens places
                && inputs.get(2) instanceof Tokens updates
                && places.equals(updates)
                && places.axis() == data.axis()
                && places.perToken() == data.perToken()
                && axis(node.intAttribute("axis", 0), data.rank()) != data.axis();
        if (!apart) {
            throw Refusal.at(node, "scatters across tokens");
        }
        return (Tokens) inputs.get(0);
    }

    /** Copies that a reshape puts on an axis of their own. */
    static Tokens unstacked(Node node, Stacked stacked, Fact target) {
        List<Size> dims = new ArrayList<>(stacked.each().dims());
        dims.add(0, Size.of(stacked.copies()));
        List<Size> wanted = SizeRules.sizes(target)
                .map(Sizes::values)
                .orElseThrow(() -> Refusal.at(node, "reshapes to a shape that is not known"));
        long open = wanted.stream().filter(size -> size.is(-1)).count();
        boolean apart = wanted.size() == dims.size() && open <= 1;
        for (int k = 0; apart && k < dims.size(); k++) {
            apart = wanted.get(k).is(-1) || wanted.get(k).equals(dims.get(k));
        }
        if (!apart) {
            throw Refusal.at(node, "reshapes copies of tokens to " + wanted);
        }
        return new Tokens(dims, stacked.each().axis() + 1);
    }

    /** Entries of a table along the token axis, or of a token off it, each picked by its token. */
    static Tokens gatherElements(Node node, Fact data, Fact indices) {
        boolean ownEntries = data instanceof Tokens own
                && indices instanceof Tokens picked
                && own.axis() == picked.axis()
                && own.perToken() == picked.perToken()
                && axis(node.intAttribute("axis", 0), own.rank()) != own.axis();
        if (ownEntries) {
            return (Tokens) indices;
        }
        boolean byToken = data instanceof Fixed
                && indices instanceof Tokens tokens
                && axis(node.intAttribute("axis", 0), tokens.rank()) == tokens.axis();
        if (!byToken) {
            throw Refusal.at(node, "gathers across tokens");
        }
        return (Tokens) indices;
    }

    static List<Fact> split(Node node, Tokens input, Optional<long[]> sizes) {
        int axis = axis(node.intAttribute("axis", 0), input.rank());
        requireOffTokens(node, input, axis);
        int parts = node.outputs().size();
        long[] lengths = sizes.orElseGet(() -> {
            long whole = input.dims().get(axis).constant();
            long part = (whole + parts - 1) / parts;
            return LongStream.range(0, parts)
                    .map(k -> Math.min(part, whole - k * part))
                    .toArray();
        });
        return LongStream.of(lengths)
                .<Fact>mapToObj(length -> input.withDim(axis, Size.of(length)))
                .toList();
    }

    static Tokens concat(Node node, List<Fact> inputs) {
        Tokens first = TokenRules.tokens(node, inputs, 0);
        int axis = axis(node.intAttribute("axis", 0), first.rank());
        requireOffTokens(node, first, axis);
        Size whole = Size.of(0);
        for (Fact input : inputs) {
            if (!(input instanceof Tokens part)
                    || !part.withDim(axis, Size.of(0)).equals(first.withDim(axis, Size.of(0)))) {
                throw Refusal.at(node, "joins tokens with something else");
            }
            whole = whole.plus(part.dims().get(axis));
        }
        return first.withDim(axis, whole);
    }

    /** {@code Slice} off the token axis with constant bounds; inputs as in opset 10 and later. */
    static Tokens slice(Node node, List<Fact> inputs) {
        Tokens result = TokenRules.tokens(node, inputs, 0);
        long[] starts = integers(node, inputs, 1).orElseThrow();
        long[] ends = integers(node, inputs, 2).orElseThrow();
        long[] axes = integers(node, inputs, 3)
                .orElseGet(() -> LongStream.range(0, starts.length).toArray());
        long[] steps = integers(node, inputs, 4)
                .orElseGet(() -> LongStream.of(starts).map(s -> 1).toArray());
        for (int k = 0; k < starts.length; k++) {
            int axis = axis(axes[k], result.rank());
            requireOffTokens(node, result, axis);
            if (steps[k] < 1) {
                throw Refusal.at(node, "slices backwards");
            }
            long size = result.dims().get(axis).constant();
            long start = bound(starts[k], size);
            long end = bound(ends[k], size);
            result = result.withDim(axis, Size.of(Math.max(0, (end - start + steps[k] - 1) / steps[k])));
        }
        return result;
    }

    private static long bound(long index, long size) {
        return Math.max(0, Math.min(size, index < 0 ? index + size : index));
    }

    /** Rows of a table by token ids, or fixed entries of every token. */
    static Tokens gather(Node node, Fact data, Fact indices) {
        if (data instanceof Fixed table && indices instanceof Tokens ids) {
            List<Long> shape = table.shape().orElseThrow(() -> Refusal.at(node, "reads a table of unknown shape"));
            if (axis(node.intAttribute("axis", 0), shape.size()) != 0) {
                throw Refusal.at(node, "looks tokens up on an axis other than the first");
            }
            return lookup(ids, shape);
        }
        if (data instanceof Tokens input && indices instanceof Fixed fixed) {
            int axis = axis(node.intAttribute("axis", 0), input.rank());
            requireOffTokens(node, input, axis);
            List<Long> picked = fixed.shape().orElseThrow(() -> Refusal.at(node, "has indices of unknown shape"));
            List<Size> dims = new ArrayList<>(input.dims().subList(0, axis));
            picked.forEach(size -> dims.add(Size.of(size)));
            dims.addAll(input.dims().subList(axis + 1, input.rank()));
            return new Tokens(dims, input.axis() < axis ? input.axis() : input.axis() + picked.size() - 1);
        }
        throw Refusal.at(node, "gathers across tokens");
    }

    /** Fixed entries of every token, picked along the axes before that of the tokens. */
    static Tokens gatherNd(Node node, Fact data, Fact indices) {
        Optional<List<Long>> shape = indices instanceof Fixed fixed ? fixed.shape() : Optional.empty();
        boolean plain =
                data instanceof Tokens && shape.isPresent() && !shape.get().isEmpty();
        if (!plain || node.intAttribute("batch_dims", 0) != 0) {
            throw Refusal.at(node, "gathers across tokens");
        }
        Tokens input = (Tokens) data;
        int last = shape.get().size() - 1;
        int picked = shape.get().get(last).intValue();
        if (input.axis() < picked) {
            throw Refusal.at(node, "gathers across tokens");
        }
        List<Size> dims = new ArrayList<>();
        shape.get().subList(0, last).forEach(size -> dims.add(Size.of(size)));
        dims.addAll(input.dims().subList(picked, input.rank()));
        return new Tokens(dims, input.axis() - picked + last);
    }

    /** {@code com.microsoft::GatherBlockQuantized} with token ids: 8-bit storage holds several narrow elements. */
    static Tokens gatherQuantized(Node node, Fact data, Fact indices) {
        boolean plain = data instanceof Fixed && indices instanceof Tokens && node.intAttribute("gather_axis", 0) == 0;
        if (!plain || ((Fixed) data).shape().isEmpty()) {
            throw Refusal.at(node, "is followed for token ids, the first axis and a table of known shape only");
        }
        Fixed table = (Fixed) data;
        List<Long> shape = new ArrayList<>(table.shape().get());
        boolean packed = table.data().map(TensorData::type).orElse(DataType.UINT8) == DataType.UINT8;
        if (packed) {
            int last = shape.size() - 1;
            shape.set(last, shape.get(last) * (8 / node.intAttribute("bits", 4)));
        }
        return lookup((Tokens) indices, shape);
    }

    private static Tokens lookup(Tokens ids, List<Long> table) {
        List<Size> dims = new ArrayList<>(ids.dims());
        table.subList(1, table.size()).forEach(size -> dims.add(Size.of(size)));
        return new Tokens(dims, ids.axis());
    }

    static Optional<long[]> integers(Node node, List<Fact> inputs, int index) {
        if (index >= inputs.size() || inputs.get(index) == null) {
            return Optional.empty();
        }
        return Optional.of(SizeRules.sizes(inputs.get(index))
                .filter(sizes -> sizes.values().stream().allMatch(Size::isConstant))
                .map(sizes -> sizes.values().stream().mapToLong(Size::constant).toArray())
                .orElseThrow(() -> Refusal.at(node, "has an input " + index + " that is not constant")));
    }

    static void requireOffTokens(Node node, Tokens input, int axis) {
        if (axis == input.axis()) {
            throw Refusal.at(node, "works along the token axis");
        }
    }
}
