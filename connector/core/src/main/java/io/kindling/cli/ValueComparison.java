package io.kindling.cli;

import io.kindling.engine.HostElements;
import io.kindling.engine.ir.DataType;
import io.kindling.engine.provider.Tensor;
import io.kindling.engine.provider.Value;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

/**
 * Compares a computed value with an expected one. Shapes and element types must be equal. Floating-point elements may
 * differ by {@code absolute + relative · |expected|}, by default as much as computing in their width explains:
 * float32 and float64 max(1e-5, 1e-6 · max|expected|) and 1e-3, float16 1e-3 and 2e-3, bfloat16 1.6e-2 and 1.6e-2;
 * smaller floats not at all. NaN equals NaN, an infinity equals the same infinity.
 *
 * @param relative a larger relative tolerance, or 0
 * @param absolute a larger absolute tolerance, or 0
 * @param integer by how much integers may differ
 */
record ValueComparison(double relative, double absolute, long integer) {
    static final ValueComparison STRICT = new ValueComparison(0, 0, 0);

    /** What differs, in words; empty when nothing does. */
    Optional<String> difference(Value got, Value want) {
        if (got instanceof Tensor a && want instanceof Tensor b) {
            return tensors(a, b);
        }
        if (got instanceof Value.Sequence a && want instanceof Value.Sequence b) {
            return sequences(a, b);
        }
        if (got instanceof Value.Opt a && want instanceof Value.Opt b) {
            if (a.content().isPresent() != b.content().isPresent()) {
                return Optional.of(presence(a) + " instead of " + presence(b));
            }
            return a.content()
                    .flatMap(content -> difference(content, b.content().get()));
        }
        return Optional.of("a " + kind(got) + " instead of a " + kind(want));
    }

    /** Whether type and shape are equal, for values that are random. */
    static Optional<String> typeDifference(Value got, Value want) {
        if (!(got instanceof Tensor a) || !(want instanceof Tensor b)) {
            return Optional.of("a " + kind(got) + " instead of a " + kind(want));
        }
        return a.type() == b.type() && Arrays.equals(a.shape(), b.shape())
                ? Optional.empty()
                : Optional.of(a + " instead of " + b);
    }

    private static String kind(Value value) {
        if (value instanceof Tensor) {
            return "tensor";
        }
        return value instanceof Value.Sequence ? "sequence" : value instanceof Value.Map ? "map" : "optional";
    }

    private static String presence(Value.Opt value) {
        return value.content().isPresent() ? "an optional with content" : "an empty optional";
    }

    private Optional<String> sequences(Value.Sequence got, Value.Sequence want) {
        if (got.elements().size() != want.elements().size()) {
            return Optional.of(got.elements().size() + " elements instead of "
                    + want.elements().size());
        }
        for (int k = 0; k < want.elements().size(); k++) {
            int position = k;
            Optional<String> difference =
                    difference(got.elements().get(k), want.elements().get(k));
            if (difference.isPresent()) {
                return difference.map(text -> "element " + position + ": " + text);
            }
        }
        return Optional.empty();
    }

    private Optional<String> tensors(Tensor got, Tensor want) {
        Optional<String> type = typeDifference(got, want);
        if (type.isPresent()) {
            return type;
        }
        int count = Math.toIntExact(want.elementCount());
        Elements elements = elements(got, want, count);
        int wrong = 0;
        int first = -1;
        for (int k = 0; k < count; k++) {
            if (!elements.equal(k)) {
                first = wrong++ == 0 ? k : first;
            }
        }
        if (wrong == 0) {
            return Optional.empty();
        }
        return Optional.of(wrong + " of " + count + " elements differ, the first at " + first + ": "
                + elements.text(got, first) + " instead of " + elements.text(want, first));
    }

    private interface Elements {
        boolean equal(int index);

        String text(Tensor tensor, int index);
    }

    private Elements elements(Tensor got, Tensor want, int count) {
        DataType type = want.type();
        if (type == DataType.STRING) {
            return elements(
                    k -> Objects.equals(got.strings()[k], want.strings()[k]), (t, k) -> "'" + t.strings()[k] + "'");
        }
        if (type == DataType.COMPLEX64 || type == DataType.COMPLEX128) {
            Elements parts = floats(got, want, 2 * count);
            return elements(
                    k -> parts.equal(2 * k) && parts.equal(2 * k + 1),
                    (t, k) -> part(t, 2 * k) + " + " + part(t, 2 * k + 1) + "i");
        }
        if (type.isFloatingPoint()) {
            return floats(got, want, count);
        }
        return elements(
                k -> within(HostElements.integer(got, k), HostElements.integer(want, k)),
                (t, k) -> t.type() == DataType.UINT64
                        ? Long.toUnsignedString(HostElements.integer(t, k))
                        : Long.toString(HostElements.integer(t, k)));
    }

    private boolean within(long got, long want) {
        return got == want || Math.abs((double) got - (double) want) <= integer;
    }

    private static double part(Tensor tensor, int index) {
        return switch (tensor.type()) {
            case COMPLEX64 -> tensor.floats().get(index);
            case COMPLEX128 -> tensor.doubles().get(index);
            default -> HostElements.real(tensor, index);
        };
    }

    private Elements floats(Tensor got, Tensor want, int count) {
        double largest = 0;
        for (int k = 0; k < count; k++) {
            double magnitude = Math.abs(part(want, k));
            largest = Double.isFinite(magnitude) ? Math.max(largest, magnitude) : largest;
        }
        double allowedRelative;
        double allowedAbsolute;
        switch (want.type()) {
            case FLOAT, DOUBLE, COMPLEX64, COMPLEX128 -> {
                allowedAbsolute = Math.max(1e-5, 1e-6 * largest);
                allowedRelative = 1e-3;
            }
            case FLOAT16 -> {
                allowedAbsolute = 1e-3;
                allowedRelative = 2e-3;
            }
            case BFLOAT16 -> {
                allowedAbsolute = 1.6e-2;
                allowedRelative = 1.6e-2;
            }
            default -> {
                allowedAbsolute = 0;
                allowedRelative = 0;
            }
        }
        double relativeOrMore = Math.max(relative, allowedRelative);
        double absoluteOrMore = Math.max(absolute, allowedAbsolute);
        return elements(
                k -> {
                    double a = part(got, k);
                    double b = part(want, k);
                    return a == b
                            || Double.isNaN(a) && Double.isNaN(b)
                            || Double.isFinite(b) && Math.abs(a - b) <= absoluteOrMore + relativeOrMore * Math.abs(b);
                },
                (t, k) -> Double.toString(part(t, k)));
    }

    private interface Text {
        String of(Tensor tensor, int index);
    }

    private static Elements elements(java.util.function.IntPredicate equal, Text text) {
        return new Elements() {
            @Override
            public boolean equal(int index) {
                return equal.test(index);
            }

            @Override
            public String text(Tensor tensor, int index) {
                return text.of(tensor, index);
            }
        };
    }
}
