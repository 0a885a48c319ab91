package io.kindling.engine.shape;

import io.kindling.engine.ir.Dimension;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Arithmetic on dimensions: exact on known sizes, else what is surely equal, else unknown. */
final class Dimensions {
    private Dimensions() {}

    /** Unknown sizes, as many as there are. */
    static List<Dimension> ofEqualRank(List<Dimension> shape) {
        return Collections.nCopies(shape.size(), Dimension.UNKNOWN);
    }

    /**
     * Numpy's broadcasting: a known 1 gives way, anything known and larger wins over a symbol. A size and what is at most that long
     * can only go together where the former is the result.
     */
    static Dimension broadcast(Dimension a, Dimension b) {
        if (a.equals(b) || b.sizeOrMinusOne() == 1 || isAtMost(b, a)) {
            return a;
        }
        if (a.sizeOrMinusOne() == 1 || isAtMost(a, b)) {
            return b;
        }
        if (a.sizeOrMinusOne() > 1) {
            return a;
        }
        return b.sizeOrMinusOne() > 1 ? b : Dimension.UNKNOWN;
    }

    static Optional<List<Dimension>> broadcast(Optional<List<Dimension>> a, Optional<List<Dimension>> b) {
        if (a.isEmpty() || b.isEmpty()) {
            return Optional.empty();
        }
        int rank = Math.max(a.get().size(), b.get().size());
        List<Dimension> shape = new ArrayList<>(rank);
        for (int i = 0; i < rank; i++) {
            shape.add(broadcast(fromEnd(a.get(), rank - i), fromEnd(b.get(), rank - i)));
        }
        return Optional.of(shape);
    }

    private static boolean isAtMost(Dimension part, Dimension whole) {
        return part instanceof Dimension.AtMost cut && cut.size().equals(whole);
    }

    private static Dimension fromEnd(List<Dimension> shape, int position) {
        return position > shape.size() ? Dimension.of(1) : shape.get(shape.size() - position);
    }

    static Dimension add(Dimension a, Dimension b) {
        if (a.sizeOrMinusOne() == 0) {
            return b;
        }
        return b.sizeOrMinusOne() == 0 ? a : known(a, b) ? of(size(a) + size(b)) : Dimension.UNKNOWN;
    }

    static Dimension subtract(Dimension a, Dimension b) {
        return b.sizeOrMinusOne() == 0 ? a : known(a, b) ? of(size(a) - size(b)) : Dimension.UNKNOWN;
    }

    static Dimension multiply(Dimension a, Dimension b) {
        if (a.sizeOrMinusOne() == 1) {
            return b;
        }
        if (b.sizeOrMinusOne() == 1) {
            return a;
        }
        boolean fits = known(a, b) && Math.multiplyHigh(size(a), size(b)) == 0;
        return fits ? of(size(a) * size(b)) : Dimension.UNKNOWN;
    }

    static Dimension divide(Dimension a, Dimension b) {
        if (b.sizeOrMinusOne() == 1) {
            return a;
        }
        return known(a, b) && size(b) > 0 ? Dimension.of(size(a) / size(b)) : Dimension.UNKNOWN;
    }

    static Dimension product(List<Dimension> dimensions) {
        return dimensions.stream().reduce(Dimension.of(1), Dimensions::multiply);
    }

    /** A dimension of a computed size; what cannot be one is unknown. */
    static Dimension of(long size) {
        return size < 0 ? Dimension.UNKNOWN : Dimension.of(size);
    }

    /** What is known by either: inference first, then what the file declares. */
    static Dimension merge(Dimension inferred, Dimension declared) {
        if (inferred instanceof Dimension.Known || declared instanceof Dimension.Unknown) {
            return inferred;
        }
        return declared instanceof Dimension.Known || inferred instanceof Dimension.Unknown ? declared : inferred;
    }

    private static boolean known(Dimension a, Dimension b) {
        return a instanceof Dimension.Known && b instanceof Dimension.Known;
    }

    private static long size(Dimension dimension) {
        return dimension.sizeOrMinusOne();
    }
}
