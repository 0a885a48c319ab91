package io.kindling.spark.runtime;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.function.Supplier;

/** Begins the work of items while that of earlier ones is under way, a bounded number at once, and gives results in their order. */
final class InOrder<I, O> implements Iterator<O> {
    private final Iterator<I> input;
    private final int most;
    private final Function<I, Supplier<O>> begin;
    private final Deque<Supplier<O>> pending = new ArrayDeque<>();

    /** @param begin starts the work of an item; what it returns waits for the result */
    InOrder(Iterator<I> input, int most, Function<I, Supplier<O>> begin) {
        this.input = input;
        this.most = most;
        this.begin = begin;
    }

    @Override
    public boolean hasNext() {
        while (pending.size() < most && input.hasNext()) {
            pending.add(begin.apply(input.next()));
        }
        return !pending.isEmpty();
    }

    @Override
    public O next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return pending.remove().get();
    }
}
