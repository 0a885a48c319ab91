package io.kindling.engine.text.jinja;

import java.util.Iterator;
import java.util.stream.LongStream;

/** Python's {@code range}; never longer than the sandbox allows. */
record Range(long start, long stop, long step) implements Items.Sized {
    /** @throws TemplateError for a step of zero, and when it is longer than {@link Limits#LONGEST_RANGE} */
    Range {
        if (step == 0) {
            throw new TemplateError("range() arg 3 must not be zero");
        }
        if (length(start, stop, step) > Limits.LONGEST_RANGE) {
            throw new TemplateError(
                    "Range too big. The sandbox blocks ranges larger than MAX_RANGE (" + Limits.LONGEST_RANGE + ").");
        }
    }

    private static double length(long start, long stop, long step) {
        return Math.max(0, Math.ceil(((double) stop - start) / step));
    }

    @Override
    public int size() {
        return (int) length(start, stop, step);
    }

    long get(int index) {
        return start + index * step;
    }

    /** Elements from one place up to another, both within or just outside of it. */
    Range slice(long from, long to, long stride) {
        return new Range(start + from * step, start + to * step, stride * step);
    }

    @Override
    public Iterator<Object> iterator() {
        return LongStream.range(0, size()).mapToObj(k -> (Object) get((int) k)).iterator();
    }

    @Override
    public String typeName() {
        return "range";
    }

    /** Ranges are equal when their elements are. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Range range
                && size() == range.size()
                && (size() == 0 || start == range.start && get(size() - 1) == range.get(size() - 1));
    }

    @Override
    public int hashCode() {
        return size() == 0 ? 0 : Long.hashCode(start) + 31 * size();
    }

    @Override
    public String toString() {
        return "range(" + start + ", " + stop + (step == 1 ? "" : ", " + step) + ")";
    }
}
