package io.kindling.spark.runtime;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;

/** Takes items in windows and gives their results in the items' order. */
final class InWindows<I, O> implements Iterator<O> {
    private final Iterator<I> input;
    private final int window;
    private final Function<List<I>, List<O>> work;
    private final Deque<O> ready = new ArrayDeque<>();

    /** @param work as many results as it is given items */
    InWindows(Iterator<I> input, int window, Function<List<I>, List<O>> work) {
        this.input = input;
        this.window = window;
        this.work = work;
    }

    @Override
    public boolean hasNext() {
        if (ready.isEmpty() && input.hasNext()) {
            List<I> items = new ArrayList<>();
            while (items.size() < window && input.hasNext()) {
                items.add(input.next());
            }
            ready.addAll(work.apply(items));
        }
        return !ready.isEmpty();
    }

    @Override
    public O next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return ready.remove();
    }
}
