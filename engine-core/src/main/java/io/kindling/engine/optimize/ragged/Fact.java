package io.kindling.engine.optimize.ragged;

import io.kindling.engine.ir.TensorData;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

    /** Ones everywhere: the attention mask of a row without padding. */
    record Ones(List<Size> dims) implements Fact {
        public Ones {
            dims = List.copyOf(dims);
        }
    }

    /** Mixes tokens, or may do so. */
    record Mixed(String why) implements Fact {}
}
