package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.TensorData;
import io.kindling.engine.metadata.DecoderIo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.LongStream;

/** What is proven of a value when a decoder runs with batch 1. */
sealed interface Fact {
    /**
     * The same in every run.
     *
     * @param shape empty where it is not known
     * @param data the elements, where the file gives them
     */
    record Fixed(Optional<List<Long>> shape, Optional<TensorData> data) implements Fact {
        static Fixed of(TensorData data) {
            return new Fixed(Optional.of(LongStream.of(data.shape()).boxed().toList()), Optional.of(data));
        }

        static Fixed ofShape(List<Long> shape) {
            return new Fixed(Optional.of(List.copyOf(shape)), Optional.empty());
        }

        static Fixed unknown() {
            return new Fixed(Optional.empty(), Optional.empty());
        }

        /** The elements of a small integer tensor. */
        Optional<long[]> integers() {
            return data.flatMap(TensorData::integers);
        }
    }

    /**
     * An integer tensor made of sizes.
     *
     * @param scalar rank 0 rather than 1
     */
    record Sizes(List<Size> values, boolean scalar) implements Fact {
        public Sizes {
            values = List.copyOf(values);
        }
    }

    /**
     * One slice for each token, made from that token alone: along {@code axis}, whose size is a multiple m of S, indices
     * {@code t * m} to {@code t * m + m − 1} belong to token t. All other dimensions are constants.
     */
    record Tokens(List<Size> dims, int axis) implements Fact {
        public Tokens {
            dims = List.copyOf(dims);
        }

        int rank() {
            return dims.size();
        }

        /** Slices of {@code axis} that one token has. */
        long perToken() {
            return dims.get(axis).fed();
        }

        Tokens withDim(int index, Size size) {
            List<Size> changed = new ArrayList<>(dims);
            changed.set(index, size);
            return new Tokens(changed, axis);
        }
    }

    /** A value that follows from sizes and from where an element stands, such as a position or a mask. */
    record Indexed(List<Size> dims, Element element) implements Fact {
        public Indexed {
            dims = List.copyOf(dims);
            element = IndexLayouts.settled(dims, element);
        }
    }

    /**
     * A state as it was before the tokens that are fed.
     *
     * @param returned values that go out as the state behind them, unchanged
     */
    record Past(DecoderIo.State state, Set<String> returned) implements Fact {
        public Past {
            returned = Set.copyOf(returned);
        }

        /** {@code L − S} on the axis that grows. */
        List<Size> dims() {
            List<Size> dims = new ArrayList<>();
            for (int axis = 0; axis < state.initialShape().size(); axis++) {
                dims.add(
                        axis == state.sequenceAxis()
                                ? Size.TOTAL.plus(Size.FED.times(-1))
                                : Size.of(state.initialShape().get(axis)));
            }
            return dims;
        }
    }

    /**
     * A state with the keys or values of the tokens behind it, {@code [1, heads, L, size]}, on its way to attention.
     *
     * @param tokens the value that holds what is new, {@code [1, heads, S, size]}
     * @param repeats how often each head stands one after the other; 1 before heads are repeated
     * @param form how the axes stand
     * @param scale what all elements are multiplied with
     */
    record Cache(DecoderIo.State state, String tokens, long repeats, Form form, double scale) implements Fact {
        enum Form {
            /** {@code [1, heads * repeats, L, size]}. */
            PLAIN,
            /** {@code [1, heads * repeats, size, L]}. */
            TRANSPOSED,
            /** {@code [1, heads, repeats, L, size]}. */
            GROUPED
        }

        long heads() {
            return state.initialShape().get(1);
        }

        long size() {
            return state.initialShape().get(3);
        }

        List<Size> dims() {
            Size one = Size.of(1);
            return switch (form) {
                case PLAIN -> List.of(one, Size.of(heads() * repeats), Size.TOTAL, Size.of(size()));
                case TRANSPOSED -> List.of(one, Size.of(heads() * repeats), Size.of(size()), Size.TOTAL);
                case GROUPED -> List.of(one, Size.of(heads()), Size.of(repeats), Size.TOTAL, Size.of(size()));
            };
        }

        Cache with(Form newForm, long newRepeats, double factor) {
            return new Cache(state, tokens, newRepeats, newForm, scale * factor);
        }
    }

    /**
     * Products of queries with keys, {@code [1, heads, S, L]}, and what has become of them.
     *
     * @param query the value that holds the queries, {@code [1, heads, S, size]}
     * @param softcap 0 where there is none
     * @param window how many positions a token sees, −1 for all; empty before the mask
     * @param sink a value {@code [1, heads, S, 1]} that took part in Softmax, or empty
     * @param sinkJoined whether the sink stands behind the last key
     * @param weights whether they went through Softmax
     */
    record Scores(
            String query,
            Cache keys,
            long heads,
            double scale,
            double softcap,
            OptionalLong window,
            String sink,
            boolean sinkJoined,
            boolean weights)
            implements Fact {
        static Scores of(String query, Cache keys, long heads, double scale, double softcap) {
            return new Scores(query, keys, heads, scale, softcap, OptionalLong.empty(), "", false, false);
        }

        List<Size> dims() {
            Size positions = sinkJoined ? Size.TOTAL.plus(Size.of(1)) : Size.TOTAL;
            return List.of(Size.of(1), Size.of(heads), Size.FED, positions);
        }

        Scores scaled(double factor) {
            return new Scores(query, keys, heads, scale * factor, softcap, window, sink, sinkJoined, weights);
        }

        boolean isMaskable() {
            return !weights && sink.isEmpty();
        }

        /** What two masks hide, both hide. */
        Scores masked(OptionalLong seen) {
            boolean narrower = window.isEmpty()
                    || window.getAsLong() < 0
                    || seen.getAsLong() >= 0 && seen.getAsLong() < window.getAsLong();
            return new Scores(query, keys, heads, scale, softcap, narrower ? seen : window, sink, sinkJoined, weights);
        }

        Scores withSink(String value) {
            return new Scores(query, keys, heads, scale, softcap, window, value, true, weights);
        }

        Scores withoutSinkColumn() {
            return new Scores(query, keys, heads, scale, softcap, window, sink, false, weights);
        }

        Scores normalised() {
            return new Scores(query, keys, heads, scale, softcap, window, sink, sinkJoined, true);
        }
    }

    /** The largest of each row of scores, which Softmax does not change for. */
    record Peaks(Scores scores) implements Fact {}

    /** Tokens over and over, {@code copies} times along the first axis, which is theirs. */
    record Stacked(Tokens each, long copies) implements Fact {}

    /**
     * One slice for each entry of a list of tokens, made from that entry's token alone.
     *
     * @param list the value that says which tokens are in the list
     * @param at how it lies, with S for the number of entries
     * @param stride an element is {@code token * stride + rest}, token being the place among all tokens; below zero where the
     *     elements are no places
     * @param bound the rest is from 0 to below it
     */
    record Entries(String list, Tokens at, long stride, long bound) implements Fact {
        static Entries of(String list, Tokens at) {
            return new Entries(list, at, -1, 0);
        }
    }

    /** Sizes with the number of entries of a list for S. */
    record EntrySizes(String list, Sizes sizes) implements Fact {}

    /**
     * Where elements that are not zero stand, {@code [rank, entries]}.
     *
     * @param source how the elements lie
     * @param listFirst the entries along the first axis
     */
    record Coordinates(String list, Tokens source, boolean listFirst) implements Fact {}

    /**
     * A constant matrix that depends on how long the sequence is.
     *
     * @param from the length from which it is {@code atLeast}; before, it is {@code below}
     */
    record ByLength(long from, String atLeast, String below, List<Long> atLeastShape, List<Long> belowShape)
            implements Fact {
        public ByLength {
            atLeastShape = List.copyOf(atLeastShape);
            belowShape = List.copyOf(belowShape);
        }
    }

    /**
     * Mixes tokens, or may do so.
     *
     * @param dims empty where they are not known
     */
    record Mixed(String why, Optional<List<Size>> dims) implements Fact {
        Mixed(String why) {
            this(why, Optional.empty());
        }
    }
}
